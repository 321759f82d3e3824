"""One installation on several hosts: the head has database, queue, store and site, each node plays tables."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psycopg
from stichkampf_platform.supervisor.installation import SERVICE_UID, checkout
from stichkampf_platform.supervisor.redis import newest_server

from benchmarks.nodes.bucket import start_bucket
from benchmarks.nodes.hosts import NETWORK, Host, Network

POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
DATABASE, DATABASE_USER, POSTGRES_USER = "nodes", "stichkampf", "nobody"
READY_SECONDS = 120.0
ALWAYS = 'while :; do "$@"; sleep 0.5; done'
"""A shell's words that start a program again where it ends, as its unit of systemd does."""
BOT_UIDS = 4_000
"""Uids of bots on each host: hosts of one machine share its users."""


CELERY = (sys.executable, "-m", "celery", "--app", "stichkampf_platform.celery_app", "--skip-checks")


class Machines(Network):
    """The hosts of an installation and their programs.

    :ivar nodes: the hosts that play tables.
    :ivar folder: everything that they write.
    :ivar database: the host of the database.
    :ivar bucket: the host of the store, where that is a bucket.
    :param blocks_at_once: blocks that each node plays at once, and no more.
    :param settings: further settings of all programs.
    """

    def __init__(self, *, blocks_at_once: int = 1, settings: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.blocks_at_once = blocks_at_once
        self.settings = dict(settings or {})
        self.folder = Path(tempfile.mkdtemp(prefix="sk-nodes-"))
        self.callback(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.secret = secrets.token_urlsafe(40)
        self.settings_of_hosts: dict[str, dict[str, str]] = {}
        self.nodes: list[Host] = []
        self.databases: list[Host] = []

    def start_head(self, *databases: str, bucket: str = "") -> None:
        """Start the host of queue, store and site, and the programs there.

        :param databases: hosts of the database and of its standby; without any it is on the head.
        :param bucket: host of the store, which is a bucket then; without it the store is a folder.
        """
        self.start_servers(*databases, bucket=bucket)
        self.manage("upgrade")
        for name in ("arbiter", "maintenance", "beat", "site"):
            self.run(self.head, name)

    def start_servers(self, *databases: str, bucket: str = "") -> None:
        """Start database, queue and store, as for `start_head`."""
        head = self.head = self.add("head")
        if bucket:
            self.bucket = self.add(bucket)
            self.store = start_bucket(self.bucket, self.make_folder(bucket), self.log(self.bucket, "bucket"))
        else:
            self.store = {"STICHKAMPF_STORE": str(self.make_folder("store"))}
        self.databases = [self.add(name) for name in databases] or [head]
        self.database, *standbys = self.databases
        self.make_database(self.database)
        self.sql(f"CREATE DATABASE {DATABASE}", name="postgres")
        for standby in standbys:
            self.make_standby(standby)
        self.start_redis()

    def start_node(self, name: str) -> Host:
        """Start a node, and wait until its arbiter has said how well it contains bots."""
        node = self.add(name)
        self.nodes.append(node)
        self.run_node(node)
        return node

    def run_node(self, node: Host, **settings: str) -> None:
        """Start the programs of a node, also on a host that has been started again.

        :param settings: variables of the environment of this node alone.
        """
        self.settings_of_hosts[node.name] = settings
        self.run(node, "arbiter")
        self.run(node, "worker")
        self.wait_for(lambda: node.name in self.levels(), f"the node {node.name} reports itself")

    def levels(self) -> dict[str, str]:
        """Return the sandbox level of each node that has reported itself lately, by its name."""
        return dict(
            self.sql(
                "SELECT name, sandbox_level FROM core_node"
                " WHERE arbiter_answers AND seen_at > clock_timestamp() - interval '15 seconds'"
            )
        )

    def sql(self, query: str, *values: object, name: str = DATABASE) -> list[tuple[Any, ...]]:
        """Ask the database, through the socket file of its host."""
        place = str(self.folder / self.database.name / "sockets")
        with psycopg.connect(host=place, user=DATABASE_USER, dbname=name, autocommit=True) as connection:
            cursor = connection.execute(query, values or None)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def run(self, host: Host, program: str) -> subprocess.Popen[bytes]:
        """Start a program of the platform on a host."""
        state = self.make_folder(f"{host.name}/state")
        self.make_folder(f"{host.name}/run")
        command, environment = self._commands(host)[program], self.environment(host)
        keeps_root = program == "arbiter"  # which gives it up itself
        command = ["sh", "-c", ALWAYS, program, *(command if keeps_root else _as_user(command))]
        return host.run(command, environment, self.log(host, program), folder=state)

    def log(self, host: Host, program: str) -> Path:
        """Return the file with the output of a program."""
        return self.folder / f"{host.name}-{program}.log"

    def environment(self, host: Host) -> dict[str, str]:
        """Return the environment of the programs on a host, as deploy/README.md describes it."""
        place = self.folder / host.name
        hosts = ",".join(database.address for database in self.databases)
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(place / "state"),
            "PYTHONUNBUFFERED": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.production",
            "SECRET_KEY": self.secret,
            "ALLOWED_HOSTS": self.head.address,
            "STICHKAMPF_PROXIES": "127.0.0.1",
            "DATABASE_URL": f"postgres://{DATABASE_USER}@/{DATABASE}?host={hosts}"
            "&target_session_attrs=read-write",
            "REDIS_URL": f"redis://{self.head.address}:6379/0",
            "STICHKAMPF_ARBITER_ADDRESS": f"unix:{place}/run/arbiter.sock",
            "STICHKAMPF_BOT_FIRST_UID": str(200_000 + BOT_UIDS * host.number),
            "STICHKAMPF_BOT_UIDS": str(BOT_UIDS),
            "STICHKAMPF_STATE_DIR": str(place / "state"),
            "STICHKAMPF_NODE": host.name,
            **self.store,
            **self.settings,
            **self.settings_of_hosts.get(host.name, {}),
        }

    def manage(self, *command: str) -> str:
        """Run a command of manage.py on the head and return its output."""
        return self.call_python("-m", "stichkampf_platform", *command)

    def call_python(self, *words: str | Path) -> str:
        """Run a Python program on the head, with the platform's settings, and return its output."""
        self.make_folder(f"{self.head.name}/state")
        variables = [f"{name}={value}" for name, value in self.environment(self.head).items()]
        command = ["env", "-i", "-C", str(checkout()), *variables, sys.executable, *map(str, words)]
        return self.head.call(*_as_user(command))

    def make_database(self, host: Host) -> None:
        """Make a PostgreSQL server on a host and start it."""
        data = self.make_folder(f"{host.name}/database", user=POSTGRES_USER)
        options = ["-U", DATABASE_USER, "-A", "trust", "-E", "UTF8", "--no-locale"]
        host.call(*_as_user([POSTGRES[-1] / "initdb", "-D", data, *options], POSTGRES_USER))
        with (data / "pg_hba.conf").open("a") as file:
            file.write(f"host all,replication all {NETWORK}.0/24 trust\n")
        self.run_database(host)

    def make_standby(self, host: Host) -> None:
        """Make a copy of the database on a host, which confirms every transaction before its end."""
        data = self.make_folder(f"{host.name}/database", user=POSTGRES_USER)
        copy = [POSTGRES[-1] / "pg_basebackup", "-h", self.database.address, "-U", DATABASE_USER]
        host.call(*_as_user([*copy, "-D", data, "-R", "-c", "fast"], POSTGRES_USER))
        self.run_database(host)
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", name="postgres")
        self.sql("SELECT pg_reload_conf()")
        in_step = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
        self.wait_for(lambda: self.sql(in_step, name="postgres"), "the standby confirms transactions")

    def run_database(self, host: Host) -> None:
        """Start the PostgreSQL server of a host, and wait until it answers."""
        sockets = self.make_folder(f"{host.name}/sockets", user=POSTGRES_USER)
        sockets.chmod(0o755)
        options = {
            "listen_addresses": host.address,
            "unix_socket_directories": str(sockets),
            "max_connections": "600",
            "shared_buffers": "256MB",
        }
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        command = [POSTGRES[-1] / "postgres", "-D", self.folder / host.name / "database", *words]
        host.run(_as_user(command, POSTGRES_USER), {}, self.log(host, "database"), folder=Path("/"))
        ask = ("pg_isready", "-q", "-h", host.address)
        self.wait_for(lambda: _succeeds(host, *ask), "PostgreSQL answers")

    def control_database(self, host: Host, *words: str) -> None:
        """Have `pg_ctl` stop or promote the server of a host, and wait until it has."""
        command = [POSTGRES[-1] / "pg_ctl", "-D", self.folder / host.name / "database", "-w", *words]
        host.call(*_as_user(command, POSTGRES_USER))

    def start_redis(self) -> None:
        """Start the queue on the head."""
        redis = newest_server()
        assert redis is not None, "there is no Redis server"
        options = ["--bind", self.head.address, "--protected-mode", "no", "--save", "", "--appendonly", "no"]
        options += ["--maxmemory-policy", "noeviction"]
        folder = self.make_folder("head/redis")
        command = _as_user([redis.program, *options])
        self.head.run(command, {}, self.log(self.head, "redis"), folder=folder)

    def make_folder(self, name: str, user: str = "") -> Path:
        """Make a folder for the programs' user, or another one."""
        folder = self.folder / name
        for parent in (folder.parent, folder):
            if not parent.exists():
                parent.mkdir()
                parent.chmod(0o755)
        uid = pwd.getpwnam(user).pw_uid if user else SERVICE_UID
        if folder.stat().st_uid != uid:
            os.chown(folder, uid, uid)
            folder.chmod(0o700)
        return folder

    def wait_for(
        self,
        condition: Callable[[], object],
        goal: str,
        seconds: float = READY_SECONDS,
        *,
        pause: float = 0.1,
    ) -> None:
        """Wait until a condition holds.

        :param pause: seconds from one look to the next.
        :raises TimeoutError: it does not, in time.
        """
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise TimeoutError(f"not within {seconds:.0f} s: {goal} (logs: {self._last_lines()})")
            time.sleep(pause)

    def _commands(self, host: Host) -> dict[str, list[str | Path]]:
        """Return the command of each program, as the units of systemd start them."""
        few = ["--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
        worker = [*CELERY, "worker", *few, "--hostname"]
        blocks = str(self.blocks_at_once)
        serving = [sys.executable, "-m", "stichkampf_platform.serving"]
        return {
            "arbiter": [sys.executable, "-m", "stichkampf_arbiter"],
            "worker": [*worker, "worker@%h", "--queues", "matches", "--concurrency", blocks],
            "maintenance": [
                *(*worker, "maintenance@%h", "--queues", "sweep,ratings,mail", "--concurrency", "2")
            ],
            "beat": [*CELERY, "beat", "--loglevel", "WARNING"],
            "site": [*serving, "--host", host.address, "--port", "8000"],
        }

    def _last_lines(self) -> str:
        logs = sorted(self.folder.glob("*.log"))
        lines = {log.stem: log.read_text(errors="replace").splitlines()[-1:] for log in logs}
        return "; ".join(f"{name}: {last[0]}" for name, last in lines.items() if last)


def _as_user(command: list[str | Path], user: str = "") -> list[str | Path]:
    uid = str(pwd.getpwnam(user).pw_uid if user else SERVICE_UID)
    if user:
        return ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", *command]
    run_as = [sys.executable, "-m", "stichkampf_arbiter.sandbox.run_as", "--uid", uid]
    return [*run_as, "--view", str(checkout()), "--", *command]


def _succeeds(host: Host, *command: str) -> bool:
    try:
        host.call(*command)
    except subprocess.CalledProcessError:
        return False
    return True
