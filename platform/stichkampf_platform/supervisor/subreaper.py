"""The outermost process. It adopts every orphan, so that nothing outlives a supervisor that was killed."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_in_subreaper(run: Callable[[], int]) -> int:
    """Run `run` in a child process with its own session; return its exit code once no descendant is left.

    Stop signals are passed on to the child. If the parent is `make` and dies, everything stops too.
    """
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    if "MAKELEVEL" in os.environ:
        stop_with_parent(signal.SIGTERM, os.getppid())
    subreaper = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    child = os.fork()
    if child == 0:
        os.setsid()
        for stop_signal in STOP_SIGNALS:
            signal.signal(stop_signal, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        stop_with_parent(signal.SIGTERM, subreaper)
        os._exit(run())
    for stop_signal in STOP_SIGNALS:
        signal.signal(stop_signal, lambda number, _frame: os.kill(child, number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    status = _reap_until(child)
    for stop_signal in STOP_SIGNALS:
        signal.signal(stop_signal, signal.SIG_IGN)
    _end_orphans()
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}, {value})")


def stop_with_parent(stop_signal: signal.Signals, parent: int) -> None:
    """Have the kernel send `stop_signal` to this process when `parent` dies; at once if it has died."""
    prctl(PR_SET_PDEATHSIG, stop_signal)
    if os.getppid() != parent:
        os.kill(os.getpid(), stop_signal)


def _reap_until(child: int) -> int:
    while True:
        pid, status = os.wait()
        if pid == child:
            return status


def _end_orphans() -> None:
    """Kill and reap until no child is left; the children of the killed become ours and are next."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while True:
        for pid in children.read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return
