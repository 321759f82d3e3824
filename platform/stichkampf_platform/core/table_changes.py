"""Stamps of the database's tables, new whenever a table is written, for caches of what was read.

Every statement of every program of the platform passes `follow`, whether it comes from a model, from a bulk
update or from the administration; only what is copied into PostgreSQL does not, and is noted by `note`. A
table's stamp is a random number in a cache that all programs share. It is drawn again after the transaction
that wrote the table: a reader who takes the stamps first and reads then never has new stamps with old rows.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from django.apps import apps
from django.core.cache import caches
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.transaction import on_commit
from redis.exceptions import RedisError

STAMP_BITS = 62
PREFIX = "table:"
READS = re.compile(r"\s*\(?\s*(?:SELECT|DECLARE|EXPLAIN)\b", re.IGNORECASE)
TARGET = re.compile(r'\s*(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE|DELETE\s+FROM)\s+"?(\w+)"?', re.IGNORECASE)
WRITES = re.compile(r"\b(?:INSERT|UPDATE|DELETE|TRUNCATE|ALTER|DROP|COPY|MERGE)\b", re.IGNORECASE)
NAME = re.compile(r'"(\w+)"')

Stamps = dict[str, int]


class TablesOfThread(threading.local):
    """Tables that this thread reads, where that is asked, and those that it has written by connection."""

    def __init__(self) -> None:
        self.read: set[str] | None = None
        self.written: dict[str, set[str]] = defaultdict(set)


_here = TablesOfThread()


@cache
def all_tables() -> frozenset[str]:
    """Return the names of the tables of all models."""
    return frozenset(model._meta.db_table for model in apps.get_models(include_auto_created=True))


def stamps(tables: Iterable[str]) -> Stamps | None:
    """Return the stamps of tables; None where the shared cache does not answer."""
    names = frozenset(tables)
    if not names:
        return {}
    shared = caches["changes"]
    try:
        found = _read(names)
        for name in names - found.keys():
            shared.add(PREFIX + name, secrets.randbits(STAMP_BITS), timeout=None)
        if names != found.keys():
            found = _read(names)
    except (RedisError, ValueError):  # it is away, or has something else under this name
        return None
    return found if names == found.keys() else None


def _read(names: frozenset[str]) -> Stamps:
    found = caches["changes"].get_many(PREFIX + name for name in names)
    return {key.removeprefix(PREFIX): stamp for key, stamp in found.items()}


@contextmanager
def tables_read() -> Iterator[set[str]]:
    """Collect the names of the tables that this thread reads meanwhile."""
    outer, _here.read = _here.read, set()
    try:
        yield _here.read
    finally:
        _here.read = outer


def follow_connection(connection: BaseDatabaseWrapper, **_: object) -> None:
    """Have every statement of a connection pass `follow`."""
    if follow not in connection.execute_wrappers:
        connection.execute_wrappers.append(follow)


def follow(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Execute a statement; note which tables it reads, or stamp those again that it writes."""
    outcome = execute(sql, params, many, context)
    if READS.match(sql):
        if _here.read is not None:
            _here.read |= all_tables().intersection(NAME.findall(sql))
    elif written := _written(sql):
        note(context["connection"], written)
    return outcome


def _written(sql: str) -> frozenset[str]:
    target = TARGET.match(sql)
    if target is not None:
        return all_tables() & {target[1]}
    return all_tables().intersection(NAME.findall(sql)) if WRITES.search(sql) else frozenset()


def note(connection: BaseDatabaseWrapper, written: Set[str]) -> None:
    """Have tables that a transaction writes stamped again after it."""
    _here.written[connection.alias] |= written
    stamp_written, enclosing = _after_transaction(connection.alias), set(connection.savepoint_ids)
    tasks = [task for points, task, _ in connection.run_on_commit if set(points) <= enclosing]
    if stamp_written not in tasks:
        on_commit(stamp_written, using=connection.alias)


@cache
def _after_transaction(alias: str) -> Callable[[], None]:
    """Return what is done once after a transaction, however many statements it had."""

    def stamp_written() -> None:
        written = _here.written.pop(alias, set())
        fresh = {PREFIX + name: secrets.randbits(STAMP_BITS) for name in written}
        with suppress(RedisError):  # no page is older than a minute all the same
            caches["changes"].set_many(fresh, timeout=None)

    return stamp_written
