"""Writes of requests that only read: when something was last used or seen, and what a cache keeps.

They are lost where the database is busy or for reading only, and the request is answered all the same,
without waiting.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.db import DatabaseCache
from django.db import DatabaseError, connection, transaction

from stichkampf_platform.core.machines.outages import is_busy

WAIT_MILLISECONDS = 50

Outcome = TypeVar("Outcome")

logger = logging.getLogger(__name__)


def passing_write(write: Callable[[], Outcome]) -> Outcome | None:
    """Write if the database is free, and return the outcome; else give up after `WAIT_MILLISECONDS`."""
    try:
        with _short_wait(), transaction.atomic():
            return write()
    except DatabaseError as error:
        if not is_busy(error):
            raise
        logger.debug("a passing write is lost: %s", error)
        return None


@contextmanager
def _short_wait() -> Iterator[None]:
    if connection.vendor != "sqlite":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = {WAIT_MILLISECONDS}")
            yield
            cursor.execute("SET LOCAL lock_timeout = 0")
        return
    connection.ensure_connection()
    execute = connection.connection.execute
    (usual,) = execute("PRAGMA busy_timeout").fetchone()
    execute(f"PRAGMA busy_timeout = {WAIT_MILLISECONDS}")
    try:
        yield
    finally:
        execute(f"PRAGMA busy_timeout = {usual}")


class PassingDatabaseCache(DatabaseCache):
    """Django's cache in the database, which deletes what has run out even while it is read."""

    def _base_set(self, mode: str, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT) -> bool:
        usual = super()._base_set
        return bool(passing_write(lambda: usual(mode, key, value, timeout)))

    def _base_delete_many(self, keys: Sequence[str]) -> bool:
        usual = super()._base_delete_many
        return bool(keys and passing_write(lambda: usual(keys)))
