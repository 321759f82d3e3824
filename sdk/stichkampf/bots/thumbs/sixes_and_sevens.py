"""Rules of thumb for At Sixes and Sevens.

1. A trick is worth 5, and 6 or 7 for each six or seven in it, by the chance that its own side gets it.
2. The better the winning card and the fewer opponents still to play, the likelier its side keeps the trick.
3. Cards that take tricks later are not thrown away: high ones, the six, and above all the seven.
"""

from __future__ import annotations

from stichkampf.bots.thumbs.tricks import card_of
from stichkampf.match.table import Table

_RANKS = "23456789TJQKA"


def choose(table: Table) -> str:
    return max(table.legal, key=lambda action: worth(table, card_of(action)))


def worth(table: Table, card: str) -> float:
    trick = [*table.trick, (table.seat, card)]
    points = 5 + sum({"6": 6, "7": 7}.get(played[1], 0) for _, played in trick)
    return (2 * chance(table, trick) - 1) * points / 2 - cost(card)


def cost(card: str) -> float:
    """The value that a card may still bring."""
    return {"7": 5.0, "6": 3.0}.get(card[1], _RANKS.index(card[1]) / 4)


def chance(table: Table, trick: list[tuple[int, str]]) -> float:
    """Roughly, how often its own side gets a trick that stands so."""
    seat, card = holder(trick, table.facts["trump"])
    ours = (seat - table.seat) % 2 == 0
    to_come = 4 - len(trick)
    rivals = (to_come + 1) // 2 if ours else to_come // 2
    kept = (0.4 + 0.6 * _RANKS.index(card[1]) / 12) ** rivals
    return kept if ours else 1 - kept


def holder(trick: list[tuple[int, str]], trump: str | None) -> tuple[int, str]:
    """The seat and card that would win if the trick ended here."""
    for _, card in trick:
        if card[1] == "7":
            trump = card[0]
    suit = trump if any(card[0] == trump for _, card in trick) else trick[0][1][0]
    in_suit = [(seat, card) for seat, card in trick if card[0] == suit]
    low = any(card[1] == "6" for _, card in trick)
    return (min if low else max)(in_suit, key=lambda played: _RANKS.index(played[1][1]))
