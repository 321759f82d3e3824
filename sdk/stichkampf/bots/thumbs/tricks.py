"""Questions about the trick on the table that rules of thumb ask in most games, and two answers."""

from __future__ import annotations

from collections.abc import Callable

from stichkampf.match.table import Table


def card_of(action: str) -> str:
    """The card of "play R6"."""
    return action.split()[-1]


def is_last(table: Table) -> bool:
    """Tell whether the trick is complete with the bot's card."""
    return len(table.trick) == int(table.deal.seats) - 1


def holds(table: Table, action: str) -> bool:
    """Tell whether this card would hold the trick as it then stands."""
    return holder(table, action) == table.seat


def holder(table: Table, action: str) -> int:
    """The seat that would hold the trick after this card; -1 for none."""
    after = table.deal.clone()
    tricks = after.tricks_done()
    after.apply(after.action(action))
    trick = after.last_trick()
    if trick is not None and trick.number > tricks:
        return trick.winner
    return int(after.best)  # type: ignore[attr-defined]


def side_chance(
    table: Table, action: str, strength: Callable[[str], float], with_us: Callable[[int], bool]
) -> float:
    """Roughly, how often its own side gets the trick after this card.

    :param strength: of a card, how often it takes a trick.
    :param with_us: whether a seat is on the bot's side, the bot's seat included.
    """
    best = holder(table, action)
    card = next((card for seat, card in table.trick if seat == best), card_of(action))
    ours = with_us(best)
    to_come = [(table.seat + k) % table.seats for k in range(1, table.seats - len(table.trick))]
    rivals = sum(with_us(seat) != ours for seat in to_come)
    kept = (0.3 + 0.7 * strength(card)) ** rivals
    return kept if ours else 1 - kept


def take(table: Table, weakest_first: list[str]) -> str:
    """Try for the trick with the strongest card, last with the cheapest that does; if none, the weakest."""
    if not table.trick:
        return weakest_first[-1]
    taking = [action for action in weakest_first if holds(table, action)]
    if not taking:
        return weakest_first[0]
    return taking[0] if is_last(table) else taking[-1]


def duck(table: Table, weakest_first: list[str]) -> str:
    """Leave the trick to others with the strongest card that does; where none does, hope with the weakest."""
    if not table.trick:
        return weakest_first[0]
    ducking = [action for action in weakest_first if not holds(table, action)]
    if ducking:
        return ducking[-1]
    return weakest_first[-1] if is_last(table) else weakest_first[0]
