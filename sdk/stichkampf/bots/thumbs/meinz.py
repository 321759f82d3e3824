"""Rules of thumb for Meinz.

1. The highest and the lowest sum score, the middle does not: aim high or low, by the first trick taken,
   before that by the hand. Put away the card nearest the middle.
2. Call where the cards on the table promise the right sum.
3. Play the lowest card to get the trick, the highest to leave it to others.
4. Swap the card that moves its own sum furthest in the right direction.
"""

from __future__ import annotations

from stichkampf.bots.thumbs.tricks import card_of
from stichkampf.match.table import Table

_MIDDLE = 5
_CALLING = 0.5  # how far from the middle the cards must be on average


def choose(table: Table) -> str:
    verb = table.legal[0].split()[0]
    if verb == "away":
        return min(table.legal, key=lambda action: abs(number(card_of(action)) - _MIDDLE))
    if verb in ("call", "quiet"):
        return "call" if promise(table) > _CALLING else "quiet"
    if verb in ("swap", "keep"):
        return max(table.legal, key=lambda action: gain(table, action))
    return play(table)


def number(card: str) -> int:
    return int(card[1:])


def aim(table: Table) -> int:
    """1 for a high sum, -1 for a low one."""
    tricks, own_sum = table.facts["tricks"][table.seat], table.facts["sums"][table.seat]
    if tricks:
        return 1 if own_sum >= 4 * tricks * _MIDDLE else -1
    return 1 if sum(map(number, table.hand)) >= _MIDDLE * len(table.hand) else -1


def promise(table: Table) -> float:
    """The mean distance of the cards on the table from the middle, positive on the right side of it."""
    if not table.trick:
        return 0.0
    return aim(table) * sum(number(card) - _MIDDLE for _, card in table.trick) / len(table.trick)


def play(table: Table) -> str:
    lowest_first = sorted(table.legal, key=lambda action: number(card_of(action)))
    open_to_us = table.facts["tricks"][table.seat] < 2
    if not open_to_us:
        return lowest_first[-1]
    if not table.trick:
        return lowest_first[-1] if aim(table) > 0 else lowest_first[0]
    return lowest_first[0] if promise(table) > 0 else lowest_first[-1]


def gain(table: Table, action: str) -> int:
    """Points by which a swap moves its own sum in the right direction."""
    if action == "keep":
        return 0
    _, given, taken = action.split()
    return aim(table) * (number(given) - number(taken))
