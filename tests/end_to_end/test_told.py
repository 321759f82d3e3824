"""Faults that no line of the platform knows by name: the figures tell of each within three minutes."""

import os
import re
import signal
import socket
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from stichkampf_platform.supervisor import preparation
from support import children_of, command_of, wait_until

TOLD_SECONDS = 150
"""From the fault to its figure, of which an alert comes within 30 s, so within three minutes in all."""
STILL_SECONDS = 90
BOTS = ["random", "timid", "bold", "thumb"]
END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
NOTICE = """
from stichkampf_platform.people.models import Notice, User
from stichkampf_platform.core import clock
Notice.objects.create(person=User.objects.first(), title="Hello", text="Hello.",
    mail_to="karla@example.org", mail_due_at=clock.now())
"""
LISTEN = """
from stichkampf_platform.celery_app import app
app.control.{verb}_consumer("matches", reply=True, timeout=5)
app.control.{verb}_consumer("matches." + __import__("platform").node(), reply=True, timeout=5)
"""
pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800), pytest.mark.xdist_group("supervised")]


class Site:
    """A supervised platform with more to play than a night has time for.

    :ivar database: a connection of an administrator, with autocommit.
    """

    def __init__(self, platform, database):
        self.platform, self.database = platform, database

    def figures(self):
        """Return what Prometheus would read; None where it would read nothing."""
        try:
            address = f"{self.platform.installation.address}metrics"
            with urllib.request.urlopen(address, timeout=10) as answer:
                return answer.read().decode()
        except (OSError, urllib.error.URLError):
            return None

    def told(self):
        """Name what the figures say that is wrong, in the words of the rules of deploy/monitoring."""
        text = self.figures()
        if text is None:
            return {"the site does not answer"}
        found = {
            f"{kind} stand still"
            for kind, seconds in re.findall(r'work_still_seconds{kind="(\w+)"} ([\d.e+]+)', text)
            if float(seconds) > STILL_SECONDS
        }
        for name in ("redis_up", "arbiter_up", "schema_current"):
            if re.search(rf"^stichkampf_{name} 0", text, re.MULTILINE):
                found.add(f"{name} 0")
        return found

    def program(self, name):
        return wait_until(lambda: self.platform.program(name), goal=f"{name} runs")

    def shell(self, code):
        preparation.manage(self.platform.installation, ("shell", "--no-imports", "-c", code))

    def redis(self, *words):
        """Send Redis a command, as its administrator types it."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(5)
            client.connect(str(self.platform.installation.redis_socket))
            for line in words:
                client.sendall(f"{line}\r\n".encode())
                assert client.recv(256)[:1] in b"+:"

    def moves(self):
        """Wait until the site tells nothing any more, and another table has landed."""
        count = "SELECT count(*) FROM tournaments_table WHERE state = 'done'"
        (before,) = self.database.execute(count).fetchone()

        def on_again():
            return self.database.execute(count).fetchone()[0] > before and not self.told()

        wait_until(on_again, 300, goal="work goes on, and nothing is told")


@pytest.fixture(scope="module")
def site(postgresql, start_platform):
    with psycopg.connect(f"{postgresql}postgres", autocommit=True) as server:
        server.execute("CREATE DATABASE told")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sk-told-")))
        folder.chmod(0o755)
        silent = stack.enter_context(socket.socket())
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        mail = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(silent.getsockname()[1])}
        platform = stack.enter_context(
            start_platform(folder, DATABASE_URL=f"{postgresql}told", **mail, EMAIL_FROM="cards@example.org")
        )
        database = stack.enter_context(closing(psycopg.connect(f"{postgresql}told", autocommit=True)))
        platform.make_tournament(
            platform.administrator(), name="Night", slug="night", game="sticheln", seats=4,
            options='{"length": "deals:6"}', blocks_planned=1500, bots=BOTS,
        )  # fmt: skip
        yield Site(platform, database)


@contextmanager
def stopped(pids):
    """Stop processes as a debugger or a full memory group does: they are there and do nothing."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def frozen_worker(site):
    return stopped(site.program("worker"))


def frozen_house(site):
    """The process of the house bots: the arbiter answers, and no match ends."""
    everything = [pid for parent in site.program("arbiter") for pid in (parent, *children_of(parent))]
    return stopped({pid for pid in everything if "stichkampf.house" in command_of(pid)})


def frozen_redis(site):
    return stopped(site.program("redis"))


@contextmanager
def new_password_of_redis(site):
    site.redis("CONFIG SET requirepass another", "AUTH another", "CLIENT KILL TYPE normal SKIPME yes")
    yield
    site.redis("AUTH another", 'CONFIG SET requirepass ""')


@contextmanager
def locked_table(site):
    """A statement of an administrator, forgotten in a transaction."""
    with psycopg.connect(site.database.info.dsn) as other:
        other.execute("LOCK TABLE tournaments_table IN SHARE MODE")
        yield
        other.rollback()


@contextmanager
def database_for_reading_only(site):
    """As after a switch to a standby that nobody has promoted."""
    site.database.execute("ALTER DATABASE told SET default_transaction_read_only = on")
    site.database.execute(END_OTHERS)
    yield
    site.database.execute("ALTER DATABASE told RESET default_transaction_read_only")
    site.database.execute(END_OTHERS)


@contextmanager
def standby_that_lags(site):
    """Every commit waits for a standby that does not follow."""
    site.database.execute("ALTER DATABASE told SET synchronous_commit = on")
    site.database.execute(END_OTHERS)
    site.database.execute("ALTER SYSTEM SET synchronous_standby_names = 'gone'")
    site.database.execute("SELECT pg_reload_conf()")
    yield
    site.database.execute("ALTER SYSTEM RESET synchronous_standby_names")
    site.database.execute("SELECT pg_reload_conf()")


@contextmanager
def store_that_is_not_mounted(site):
    store = site.platform.installation.state / "store"
    away = store.with_name("away")
    store.rename(away)
    store.write_bytes(b"")
    yield
    store.unlink()
    away.rename(store)


@contextmanager
def queue_nobody_listens_to(site):
    site.shell(LISTEN.format(verb="cancel"))
    yield
    site.shell(LISTEN.format(verb="add"))


@contextmanager
def migration_half_done(site):
    site.database.execute("ALTER TABLE tournaments_table RENAME COLUMN lease_owner TO lease_holder")
    yield
    site.database.execute("ALTER TABLE tournaments_table RENAME COLUMN lease_holder TO lease_owner")


@contextmanager
def mail_server_that_never_answers(site):
    site.shell(NOTICE)
    yield
    site.database.execute("DELETE FROM people_notice")


FAULTS = {
    frozen_worker: "matches stand still",
    frozen_house: "matches stand still",
    frozen_redis: "redis_up 0",
    new_password_of_redis: "redis_up 0",
    locked_table: "matches stand still",
    database_for_reading_only: "matches stand still",
    standby_that_lags: "matches stand still",
    store_that_is_not_mounted: "files stand still",
    queue_nobody_listens_to: "matches stand still",
    migration_half_done: "the site does not answer",
    mail_server_that_never_answers: "mails stand still",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_that_nobody_foresaw_is_told(site, fault):
    site.moves()
    with fault(site):
        began = time.monotonic()

        def told():
            return FAULTS[fault] in site.told()

        wait_until(told, TOLD_SECONDS, goal=f"{FAULTS[fault]} is told")
        print(f"{fault.__name__}: {sorted(site.told())} after {time.monotonic() - began:.0f} s")
