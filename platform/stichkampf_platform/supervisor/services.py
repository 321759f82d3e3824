"""The programs of a running platform: the command of each, its test of readiness, and its stop signal."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stichkampf_platform.supervisor.health import accepts, answers_ping, serves
from stichkampf_platform.supervisor.installation import Installation
from stichkampf_platform.supervisor.output import CannotStart
from stichkampf_platform.supervisor.redis import newest_server

CELERY = (sys.executable, "-m", "celery", "--app", "stichkampf_platform.celery_app", "--skip-checks")
"""Commands of the site make the checks of Django; a worker would load all pages and forms for them."""
WORKERS = {
    "worker": "matches",
    "experiments": "experiments",
    "validation": "validation",
    "maintenance": "sweep,ratings,mail",
    "marks": "marks",
}
"""Celery workers by name, each with its queues. Blocks, experiments of authors and validations take minutes,
so none may delay another, nor the short tasks of maintenance. Marks go behind all others."""
WORKER_PROCESSES = {
    "worker": 2 + 2 * (os.cpu_count() or 1),
    "experiments": 3,
    "validation": 2,
    "maintenance": 2,
    "marks": 1,
}
"""A block keeps at most one core busy, and often none, so more blocks run at once than there are cores. The
process that plays one only waits for the arbiter."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """A program to keep running.

    :ivar ready: tells, without waiting, whether the program has started.
    :ivar title: a name with more details, such as the version.
    :ivar keeps_root: only for a program that drops root itself.
    :ivar secrets: only for a program that needs the database.
    """

    name: str
    command: Sequence[str]
    ready: Callable[[], bool] = lambda: True
    title: str = ""
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 10
    keeps_root: bool = False
    secrets: bool = False


def redis(installation: Installation) -> Service | None:
    """Return the broker, which listens on a socket file only; None if REDIS_URL names another one.

    It keeps nothing on disk: the database is the truth.
    """
    if installation.redis_url:
        return None
    server = newest_server()
    if server is None:
        raise CannotStart(
            "there is no Redis server. Install Debian's redis-server, or name one in REDIS_URL."
        )
    options = {
        "--port": "0",
        "--unixsocket": str(installation.redis_socket),
        "--unixsocketperm": "700",
        "--dir": str(installation.state),
        "--save": "",
        "--appendonly": "no",
        "--maxmemory": "256mb",
        "--maxmemory-policy": "noeviction",
    }
    command = [str(server.program), *(word for option in options.items() for word in option)]
    return Service(
        name="redis",
        command=command,
        ready=lambda: answers_ping(installation.redis_socket),
        title=f"redis {server}",
    )


def arbiter(installation: Installation) -> Service:
    return Service(
        name="arbiter",
        command=[sys.executable, "-m", "stichkampf_arbiter"],
        ready=lambda: accepts(installation.arbiter_socket),
        keeps_root=True,
    )


def workers() -> list[Service]:
    """Return the Celery workers, and the beat that sends them scheduled tasks."""
    return [
        *(worker(name, queues) for name, queues in WORKERS.items()),
        Service(name="beat", command=[*CELERY, "beat", "--loglevel", "WARNING"], secrets=True),
    ]


def worker(name: str, queues: str) -> Service:
    return Service(
        name=name,
        command=[
            *(*CELERY, "worker", "--hostname", f"{name}@%h", "--queues", queues),
            *("--concurrency", str(WORKER_PROCESSES[name]), "--without-gossip", "--without-mingle"),
            *("--without-heartbeat", "--loglevel", "WARNING"),  # Celery's events have no listener
        ],
        secrets=True,
        # A warm shutdown would wait for whole blocks; their leases end, and the next start plays them.
        stop_signal=signal.SIGQUIT,
    )


def site(installation: Installation) -> Service:
    return Service(
        name="site",
        command=[
            *(sys.executable, "-m", "stichkampf_platform.serving"),
            *("--host", installation.host, "--port", str(installation.port)),
        ],
        secrets=True,
        ready=lambda: serves(installation.address, host="localhost"),
    )
