"""Outages: errors which say that database, Redis, an arbiter or the store is away.

They are no failure of whatever was being worked on: nothing is parked, paused or given up for them. What is
away is told by the doctor, the figures and the notion of work that moves, all of which look for themselves.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable

import kombu.exceptions
import redis.exceptions
from django.db import DatabaseError, InterfaceError, OperationalError

from stichkampf_platform.core.errors import (
    ArbiterGone,
    ArchiveAway,
    DiskFull,
    PlatformError,
    RecordAway,
    StoreAway,
)

DATABASE = "The database is busy or cannot be reached."
REDIS = "Redis cannot be reached."
ARBITER = "The arbiter cannot be reached or has lost the match."
STORE = "The store of archives and records cannot be used."
SERVICE = "Another machine cannot be reached."
AWAY: tuple[tuple[str, tuple[type[Exception], ...]], ...] = (
    (REDIS, (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError)),
    (REDIS, (redis.exceptions.ReadOnlyError, redis.exceptions.OutOfMemoryError)),
    (REDIS, (kombu.exceptions.OperationalError,)),
    (STORE, (StoreAway, RecordAway, ArchiveAway, DiskFull, PermissionError)),
    (ARBITER, (ArbiterGone,)),
    (SERVICE, (ConnectionError, TimeoutError)),
)
SQLSTATES = ("08", "25006", "25P03", "40", "53", "55P03", "57", "58")
"""Beginnings of PostgreSQL's codes: connections, a standby for reading only, transactions to be repeated,
resources, locks, operators.
"""
SQLITE_CODES = {5, 6, 7, 8, 9, 10, 13, 14, 15}
"""SQLite's codes: busy, locked, no memory, read only, interrupted, a disk that fails or is full, no file."""
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ESTALE, errno.EMFILE, errno.ENFILE}
ERRORS = (
    *(DatabaseError, InterfaceError, OSError, redis.exceptions.RedisError, kombu.exceptions.OperationalError),
    PlatformError,
)
"""The errors among which outages are."""
PAUSES = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 20.0)
"""Seconds before each try to note something in a database that is away."""


def outage(error: BaseException) -> str:
    """Return what is away as this error tells; empty where it tells of no outage."""
    if isinstance(error, DatabaseError | InterfaceError):
        return DATABASE if _of_the_database(error) else ""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return STORE
    return next((what for what, kinds in AWAY if isinstance(error, kinds)), "")


def is_busy(error: BaseException | None) -> bool:
    """Tell whether the database could not be asked or written, so that the same may succeed later."""
    return isinstance(error, OperationalError) or (error is not None and outage(error) == DATABASE)


def _of_the_database(error: BaseException) -> bool:
    """Tell whether a database could not be asked, or gave way; what was asked may be right."""
    cause = error.__cause__
    code = getattr(cause, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in SQLITE_CODES
    state = getattr(cause, "sqlstate", None)
    if state:
        return state.startswith(SQLSTATES)
    return isinstance(error, OperationalError | InterfaceError)


def once_back(note: Callable[[], object], sleep: Callable[[float], object] = time.sleep) -> None:
    """Note something, for a minute again where the database is away.

    :raises DatabaseError: it stayed away.
    """
    for pause in PAUSES:
        sleep(pause)
        try:
            note()
        except (DatabaseError, InterfaceError) as error:
            if not _of_the_database(error):
                raise
            last = error
        else:
            return
    raise last
