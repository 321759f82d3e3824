"""The one clock of an installation: its database's, which all nodes share.

Leases, hints, starts and the order of what happened compare times that different machines wrote. A machine
whose own clock is wrong, or jumps, takes part all the same, because it asks the database for the time. It
counts on from the answer by its monotonic clock, and asks again after `KEPT_SECONDS`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from time import monotonic

from django.db import DatabaseError, connection
from django.utils import timezone

KEPT_SECONDS = 20.0

logger = logging.getLogger(__name__)


class SharedClock:
    """A clock elsewhere, asked now and then.

    :param ask: returns the time there; `None` where there is no other clock, or no answer.
    """

    def __init__(self, ask: Callable[[], datetime | None]) -> None:
        self._ask = ask
        self._time: datetime | None = None
        self._read = 0.0

    def now(self) -> datetime:
        """Return the time there. While it does not answer the last answer holds, before it our own clock."""
        if self._time is None or monotonic() - self._read > KEPT_SECONDS:
            asked = monotonic()
            if (told := self._ask()) is not None:
                self._time, self._read = told, (asked + monotonic()) / 2  # when it was told, more or less
        if self._time is None:
            return timezone.now()
        return self._time + timedelta(seconds=monotonic() - self._read)


def now() -> datetime:
    """Return the time now, by the database's clock."""
    return _database.now()


def skew_seconds() -> float:
    """Return by how many seconds this machine's clock is ahead of the database's."""
    return (timezone.now() - now()).total_seconds()


def _ask_database() -> datetime | None:
    if connection.vendor == "sqlite":  # it has no clock but that of the one machine
        return None
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            return cursor.fetchone()[0]
    except DatabaseError as error:
        logger.debug("the database does not tell the time: %s", error)
        return None


_database = SharedClock(_ask_database)
