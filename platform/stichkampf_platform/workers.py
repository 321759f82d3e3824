"""Run workers, and the beat, as children of one process that has loaded everything: they share its memory.

    python -m stichkampf_platform.workers worker experiments validation maintenance marks beat

Each program is a process of its own and ends alone; it is started again after a second. A signal to stop goes
to all of them. What one child of this process would hold by itself, some 100 MB, is there once.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Sequence

os.environ.update(CELERY_SKIP_CHECKS="1")  # Django's checks would load all pages and forms

from django.db import connections

from stichkampf_platform.celery_app import app
from stichkampf_platform.supervisor.worker_programs import BEAT, WORKERS, processes

PAUSE_SECONDS = 1.0
QUIT_SECONDS = 5.0
STOPPING = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT}
WATCHED = STOPPING | {signal.SIGCHLD}
PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15

logger = logging.getLogger(__name__)


def main(names: Sequence[str]) -> int:
    unknown = set(names) - {*WORKERS, BEAT}
    if unknown or not names:
        known = " ".join([*WORKERS, BEAT])
        print(f"There is no {min(unknown, default='name')}: give some of {known}", file=sys.stderr)
        return 2
    app.loader.init_worker()
    app.finalize()
    connections.close_all()
    gc.collect()
    gc.freeze()  # a look of the collector at what is loaded would copy it into each child
    keep_running([name for each in names for name in processes(each)])
    return 0


def keep_running(names: Sequence[str]) -> None:
    """Run these programs until a signal says to stop."""
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    children = {start(name): name for name in names}
    while (got := signal.sigwait(WATCHED)) == signal.SIGCHLD:
        for pid, status in _ended():
            name = children.pop(pid)
            logger.error("%s ended with %s; it is started again", name, os.waitstatus_to_exitcode(status))
            if signal.sigtimedwait(STOPPING, PAUSE_SECONDS):
                _end(children, signal.SIGQUIT)
                return
            children[start(name)] = name
    _end(children, signal.Signals(got))


def start(name: str) -> int:
    """Fork the process of a program, which ends with this one; return its id."""
    parent = os.getpid()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        if os.getppid() == parent:
            app.start(arguments(name))
            status = 0
    finally:
        logging.shutdown()
        os._exit(status)


def arguments(name: str) -> list[str]:
    """Return the words with which Celery starts a program; places and queues are those of the settings."""
    if name == BEAT:
        return ["beat", "--loglevel", "WARNING"]
    queues = ",".join(WORKERS[name.rstrip("0123456789")])
    return [
        *("worker", "--hostname", f"{name}@%h", "--queues", queues, "--loglevel", "WARNING"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),  # these have no listener
    ]


def _ended() -> list[tuple[int, int]]:
    ended: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not pid:
            return ended
        ended.append((pid, status))


def _end(children: dict[int, str], how: signal.Signals) -> None:
    """End all children; what is to quit at once and does not, such as one that just starts, is killed."""
    for pid in children:
        os.kill(pid, how)
    left, deadline = set(children), time.monotonic() + QUIT_SECONDS
    while left and (how != signal.SIGQUIT or time.monotonic() < deadline):
        signal.sigtimedwait({signal.SIGCHLD}, PAUSE_SECONDS)
        left -= {pid for pid, _ in _ended()}
    for pid in left:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
