"""A whole installation: the real programs, on SQLite or PostgreSQL, driven over HTTP as by a stranger."""

import http.cookiejar
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.installation import SECRETS, Installation, checkout
from stichkampf_platform.supervisor.launch import launch
from stichkampf_platform.supervisor.services import arbiter, redis, site, workers
from support import free_port

ORDER = ("", "sqlite", "postgresql")
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


def pytest_collection_modifyitems(items):
    """One installation at a time: first the tests that need none, then those on SQLite, then PostgreSQL."""

    def database(item):
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        return ORDER.index(parameters.get("installation", ""))

    items.sort(key=database)


def wait_until(what, true, seconds=120):
    """Poll until it holds; the value that it then has."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = true()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds} s: {what}")


class Visitor:
    """A browser without a window: pages, forms and cookies; the API with a token."""

    def __init__(self, address):
        self.address = address.rstrip("/")
        self.token = ""
        jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(jar)
        )

    def open(self, path, body=None, **headers):
        """Status and text of an answer."""
        headers = {key.replace("_", "-"): value for key, value in headers.items()}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.address + path, data=body, headers=headers)
        try:
            with self.opener.open(request, timeout=120) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def page(self, path):
        status, text = self.open(path)
        assert status == 200, (path, status, text[:500])
        return text

    def api(self, path):
        return json.loads(self.page(path))

    def send(self, path, **fields):
        """Fill in the form of a page and send it; the page that comes back."""
        secret = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.page(path))[1]
        body = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": secret}, doseq=True).encode()
        status, text = self.open(path, body, Referer=self.address + path)
        assert status == 200, (path, status, text[:500])
        return text

    def connect(self, slug, **wanted):
        """Make a remote version over the API; the answer, once it can say where to dial."""
        wait_until("the platform knows where to dial", lambda: "dial in at" in self.page("/remote/"))
        status, text = self.open(
            f"/api/bots/{slug}/remote/", json.dumps(wanted).encode(), Content_Type="application/json"
        )
        assert status == 201, text
        return json.loads(text)

    def submit(self, slug, archive):
        """Submit an archive over the API; status and answer."""
        mark = "-----------a-mark-that-no-archive-holds"
        head = f'--{mark}\r\nContent-Disposition: form-data; name="archive"; filename="{slug}.zip"\r\n\r\n'
        body = head.encode() + archive + f"\r\n--{mark}--\r\n".encode()
        status, text = self.open(
            f"/api/bots/{slug}/versions/", body, Content_Type=f"multipart/form-data; boundary={mark}"
        )
        return status, json.loads(text)


class ProgramsOfMakeUp:
    """The programs of `make up`, each of which a test may kill and start again."""

    def __init__(self, place):
        self.place = place
        self.services = {
            service.name: service for service in [redis(place), arbiter(place), *workers(), site(place)]
        }
        self.running = {}
        self.password = ""
        self.lock = threading.RLock()
        self.ending = threading.Event()
        self.keeper = threading.Thread(target=self._keep, daemon=True)

    def up(self):
        self.place.prepare_folders()
        self.start("redis")
        for command in (
            ("migrate", "--no-input", "-v0"),
            ("collectstatic", "--no-input", "-v0"),
            ("seed_house",),
        ):
            preparation.manage(self.place, command)
        self.password = preparation.password_in(preparation.manage(self.place, ("create_admin",)))
        for name in self.services:
            if name != "redis":
                self.start(name)
        self.keeper.start()

    def start(self, name):
        service = self.services[name]
        with self.lock:
            with (self.place.logs / f"{name}.log").open("ab") as log:
                self.running[name] = launch(
                    self.place, service.command, log, keeps_root=service.keeps_root, secrets=service.secrets
                )
            wait_until(f"{name} is ready", service.ready)

    def kill(self, name):
        """SIGKILL to the program and all its children, as a crash would."""
        with self.lock:
            process = self.running.pop(name)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def restart(self, name):
        with self.lock:
            self.kill(name)
            self.start(name)

    def down(self):
        self.ending.set()
        if self.keeper.is_alive():
            self.keeper.join()
        for name in reversed(list(self.running)):
            self.kill(name)

    def _keep(self):
        """Start again what has ended by itself, as the supervisor does."""
        while not self.ending.wait(0.2):
            with self.lock:
                for name in [name for name, process in self.running.items() if process.poll() is not None]:
                    self.start(name)

    wait_until = staticmethod(wait_until)

    def visitor(self):
        return Visitor(self.place.address)

    def administrator(self):
        admin = self.visitor()
        admin.send("/admin/login/", username="admin", password=self.password, next="/admin/")
        return admin

    def first_page(self, admin):
        """Of the administration, once the arbiter has told it how bots are contained."""

        def told():
            page = admin.page("/admin/")
            return page if "sandbox: " in page else ""

        return wait_until("the arbiter has answered", told)

    def make_tournament(self, admin, *, bots, **fields):
        """Make a tournament in the administration, as an organiser does, and start it."""
        path = "/admin/tournaments/tournament/add/"
        ids = dict(re.findall(r'<option value="(\d+)"[^>]*>([^<]+)</option>', admin.page(path)))
        entrants = [number for number, version in ids.items() if version.split(" v")[0] in bots]
        settings = {
            "format": "round-robin", "stopping": "fixed", "rated": "on", "published": "on",
            "move_seconds": "2", "bank_seconds": "10", "cap_seconds": "5", "fault_allowance": "2", **fields,
        }  # fmt: skip
        answer = admin.send(path, **settings, entrants=entrants)
        assert "was added successfully" in answer, re.findall(r"errorlist[^>]*>(.*?)</ul>", answer, re.S)
        self.act(admin, "tournaments/tournament", "start", fields["slug"])

    def act(self, admin, model, action, row):
        """Apply an action of the administration to the row that shows this text."""
        path = f"/admin/{model}/"
        found = re.search(
            rf'<tr>.*?name="_selected_action" value="(\d+)".*?{row}', admin.page(f"{path}?q={row}"), re.S
        )
        return admin.send(path, action=action, _selected_action=found[1], index="0")

    def progress(self, slug):
        return self.visitor().api(f"/api/tournaments/{slug}/")


class Upheld(ProgramsOfMakeUp):
    """What `make up` runs: the supervisor itself starts the programs, and starts again what a test kills."""

    def up(self):
        self.place.prepare_folders()
        environment = {
            **os.environ,
            "STICHKAMPF_VAR": str(self.place.var),
            "STICHKAMPF_PORT": str(self.place.port),
        }
        with self.said.open("wb") as output:
            self.supervisor = subprocess.Popen(
                [sys.executable, "-m", "stichkampf_platform.supervisor"],
                cwd=self.place.root, env=environment, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
        welcome = wait_until("the platform is up", self._welcome, seconds=300)
        shown = re.search(r"password (\S+) \(shown this once", welcome)
        self.password = shown[1] if shown else ""

    @property
    def said(self):
        return self.place.logs / "supervisor.log"

    def _welcome(self):
        assert self.supervisor.poll() is None, self.said.read_text()
        text = self.said.read_text()
        return text if "Ctrl-C" in text else ""

    def program(self, name):
        """The process of a service, and its children; nothing while it is dead."""
        mark = {
            "worker": "worker@%h",
            "maintenance": "maintenance@%h",
            "beat": "beat",
            "redis": "redis-server",
        }
        mark |= {"arbiter": "stichkampf_arbiter", "site": "stichkampf_platform.serving"}
        (keeper,) = children(self.supervisor.pid)[:1] or [0]
        for pid in children(keeper):
            words = words_of(pid)
            if mark[name] in words or any(word.endswith(f"/{mark[name]}") for word in words):
                return [pid, *children(pid)]
        return []

    def down(self):
        if self.supervisor.poll() is None:
            self.supervisor.terminate()
        self.supervisor.wait(timeout=120)


def children(pid):
    """The processes that a process has started; nothing where it has died."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def words_of(pid):
    """With what a program was started; nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().replace("\0", " ").split()
    except (FileNotFoundError, ProcessLookupError):
        return []


@pytest.fixture(scope="package")
def play_from_home(tmp_path_factory):
    """Runs a bot as the API says when it makes a remote version; yields the process and its folder."""

    @contextmanager
    def play_from_home(bot, made):
        folder = tmp_path_factory.mktemp("home")
        (folder / "bot.py").write_text(bot)
        (folder / "token").write_text(made["token"])
        said = folder / "said"
        program, *words = made["command"].split()
        assert program == "stichkampf"
        with said.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", program, *words, "--token-file", "token"],
                cwd=folder, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
        try:
            wait_until("the bot is connected", lambda: "connected to" in said.read_text())
            yield process, folder
        finally:
            process.kill()
            process.wait()

    return play_from_home


@pytest.fixture(scope="package")
def postgresql():
    """A throw-away cluster; its address, to which the name of a database is added."""
    assert POSTGRES, "PostgreSQL is missing: install Debian's postgresql"
    folder = Path(tempfile.mkdtemp(prefix="sk-pg-"))
    user = {}
    if os.geteuid() == 0:  # initdb refuses root
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    port = free_port()
    programs_folder = POSTGRES[-1]
    subprocess.run(
        [programs_folder / "initdb", "-D", folder / "data", "-U", "stichkampf", "-A", "trust", "-N"],
        check=True, capture_output=True, cwd="/", **user,
    )  # fmt: skip
    options = [("listen_addresses", "127.0.0.1"), ("unix_socket_directories", ""), ("fsync", "off")]
    # rows that a test has not committed look to its statistics like an empty table: joins then take minutes
    options += [("autovacuum", "off")]
    server = subprocess.Popen(
        [programs_folder / "postgres", "-D", folder / "data", "-p", str(port)]
        + [word for name, value in options for word in ("-c", f"{name}={value}")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **user,
    )  # fmt: skip
    ask = [programs_folder / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    try:
        wait_until("PostgreSQL is ready", lambda: subprocess.run(ask, check=False).returncode == 0)
        yield f"postgres://stichkampf@127.0.0.1:{port}/"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
        shutil.rmtree(folder)


@pytest.fixture(scope="package", params=["sqlite", "postgresql"])
def installation(request):
    """A platform that is up, with house bots and nothing else."""
    with pytest.MonkeyPatch.context() as environment:
        for name in (*SECRETS, "STICHKAMPF_STATE_DIR"):
            environment.delenv(name, raising=False)
        if request.param == "postgresql":
            environment.setenv("DATABASE_URL", _fresh_database(request.getfixturevalue("postgresql"), "road"))
        yield from _installed(ProgramsOfMakeUp)


@pytest.fixture(scope="module")
def upheld(postgresql):
    """What `make up` starts, on a PostgreSQL database of its own called kills."""
    with pytest.MonkeyPatch.context() as environment:
        for name in (*SECRETS, "STICHKAMPF_STATE_DIR", "MAKELEVEL"):
            environment.delenv(name, raising=False)
        environment.setenv("DATABASE_URL", _fresh_database(postgresql, "kills"))
        yield from _installed(Upheld)


@pytest.fixture(scope="module")
def put_up():
    """Puts up what `make up` starts in a folder, with these settings."""

    @contextmanager
    def put_up(folder, **settings):
        with pytest.MonkeyPatch.context() as environment:
            for name in (*SECRETS, "STICHKAMPF_STATE_DIR", "MAKELEVEL"):
                environment.delenv(name, raising=False)
            for name, value in settings.items():
                environment.setenv(name, value)
            yield from _in(folder, Upheld)

    return put_up


def _fresh_database(server, name):
    """The address of an empty database. An installation that is put up again does not find what it left."""
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}{name}"


def _installed(kind):
    folder = Path(tempfile.mkdtemp(prefix="sk-road-"))
    try:
        yield from _in(folder, kind)
    finally:
        shutil.rmtree(folder)


def _in(folder, kind):
    port = free_port()
    place = Installation.from_environment(
        {"STICHKAMPF_VAR": str(folder), "STICHKAMPF_PORT": str(port)}, checkout()
    )
    stack = kind(place)
    try:
        stack.up()
        yield stack
    finally:
        stack.down()
