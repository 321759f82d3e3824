"""Fixtures of the end-to-end tests: databases, running platforms, and bots that play from home."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from stichkampf_platform.supervisor.installation import SECRETS, Installation, checkout
from support import Program, free_port, wait_until

from .karl import archive_of
from .running_platform import RunningPlatform, SupervisedPlatform

DATABASES = ("", "sqlite", "postgresql")
LAST = "test_documented_commands.py"
"""Its bots play all games, and would be drawn on the ladders of other tests."""
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


def pytest_collection_modifyitems(items):
    """Run one platform at a time: first the tests that need none, then those on SQLite, then PostgreSQL."""

    def database(item):
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        return DATABASES.index(parameters.get("platform", ""))

    items.sort(key=lambda item: (database(item), item.path.name == LAST))


@pytest.fixture(scope="package")
def play_from_home(tmp_path_factory):
    """Run a bot with the command of the API's answer; yields the program and its folder."""

    @contextmanager
    def play_from_home(bot, made):
        folder = tmp_path_factory.mktemp("home")
        (folder / "bot.py").write_text(bot)
        (folder / "token").write_text(made["token"])
        program, *words = made["command"].split()
        assert program == "stichkampf"
        command = [sys.executable, "-m", program, *words, "--token-file", "token"]
        with Program(command, folder / "log", cwd=folder, ready="connected to") as running:
            yield running, folder

    return play_from_home


class PostgresServer:
    """A throw-away PostgreSQL server.

    :ivar address: to which a database's name is added.
    """

    def __init__(self):
        assert POSTGRES, "PostgreSQL is missing: install Debian's postgresql"
        self.programs = POSTGRES[-1]
        self.folder = Path(tempfile.mkdtemp(prefix="sk-pg-"))
        self.user = {}
        if os.geteuid() == 0:  # initdb refuses root
            entry = pwd.getpwnam("nobody")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.port = free_port()
        self.address = f"postgres://stichkampf@127.0.0.1:{self.port}/"
        subprocess.run(
            [self.programs / "initdb", "-D", self.folder / "data", "-U", "stichkampf", "-A", "trust", "-N"],
            check=True, capture_output=True, cwd="/", **self.user,
        )  # fmt: skip

    def start(self):
        options = [("listen_addresses", "127.0.0.1"), ("unix_socket_directories", ""), ("fsync", "off")]
        options += [("synchronous_commit", "off"), ("full_page_writes", "off")]
        # to its statistics, rows that are not committed look like an empty table: joins then take minutes
        options += [("autovacuum", "off")]
        self.process = subprocess.Popen(
            [self.programs / "postgres", "-D", self.folder / "data", "-p", str(self.port)]
            + [word for name, value in options for word in ("-c", f"{name}={value}")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **self.user,
        )  # fmt: skip
        ask = [self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        wait_until(lambda: subprocess.run(ask, check=False).returncode == 0, goal="PostgreSQL is ready")

    def stop(self, how):
        """Stop it: SIGINT ends connections, SIGQUIT is the stop that it calls immediate."""
        self.process.send_signal(how)
        self.process.wait()


@pytest.fixture(scope="package")
def postgres_server():
    """A running server, which a test may stop and start again."""
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.stop(signal.SIGINT)
        shutil.rmtree(server.folder)


@pytest.fixture(scope="package")
def postgresql(postgres_server):
    """The address of a throw-away PostgreSQL server, to which a database's name is added."""
    return postgres_server.address


@pytest.fixture(scope="package", params=[pytest.param("sqlite", marks=pytest.mark.nightly), "postgresql"])
def platform(request):
    """A running platform with house bots and nothing else.

    Only tests that ask for SQLite run on it in the suite, `make nightly` runs the others on it too.
    """
    with pytest.MonkeyPatch.context() as environment:
        for name in (*SECRETS, "STICHKAMPF_STATE_DIR"):
            environment.delenv(name, raising=False)
        if request.param == "postgresql":
            server = request.getfixturevalue("postgresql")
            environment.setenv("DATABASE_URL", _fresh_database(server, "end_to_end"))
        with _in_a_folder_of_its_own(RunningPlatform) as platform:
            yield platform


@pytest.fixture(scope="package")
def stranger(platform):
    """An author called karla, who has signed up on the site."""
    karla = platform.visitor()
    karla.sign_up("karla")
    return karla


@pytest.fixture(scope="package")
def karl(platform, stranger):
    """The submission of karla's bot, validated."""
    return platform.validated(stranger, "karl", archive_of())


@pytest.fixture(scope="module")
def supervised(postgresql):
    """A platform that the supervisor runs, on a PostgreSQL database of its own called kills."""
    address = _fresh_database(postgresql, "kills")
    with _clean_environment(DATABASE_URL=address), _in_a_folder_of_its_own(SupervisedPlatform) as platform:
        yield platform


@pytest.fixture(scope="module")
def start_platform():
    """Start a supervised platform in a folder, with these settings.

    `root` is the checkout whose programs it runs, and `port` its port, where they are not any.
    """

    @contextmanager
    def start_platform(folder, *, root=None, port=0, **settings):
        with (
            _clean_environment(**settings),
            _in_folder(folder, SupervisedPlatform, root, port) as platform,
        ):
            yield platform

    return start_platform


@contextmanager
def _clean_environment(**settings):
    with pytest.MonkeyPatch.context() as environment:
        for name in (*SECRETS, "STICHKAMPF_STATE_DIR", "MAKELEVEL"):
            environment.delenv(name, raising=False)
        for name, value in settings.items():
            environment.setenv(name, value)
        yield


def _fresh_database(server, name):
    """Make an empty database and return its address. One that an earlier platform left is dropped."""
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}{name}"


@contextmanager
def _in_a_folder_of_its_own(kind):
    folder = Path(tempfile.mkdtemp(prefix="sk-e2e-"))
    try:
        with _in_folder(folder, kind) as platform:
            yield platform
    finally:
        shutil.rmtree(folder)


@contextmanager
def _in_folder(folder, kind, root=None, port=0):
    settings = {"STICHKAMPF_VAR": str(folder), "STICHKAMPF_PORT": str(port or free_port())}
    platform = kind(Installation.from_environment(settings, root or checkout()))
    try:
        platform.up()
        yield platform
    finally:
        platform.down()
