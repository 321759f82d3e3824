"""Turns of a worker's threads at the database, for blocks that begin.

After a pause all places of a worker are free at the same moment. Each thread would open a connection of its
own, for work that takes turns in Python anyway; so a few begin at once, and the next ones as soon as those
wait for their arbiter. Renewing a lease and storing results wait for no turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, get_ident

from django.db import connection

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
        with self._changed:
            while len(self._held - {get_ident()}) >= self._most:
                self._changed.wait()
            self._held.add(get_ident())
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        """End the turn of this thread, if it has one."""
        with self._changed:
            self._held.discard(get_ident())
            self._changed.notify()


beginnings = Turns(BEGINNING)


def leave_database() -> None:
    """Hold no connection, and no turn, while an arbiter works; the next query opens a connection."""
    if not connection.in_atomic_block:
        connection.close()
    beginnings.end()
