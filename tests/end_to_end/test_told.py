"""Faults that no line of the platform knows by name: Prometheus, with the rules of deploy/monitoring, tells
of each within three minutes.
"""

import asyncio
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest
from stichkampf_platform.supervisor import preparation
from support import wait_until

from benchmarks.play.people import Person, Seen

from .karl import archive_of
from .watched import watched_site

TOLD_SECONDS = 180
BOTS = ["random", "timid", "bold", "thumb"]
END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
DIGEST = "SELECT v.digest FROM bots_version v JOIN bots_bot b ON b.id = v.bot_id WHERE b.slug = 'lost'"
COPIES = "DELETE FROM storage_storedfile WHERE copied_at IS NOT NULL"
LOST = """
from stichkampf import Bot

class Lost(Bot):
    def choose(self, table):
        return min(table.legal)
"""
NOTICE = """
from stichkampf_platform.people.models import Notice, User
from stichkampf_platform.core import clock
Notice.objects.create(person=User.objects.first(), title="Hello", text="Hello.",
    mail_to="karla@example.org", mail_due_at=clock.now())
"""
pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800), pytest.mark.xdist_group("supervised")]


@pytest.fixture(scope="module")
def site(postgresql, start_platform):
    """A platform with more to play than a night has time for, and mails that no server takes."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sk-told-")))
        folder.chmod(0o755)
        silent = stack.enter_context(socket.socket())
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        mail = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(silent.getsockname()[1])}
        site = stack.enter_context(
            watched_site(folder, start_platform, postgresql, "told", **mail, EMAIL_FROM="cards@example.org")
        )
        make_tournament(site, "night", blocks=3000, bots=BOTS)
        yield site


def make_tournament(site, slug, *, blocks, bots):
    site.platform.make_tournament(
        site.admin, name=slug.capitalize(), slug=slug, game="sticheln", seats=4,
        options='{"length": "deals:6"}', blocks_planned=blocks, bots=bots,
    )  # fmt: skip


def statements(wrong, right):
    """Plant and mend a fault with statements of an administrator."""

    @contextmanager
    def plant(site):
        site.sql(*wrong)
        try:
            yield
        finally:
            site.sql(*right)

    return plant


def left_open(statement):
    """Leave a transaction with this statement open, as a forgotten terminal does."""

    @contextmanager
    def plant(site):
        with psycopg.connect(site.database.info.dsn) as other:
            other.execute(statement)
            yield
            other.rollback()

    return plant


def frozen(name):
    """Stop a program as a debugger or a full memory group does: it is there and does nothing."""
    return lambda site: stopped(site.program(name)[0])


@contextmanager
def stopped(pid):
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def validation_frozen(site):
    with frozen("validation")(site):
        assert site.platform.member("karla").submit("karl", archive_of())[0] == 201
        site.platform.approve_where_asked("karl")
        yield


@contextmanager
def password_of_redis_changed(site):
    site.redis("CONFIG SET requirepass another", "AUTH another", "CLIENT KILL TYPE normal SKIPME yes")
    try:
        yield
    finally:
        site.redis("AUTH another", 'CONFIG SET requirepass ""')


@contextmanager
def rights_in_redis_taken_away(site):
    """Messages are queued and nobody may take them."""
    site.redis("ACL SETUSER default -brpop")
    try:
        yield
    finally:
        site.redis("ACL SETUSER default +brpop")


@contextmanager
def socket_of_the_arbiter_swept_away(site):
    """As by what cleans folders of temporary files."""
    (site.platform.installation.arbiter_socket).unlink()
    try:
        yield
    finally:
        os.kill(site.program("arbiter")[0], signal.SIGKILL)


@contextmanager
def store_not_mounted(site):
    store = site.platform.installation.state / "store"
    away = store.with_name("away")
    store.rename(away)
    store.write_bytes(b"")
    try:
        yield
    finally:
        store.unlink()
        away.rename(store)


@contextmanager
def store_without_an_inode_left(site):
    store = site.platform.installation.state / "store"
    owner = store.stat()
    label = (store / "installation.txt").read_bytes()
    options = f"nr_inodes=2,mode=755,uid={owner.st_uid},gid={owner.st_gid}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", store], check=True)
    try:
        (store / "installation.txt").write_bytes(label)
        yield
    finally:
        subprocess.run(["umount", "--lazy", store], check=True)


@contextmanager
def mail_server_that_never_answers(site):
    preparation.manage(site.platform.installation, ("shell", "--no-imports", "-c", NOTICE))
    try:
        yield
    finally:
        site.sql("DELETE FROM people_notice")


@contextmanager
def hub_frozen_at_a_table(site):
    """A person has sat down, and nothing of what they press reaches the arbiter any more."""
    guest = Person(site.platform.installation.port, 1, ["stiche-raten"], level="even", pause=0)
    asyncio.run(guest.sit_down(Seen()))
    with frozen("hub")(site):
        yield


@contextmanager
def queue_of_another_type(site):
    """As another program's key of the same name makes it."""
    site.redis("DEL matches", "SET matches lost")
    try:
        yield
    finally:
        site.redis("DEL matches")


