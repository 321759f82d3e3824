"""Turns of a worker's threads at the database, for blocks that begin, and the connections that they hand on.

After a pause all places of a worker are free at the same moment. Each thread would open a connection of its
own, for work that takes turns in Python anyway; so a few begin at once, and the next ones as soon as those
wait for their arbiter. Renewing leases and storing results wait for no turn.

A new connection costs PostgreSQL more than all that a block asks it at its beginning: a process, which reads
the catalogue anew. So who waits for an arbiter leaves an open one to others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock, get_ident

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from stichkampf_platform.supervisor.worker_programs import BEGINNING


class Turns:
    """Turns of threads, so many at once.

    :param most: turns at once.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: set[int] = set()
        self._changed = Condition()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn of this thread; it lasts until `end`, at most as long as the block of code."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def begin(self) -> None:
        """Wait for a turn of this thread; it lasts until `end`."""
        with self._changed:
            while len(self._held - {get_ident()}) >= self._most:
                self._changed.wait()
            self._held.add(get_ident())

    def end(self) -> None:
        """End the turn of this thread, if it has one."""
        with self._changed:
            self._held.discard(get_ident())
            self._changed.notify()


class Spares:
    """Open connections that no thread uses.

    :ivar most: that are kept; without any, who leaves one closes it.
    """

    def __init__(self) -> None:
        self.most = 0
        self._kept: list[BaseDatabaseWrapper] = []
        self._lock = Lock()

    def leave(self) -> None:
        """Leave the connection of this thread to others, or close it."""
        mine = connections[DEFAULT_DB_ALIAS]
        if mine.in_atomic_block or mine.connection is None:
            return
        with self._lock:
            if len(self._kept) < self.most:
                del connections[DEFAULT_DB_ALIAS]
                self._kept.append(mine)
                return
        mine.close()

    def take(self) -> None:
        """Give this thread a connection that another one has left, if it has none itself."""
        if connection.in_atomic_block or connection.connection is not None:
            return
        with self._lock:
            if not self._kept:
                return
            left = self._kept.pop()
        left.inc_thread_sharing()  # by one thread after the other
        left.close_if_unusable_or_obsolete()
        connections[DEFAULT_DB_ALIAS] = left


beginnings = Turns(BEGINNING)
spares = Spares()


def hand_on_connections() -> None:
    """Keep as many open connections for the next threads as have a turn at once, from now on."""
    spares.most = BEGINNING


@contextmanager
def database_turn() -> Iterator[None]:
    """Wait for a turn of this thread; it lasts until `leave_database`, at most as long as the code inside."""
    with beginnings.turn():
        spares.take()
        try:
            yield
        finally:
            spares.leave()


def return_to_database() -> None:
    """Wait once more for a turn, within a `database_turn`, at whose end it ends."""
    beginnings.begin()
    spares.take()


@contextmanager
def may_be_lost() -> Iterator[None]:
    """Write in one transaction and wait for no disk: leases and hints, which are made again if they are lost.

    A crash of PostgreSQL's machine takes back its newest second at most, a write never without what followed.
    """
    waits = connection.vendor == "postgresql" and not connection.in_atomic_block
    with transaction.atomic():
        if waits:
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL synchronous_commit = off")
        yield


def leave_database() -> None:
    """Hold no connection, and no turn, while an arbiter works; the next query opens a connection."""
    spares.leave()
    beginnings.end()


@contextmanager
def without_database() -> Iterator[None]:
    """Hold no connection, and no turn, while an arbiter works, and take one that is left afterwards."""
    leave_database()
    try:
        yield
    finally:
        spares.take()
