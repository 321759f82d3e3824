"""Rules of thumb for Sticheln.

1. The pain colour is the one of which its own hand holds most, so that others can hurt with little of it; the
   pain card is its lowest.
2. A trick is worth one point for each card, less the values of the pain colour in it, and only as much as it
   is likely to stay taken.
3. A card that does not take the trick is worth what it hurts the seat that holds it.
4. High cards are kept for better tricks.
"""

from __future__ import annotations

from stichkampf.bots.thumbs.tricks import card_of, holder
from stichkampf.games.views.sticheln import points_of
from stichkampf.match.table import Table

_HURTING_ANOTHER = 0.3  # of what it costs the other
_KEEPING = 0.05  # for each point of a card's value


def choose(table: Table) -> str:
    if table.legal[0].startswith("pain"):
        return min(table.legal, key=lambda action: pain(table, card_of(action)))
    return max(table.legal, key=lambda action: worth(table, card_of(action)))


def value(card: str) -> int:
    return int(card[1:])


def pain(table: Table, card: str) -> float:
    """The likely cost of this pain card: its value, and the high cards of its colour in other hands."""
    held = sum(value(own) for own in table.hand if own[0] == card[0])
    return value(card) - 0.5 * held


def worth(table: Table, card: str) -> float:
    pains = [pain_card[0] for pain_card in table.facts["pain"]]
    taker = holder(table, f"play {card}")
    kept = -_KEEPING * value(card)
    if taker == table.seat:
        trick = sum(points_of(taken, pains[taker]) for taken in [*(c for _, c in table.trick), card])
        return kept + chance_to_hold(table, card) * trick
    hurt = -points_of(card, pains[taker]) if taker >= 0 else 0
    return kept + _HURTING_ANOTHER * hurt


def chance_to_hold(table: Table, card: str) -> float:
    """Roughly, how often no later seat plays higher. Any trump card beats a card of the colour led."""
    left = table.seats - 1 - len(table.trick)
    if left and (not table.trick or table.trick[0][1][0] == card[0]):
        return 0.1
    highest = {3: 8, 4: 11}.get(table.seats, 14)
    return float((value(card) / highest) ** left)