@contextmanager
def sessions_locked(site):
    """A forgotten terminal holds the sessions, so that whoever is signed in waits for pages in vain."""
    over = threading.Event()

    def ask():
        while not over.is_set():
            site.admin.get("/account/")

    with left_open("LOCK TABLE django_session")(site), ThreadPoolExecutor(4) as people:
        for _ in range(4):
            people.submit(ask)
        try:
            yield
        finally:
            over.set()


@contextmanager
def archive_gone_for_one_tournament(site):
    """Everything else is played; one whose archive was gone before its start would not have begun."""
    site.platform.approved(LOST, ["sticheln"], "eve/lost")
    ((digest,),) = site.database.execute(DIGEST).fetchall()
    copied = f"{COPIES} AND name LIKE '%{digest}%'"
    wait_until(lambda: site.database.execute(copied).rowcount, 120, goal="the archive is in the store")
    (archive,) = (site.platform.installation.state / "store").rglob(f"*{digest}*")
    away = site.platform.installation.state / "away"
    with frozen("worker")(site):
        make_tournament(site, "lost", blocks=3, bots=["lost", *BOTS[:3]])
        archive.rename(away)
    try:
        yield
    finally:
        away.rename(archive)


def refused(table):
    """Have the database refuse what is added to a table, as a damaged index does."""
    return statements(
        [
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " 'BEGIN RAISE EXCEPTION ''could not extend the file''; END'",
            f"CREATE TRIGGER refused BEFORE INSERT ON {table} EXECUTE FUNCTION refuse()",
        ],
        [f"DROP TRIGGER refused ON {table}"],
    )


MATCHES = "StichkampfWorkStandsStill matches"
FAULTS = {
    "worker frozen": (frozen("worker"), MATCHES),
    "validation frozen": (validation_frozen, "StichkampfWorkStandsStill validations"),
    "Redis frozen": (frozen("redis"), "StichkampfRedisDown"),
    "password of Redis changed": (password_of_redis_changed, "StichkampfRedisDown"),
    "rights in Redis taken away": (rights_in_redis_taken_away, MATCHES),
    "socket of the arbiter swept away": (socket_of_the_arbiter_swept_away, "StichkampfArbiterDown"),
    "table locked": (left_open("LOCK TABLE tournaments_table IN SHARE MODE"), MATCHES),
    # blocks that have begun go on, and no sweep ends
    "rows locked": (left_open("SELECT 1 FROM tournaments_tournament FOR UPDATE"), "StichkampfNoBeat"),
    # as after a switch to a standby that nobody has promoted
    "database for reading only": (
        statements(
            ["ALTER DATABASE told SET default_transaction_read_only = on", END_OTHERS],
            ["ALTER DATABASE told RESET default_transaction_read_only", END_OTHERS],
        ),
        MATCHES,
    ),
    "standby that does not follow": (
        statements(
            [
                "ALTER DATABASE told SET synchronous_commit = on",
                "ALTER SYSTEM SET synchronous_standby_names = 'gone'",
                "SELECT pg_reload_conf()",
                END_OTHERS,
            ],
            ["ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"],
        ),
        MATCHES,
    ),
    "migration half done": (
        statements(
            ["ALTER TABLE tournaments_table RENAME COLUMN lease_owner TO lease_holder"],
            ["ALTER TABLE tournaments_table RENAME COLUMN lease_holder TO lease_owner"],
        ),
        MATCHES,
    ),
    "sequence behind its rows": (
        statements(
            ["SELECT setval('tournaments_matchrecord_id_seq', 1)"],
            ["SELECT setval('tournaments_matchrecord_id_seq', max(id)) FROM tournaments_matchrecord"],
        ),
        MATCHES,
    ),
    "store not mounted": (store_not_mounted, "StichkampfWorkStandsStill files"),
    "store without an inode left": (store_without_an_inode_left, "StichkampfWorkStandsStill files"),
    "hub frozen at a table": (hub_frozen_at_a_table, "StichkampfHubDown"),
    "snapshots refused": (refused("ratings_snapshot"), "StichkampfWorkStandsStill publications"),
    "queue of another type": (queue_of_another_type, MATCHES),
    "archive gone for one tournament": (
        archive_gone_for_one_tournament,
        "StichkampfWorkStandsStill archives",
    ),
    "sessions locked": (sessions_locked, "StichkampfPagesFail"),
    "mail server that never answers": (mail_server_that_never_answers, "StichkampfWorkStandsStill mails"),
}


HELD_UP = {"table locked", "rows locked", "sessions locked"}
"""Faults whose cause the doctor names, too."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_nobody_foresaw_is_told(site, fault):
    plant, alert = FAULTS[fault]
    site.go_on(alert)
    with plant(site):
        began, landed = time.monotonic(), site.landed()
        try:
            wait_until(lambda: alert in site.told(), TOLD_SECONDS, goal=alert)
        finally:
            after, more = time.monotonic() - began, site.landed() - landed
            causes = site.doctor()
            print(
                f"{fault}: {sorted(site.told())} after {after:.0f} s, and {more} tables;"
                f" status page: {sorted(site.disrupted())}, doctor: {sorted(causes)}"
            )
        assert fault not in HELD_UP or "a transaction that others wait for" in causes
