"""The pool of every worker: threads in one process, which keep the time limits of their tasks.

Tasks mostly wait for an arbiter or for the database, and a process for each place would hold all that the
platform imports once more. Celery's own pool of threads knows no limits, and tells its loop of a task that is
over only when something else wakes it; this one does both.
"""

from __future__ import annotations

import ctypes
import logging
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Condition, Thread, get_ident
from time import monotonic
from typing import Any

from celery.concurrency.thread import ApplyResult, TaskPool
from celery.exceptions import SoftTimeLimitExceeded
from celery.worker import state

from stichkampf_platform.core.arbiter_client import close_idle

NEVER = float("inf")

logger = logging.getLogger(__name__)


@dataclass
class Running:
    """A task that runs.

    :ivar soft: when it is asked to end; infinite once it was.
    :ivar hard: when the whole worker ends; the supervisor starts it again, and the leases of its work end.
    """

    soft: float
    hard: float


class ThreadPool(TaskPool):
    """Threads with time limits."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._running: dict[int, Running] = {}
        self._awaited = NEVER
        self._changed = Condition()
        self._woken, self._wake = socket.socketpair()
        self._woken.setblocking(False)
        self._wake.setblocking(False)

    def on_start(self) -> None:
        Thread(target=self._keep_limits, name="limits", daemon=True).start()

    def register_with_event_loop(self, hub: Any) -> None:
        hub.add_reader(self._woken, self._woken.recv, 4096)

    def on_apply(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        callback: Callable[..., Any] | None = None,
        accept_callback: Callable[..., Any] | None = None,
        *,
        soft_timeout: float | None = None,
        timeout: float | None = None,
        **_: Any,
    ) -> ApplyResult:
        limited = partial(self._run, target, soft_timeout, timeout)
        return super().on_apply(limited, args, kwargs, partial(self._over, callback), accept_callback)

    def on_stop(self) -> None:
        if state.should_terminate:  # no thread can be ended; its lease ends, and others take its work up
            logging.shutdown()
            os._exit(0)
        super().on_stop()

    def terminate_job(self, pid: int, signal: int | None = None) -> None:
        """Leave a task to the end of the worker, where it is asked to stop at once."""

    def _run(
        self, target: Callable[..., Any], soft: float | None, hard: float | None, *args: Any, **kwargs: Any
    ) -> Any:
        now = monotonic()
        running = Running(now + (soft or NEVER), now + (hard or NEVER))
        with self._changed:
            self._running[get_ident()] = running
            if min(running.soft, running.hard) < self._awaited:
                self._changed.notify()
        try:
            return target(*args, **kwargs)
        finally:
            with self._changed:
                del self._running[get_ident()]
                if not self._running:
                    close_idle()
                _raise_in(get_ident(), None)  # a limit that was reached just now

    def _over(self, callback: Callable[..., Any] | None, *results: Any) -> None:
        """Have the worker's loop confirm a task and take the next one at once."""
        if callback is not None:
            callback(*results)
        with suppress(BlockingIOError):  # full: it is about to wake anyway
            self._wake.send(b"\0")

    def _keep_limits(self) -> None:
        with self._changed:
            while True:
                now = monotonic()
                for thread, running in self._running.items():
                    if now >= running.hard:
                        logger.error("a task goes on beyond its limit: this worker ends, to be started again")
                        logging.shutdown()
                        os._exit(1)
                    if now >= running.soft:
                        running.soft = NEVER
                        _raise_in(thread, SoftTimeLimitExceeded)
                moments = [moment for each in self._running.values() for moment in (each.soft, each.hard)]
                self._awaited = min(moments, default=NEVER)
                self._changed.wait(None if self._awaited == NEVER else max(0.0, self._awaited - now))


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in a thread as soon as it runs Python; None takes back one that is still to come."""
    raised = ctypes.py_object() if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
