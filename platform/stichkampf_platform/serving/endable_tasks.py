"""Tasks in threads that can be ended: an exception is raised in them, and their query interrupted.

It is raised only where a thread is in code that takes no lock by hand. Between the taking of a lock and the
`try` behind it an exception would leave it taken for ever, such as that of imports or of the log: all threads
would then wait for it.
"""

from __future__ import annotations

import ctypes
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections

Outcome = TypeVar("Outcome")
_current = threading.local()
"""The task of this thread."""

LOCKLESS = ("stichkampf.", "stichkampf_platform.", "django.template.", "django.db.models.", "rest_framework.")
"""The code in which a thread may be ended: it takes locks by `with` alone."""
WHOLE = (
    "importlib.",
    "logging",
    "stichkampf_platform.serving.fair_slots",
    "stichkampf_platform.serving.streaming",
)
"""Modules that are not left in the middle, with all that they call."""


class RequestEnded(BaseException):
    """The visitor has left, or the time of a request is over. No `except Exception` holds it up."""


class EndableTask(Generic[Outcome]):
    """A task that runs once, in some thread, until it is over or ended.

    Its transaction is rolled back. A call into C is interrupted if it asks the database, else ends first.
    """

    def __init__(self, task: Callable[[], Outcome]) -> None:
        self._task = task
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._database: Any = None
        self._told = False
        self.ended = False

    def __call__(self) -> Outcome:
        """Run the task.

        :raises RequestEnded: it was ended.
        """
        _current.task = self
        try:
            with self._lock:
                self._thread, self._database = threading.get_ident(), connections[DEFAULT_DB_ALIAS]
            try:
                return self._task()
            finally:
                self._leave()
        except RequestEnded:
            _drop_connections()
            raise

    def end(self) -> None:
        """End the task if it runs. It may take a moment until it has ended.

        Call it again while it runs: where it is now it may not be ended, and a query that begins in the same
        moment is not interrupted.
        """
        with self._lock:
            if self._thread is None:
                return
            self.ended = True
            if not self._told and _may_be_left(sys._current_frames().get(self._thread)):
                _raise_in(self._thread, RequestEnded)
                self._told = True
            connection = self._database.connection
            interrupt = getattr(connection, "interrupt", None) or getattr(connection, "cancel", None)
            if interrupt is not None:
                interrupt()

    def _leave(self) -> None:
        """From now on the thread does something else, which is never ended in place of this."""
        with self._lock:
            self._thread = None
            _raise_in(threading.get_ident(), None)


class EndedTaskFilter(logging.Filter):
    """Drops the exceptions of a task that was ended: that its query was interrupted is no error."""

    def filter(self, record: logging.LogRecord) -> bool:
        task = getattr(_current, "task", None)
        return not record.exc_info or task is None or not task.ended


def _may_be_left(frame: FrameType | None) -> bool:
    """Tell whether an exception may be raised in a thread that is here."""
    if frame is None or frame.f_code.co_filename == __file__ or not _module_of(frame).startswith(LOCKLESS):
        return False
    return not any(_module_of(outer).startswith(WHOLE) for outer in _frames(frame))


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _module_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread at its next step, or with None take back one that was not raised yet."""
    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


def _drop_connections() -> None:
    """Close the connections of this thread, whatever transaction was interrupted in them, and forget them."""
    for connection in connections.all(initialized_only=True):
        if connection.connection is not None:
            connection.connection.close()
        del connections[connection.alias]
