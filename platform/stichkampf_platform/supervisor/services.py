"""The programs of a running platform: the command of each, its test of readiness, and its stop signal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from stichkampf_platform.supervisor.health import accepts, answers_ping, serves
from stichkampf_platform.supervisor.installation import SECRETS, Installation
from stichkampf_platform.supervisor.output import CannotStart
from stichkampf_platform.supervisor.redis import newest_server
from stichkampf_platform.supervisor.worker_programs import BEAT, WORKERS


@dataclass(frozen=True, kw_only=True)
class Service:
    """A program to keep running.

    :ivar ready: tells, without waiting, whether the program has started.
    :ivar title: a name with more details, such as the version.
    :ivar keeps_root: only for a program that drops root itself.
    :ivar secrets: what it is told of `SECRETS`; only those that it needs.
    """

    name: str
    command: Sequence[str]
    ready: Callable[[], bool] = lambda: True
    title: str = ""
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 10
    keeps_root: bool = False
    secrets: Collection[str] = ()


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
        "--hz": "1",  # ten times a second it would look for what may expire
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


def hub() -> Service:
    """Return the program that plays for persons."""
    command = [sys.executable, "-m", "stichkampf_platform.play.hub"]
    return Service(name="hub", command=command, secrets=("REDIS_URL",))


def workers() -> list[Service]:
    """Return the program of all Celery workers and of the beat that sends them scheduled tasks."""
    return [
        Service(
            name="workers",
            command=[sys.executable, "-m", "stichkampf_platform.workers", *WORKERS, BEAT],
            secrets=SECRETS,
            # A warm shutdown would wait for whole blocks; their leases end, and the next start plays them.
            stop_signal=signal.SIGQUIT,
        )
    ]


def site(installation: Installation) -> Service:
    return Service(
        name="site",
        command=[
            *(sys.executable, "-m", "stichkampf_platform.serving"),
            *("--host", installation.host, "--port", str(installation.port)),
        ],
        secrets=SECRETS,
        ready=lambda: serves(installation.address, host="localhost"),
    )
