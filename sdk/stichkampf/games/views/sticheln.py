"""Sticheln for bots: pain cards, points, and the worth of cards."""

from __future__ import annotations

from collections.abc import Iterable

from stichkampf.engine.view import View


def points_of(card: str, pain_colour: str | None) -> int:
    """Return the points of a captured card for a seat with that pain colour.

    >>> points_of("R5", "R"), points_of("R5", "B")
    (-5, 1)
    """
    return -int(card[1:]) if card[0] == pain_colour else 1


class StichelnView(View):
    """The facts of a deal of Sticheln.

    >>> from stichkampf.testing import table_at
    >>> view = table_at("sticheln", 4, seed="docs", phase="tricks").view(StichelnView)
    >>> view.pain
    ['B6', 'R0', 'O3', 'R4']
    >>> view.hurts(2, "O4"), view.worth(["O4", "R5", "B0"], 2)
    (True, -2)

    :ivar pain: by seat its pain card, None until all have chosen.
    :ivar points: by seat the points of the deal so far, this seat's pain card charged.
    :ivar tricks: by seat the tricks won.
    :ivar chosen: this seat's pain card while others still choose, else None.
    """

    pain: list[str | None]
    points: list[int]
    tricks: list[int]
    chosen: str | None

    def hurts(self, seat: int, card: str) -> bool:
        """Tell whether a captured card would cost this seat its value; False while its colour is unknown."""
        pain = self.pain[seat]
        return pain is not None and card[0] == pain[0]

    def worth(self, cards: Iterable[str], seat: int) -> int:
        """Return the points that these cards bring to the seat that captures them."""
        pain = self.pain[seat]
        return sum(points_of(card, pain and pain[0]) for card in cards)
