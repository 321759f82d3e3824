"""The leases of the blocks that one process plays, renewed together.

Each thread asks every few seconds whether its tables are still its own. One of them renews the leases of all
who asked lately, and the others read the answer: statements and a connection for each would be most of what
play costs the database. Who asks no more, because its thread hangs, loses its lease.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from django.conf import settings
from django.db import Error

from stichkampf_platform.tournaments import leases, queries

Renewed = Callable[[], tuple[set[int], set[int]]]
"""Renews a lease, and returns the tables that are still leased, and the tournaments without a worker."""


@dataclass
class Round:
    """The last answer of the database.

    :ivar kept: the tables of each owner that took part.
    :ivar unserved: the tournaments without a worker.
    :ivar error: why it said nothing.
    """

    at: float = float("-inf")
    kept: dict[str, set[int]] = field(default_factory=dict)
    unserved: set[int] = field(default_factory=set)
    error: Error | None = None


class Keeper:
    """Renews the leases of blocks.

    :param experiments: whether these are blocks of experiments.
    """

    def __init__(self, *, experiments: bool) -> None:
        self._experiments = experiments
        self._asked: dict[str, float] = {}
        self._turn = Lock()
        self._last = Round()

    @contextmanager
    def keeping(self, owner: str) -> Iterator[Renewed]:
        """Give what renews the lease of an owner; other threads renew it from now on, too."""
        self._asked[owner] = monotonic()
        try:
            yield lambda: self._renewed(owner)
        finally:
            del self._asked[owner]

    def _renewed(self, owner: str) -> tuple[set[int], set[int]]:
        asked = self._asked[owner] = monotonic()
        with self._turn:
            last = self._last
            if last.error is not None and last.at >= asked:  # it failed while this thread waited
                raise last.error
            if owner not in last.kept or last.at < asked - settings.LEASE_SECONDS / 6:
                last = self._renew_all(asked)
        return last.kept[owner], last.unserved

    def _renew_all(self, asked: float) -> Round:
        lately = asked - settings.LEASE_SECONDS / 2
        owners = [owner for owner, moment in list(self._asked.items()) if moment >= lately]
        try:
            kept = leases.renew(*owners)
            unserved = queries.unserved(experiments=self._experiments)
        except Error as error:
            self._last = Round(monotonic(), error=error)
            raise
        self._last = Round(monotonic(), kept, unserved)
        return self._last


keepers = {kind: Keeper(experiments=kind) for kind in (False, True)}
"""The keeper of this process: of tournaments, and of experiments."""
