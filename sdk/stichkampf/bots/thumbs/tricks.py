"""Questions about the trick on the table that rules of thumb ask in every game."""

from __future__ import annotations

from stichkampf.table import Table


def card_of(action: str) -> str:
    """The card of "play R6"."""
    return action.split()[-1]


def is_last(table: Table) -> bool:
    """Whether the trick is complete with the own card."""
    return len(table.trick) == int(table.deal.seats) - 1


def holds(table: Table, action: str) -> bool:
    """Whether playing this card would hold the trick as it then stands."""
    return holder(table, action) == table.seat


def holder(table: Table, action: str) -> int:
    """The seat that would hold the trick after this card; -1 for nobody."""
    after = table.deal.clone()
    tricks = after.tricks_done()
    after.apply(after.action(action))
    trick = after.last_trick()
    if trick is not None and trick.number > tricks:
        return trick.winner
    return int(after.best)  # type: ignore[attr-defined]
