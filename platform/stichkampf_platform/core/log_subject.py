"""The subject of log lines: the table or submission that a piece of work is about.

Every line that is logged meanwhile carries it as fields, so that one table's lines are found across programs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_subject: ContextVar[dict[str, int | str]] = ContextVar("subject", default={})  # noqa: B039  never changed in place


@contextmanager
def log_subject(**ids: int | str) -> Iterator[None]:
    """Log with these ids, such as `table=12`, until the end of the block; inner ones add to outer ones."""
    token = _subject.set({**_subject.get(), **ids})
    try:
        yield
    finally:
        _subject.reset(token)


class SubjectFilter(logging.Filter):
    """Add the subject to every record, where the record does not name another."""

    def filter(self, record: logging.LogRecord) -> bool:
        for name, number in _subject.get().items():
            if not hasattr(record, name):
                setattr(record, name, number)
        return True
