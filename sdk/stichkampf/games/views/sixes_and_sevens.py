"""At Sixes and Sevens for bots: the trump in force, and the points of the sides."""

from __future__ import annotations

from stichkampf.engine.view import View


class SixesAndSevensView(View):
    """The facts of a deal of At Sixes and Sevens; seats 0 and 2 play against 1 and 3.

    >>> from stichkampf.testing import table_at
    >>> view = table_at("sixes-and-sevens", 4, seed="docs", decision=30).view(SixesAndSevensView)
    >>> view.trump, view.side_points, view.lead
    ('S', [10, 70], -60)

    :ivar side_points: the points so far of seats 0 and 2, then of seats 1 and 3.
    :ivar tricks: by seat the tricks won.
    :ivar trump: the trump suit in force: C, D, H or S; None before the first seven.
    """

    side_points: list[int]
    tricks: list[int]
    trump: str | None

    @property
    def lead(self) -> int:
        """The points by which this seat's side leads; below 0 where it is behind."""
        own = self.seat % 2
        return self.side_points[own] - self.side_points[1 - own]

    @property
    def lowest_wins(self) -> bool:
        """True where a six lies in the trick, so that the lowest card of the winning suit takes it."""
        return any(card[1] == "6" for _, card in self.deal.table())
