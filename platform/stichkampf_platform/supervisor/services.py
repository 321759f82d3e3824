"""The programs of a running platform: how each is started, how it is known to be ready, how it stops."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stichkampf_platform.supervisor.health import accepts, answers_ping, serves
from stichkampf_platform.supervisor.installation import Place
from stichkampf_platform.supervisor.output import CannotStart
from stichkampf_platform.supervisor.redis import newest_server

CELERY = (sys.executable, "-m", "celery", "--app", "stichkampf_platform.celery_app")
WORKERS = {"worker": "matches", "examiner": "validation", "clerk": "sweep,ratings,mail"}
"""Blocks and validations take minutes and must not keep each other waiting, nor the sweep and its kind."""
WORKER_PROCESSES = {"worker": 2 + 2 * (os.cpu_count() or 1), "examiner": 2, "clerk": 2}
"""A block keeps at most one core busy, and often none, so more are played at once than there are cores.
What plays one only waits for the arbiter."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """A program to keep running.

    `ready` answers at once. `title` says more of it than its name. `keeps_root` is only for what drops root
    itself, `secrets` for what needs the database.
    """

    name: str
    command: Sequence[str]
    ready: Callable[[], bool] = lambda: True
    title: str = ""
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 10
    keeps_root: bool = False
    secrets: bool = False


def redis(place: Place) -> Service | None:
    """The broker, on a socket file only; None where an outside one is named.

    It keeps nothing on disk: the database is the truth.
    """
    if place.redis_url:
        return None
    server = newest_server()
    if server is None:
        raise CannotStart(
            "there is no Redis server. Install Debian's redis-server, or name one in REDIS_URL."
        )
    options = {
        "--port": "0",
        "--unixsocket": str(place.redis_socket),
        "--unixsocketperm": "700",
        "--dir": str(place.state),
        "--save": "",
        "--appendonly": "no",
        "--maxmemory": "256mb",
        "--maxmemory-policy": "noeviction",
    }
    command = [str(server.program), *(word for option in options.items() for word in option)]
    return Service(
        name="redis",
        command=command,
        ready=lambda: answers_ping(place.redis_socket),
        title=f"redis {server}",
    )


def arbiter(place: Place) -> Service:
    return Service(
        name="arbiter",
        command=[sys.executable, "-m", "stichkampf_arbiter"],
        ready=lambda: accepts(place.arbiter_socket),
        keeps_root=True,
    )


def workers() -> list[Service]:
    """The workers and the beat that wakes them."""
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
            *("--loglevel", "WARNING"),
        ],
        secrets=True,
        # A warm shutdown would wait for whole blocks; their leases end, and the next start plays them.
        stop_signal=signal.SIGQUIT,
    )


def site(place: Place) -> Service:
    return Service(
        name="site",
        command=[
            *(sys.executable, "-m", "stichkampf_platform.serving"),
            *("--host", place.host, "--port", str(place.port)),
        ],
        secrets=True,
        ready=lambda: serves(place.address, host="localhost"),
    )
