"""A seat that thinks for a processor time. Both checkouts run this file, so it imports neither."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

FIRST_LOOK = 8  # iterations before the clock is read for the first time
ITERATIONS_A_SECOND = 1_500_000  # more than any search makes


class Thought(NamedTuple):
    """A chosen word, the seconds of processor time that it took, and the iterations of the search."""

    word: str
    seconds: float
    iterations: int


class Thinker:
    """A seat that follows a match and searches for a fixed time.

    :param table: a `Table` of the seat.
    :param new_search: makes a `Search` of a table, with this number of iterations at most.
    """

    def __init__(self, table: Any, new_search: Callable[[Any, int], Any], seconds: float) -> None:
        self._table = table
        self._new_search = new_search
        self._seconds = seconds
        self._told = 0

    def think(self, match: Any) -> Thought:
        table = self._table
        table.follow(match.events(table.seat, self._told))
        self._told = len(match.log)
        table.legal = match.legal(table.seat)
        started = time.thread_time()
        tree = self._searched(started, started + self._seconds)
        word = table.deal.word(tree.result().action)
        return Thought(word, time.thread_time() - started, int(tree.iterations))

    def _searched(self, started: float, end: float) -> Any:
        """Search until the end; each stretch takes half of the time that is left, at the pace so far."""
        most = FIRST_LOOK + int(self._seconds * ITERATIONS_A_SECOND)
        tree = self._new_search(self._table, most)
        tree.run(FIRST_LOOK)
        while tree.iterations < most:
            now = time.thread_time()
            stretch = int(int(tree.iterations) / max(now - started, 1e-6) * (end - now) / 2)
            if stretch < 1:
                break
            tree.run(stretch)
        return tree
