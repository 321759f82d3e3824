"""Pending decisions of persons, who share a stream and nothing else: each table has its own account."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stichkampf.timing.pending import PendingDecision, PendingDecisions
from stichkampf.timing.time_accounts import TimeAccount


class ApartDecisions:
    """Pending decisions by table. An answer at one table charges and starts nothing at another.

    :param new_account: makes the account of a table.
    """

    def __init__(self, new_account: Callable[[], TimeAccount]) -> None:
        self._new_account = new_account
        self._tables: dict[int, PendingDecisions] = {}

    def __len__(self) -> int:
        return sum(len(table) for table in self._tables.values())

    def __contains__(self, pending: PendingDecision) -> bool:
        table = self._tables.get(pending.table)
        return table is not None and pending in table

    def over(self, now: float) -> list[PendingDecision]:
        """Return the questions that have exceeded their own limits."""
        oldest = [(table, table.oldest) for table in self._tables.values()]
        return [one for table, one in oldest if one is not None and table.is_slow(one, now)]

    def add(self, pending: PendingDecision, now: float) -> None:
        """Start the time of a question that is sent now."""
        table = self._tables.get(pending.table)
        if table is None:
            table = self._tables[pending.table] = PendingDecisions(self._new_account())
        table.add(pending, now)

    def take(self, table: int, number: int) -> PendingDecision | None:
        """Remove and return a pending decision; None if it is not pending."""
        decisions = self._tables.get(table)
        return None if decisions is None else decisions.take(table, number)

    def drop(self, table: int) -> None:
        """Remove all pending decisions of a table, and its account."""
        self._tables.pop(table, None)

    def charge(self, taken: Sequence[PendingDecision], arrival: float) -> list[float]:
        """Return the cost in seconds of each of these decisions, whose answers arrived together."""
        return [self._tables[pending.table].charge([pending], arrival)[0] for pending in taken]

    def give_up(self, pending: PendingDecision, now: float) -> float:
        """Remove a decision that is awaited no longer; return its cost in seconds."""
        return self._tables[pending.table].give_up(pending, now)

    def leave(self, alive: float) -> None:
        """Remove all pending decisions of a lost stream.

        :param alive: the last sign of life, on the monotonic clock.
        """
        for table in self._tables.values():
            table.leave(alive)
        self._tables.clear()
