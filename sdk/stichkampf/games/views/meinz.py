"""Meinz for bots: calls, sums, and the seats that may still take a trick."""

from __future__ import annotations

from stichkampf.engine.view import View


class MeinzView(View):
    """The facts of a round of Meinz; with three bots seat 3 is the card monster.

    >>> from stichkampf.testing import table_at
    >>> view = table_at("meinz", 4, seed="docs", decision=40).view(MeinzView)
    >>> view.tricks, view.sums, view.open_seats
    ([2, 2, 0, 1], [38, 38, 0, 18], [2, 3])

    :ivar called: the seat that called "Meinz" in this trick, else None.
    :ivar known: by seat the cards of its hand that all know from exchanges.
    :ivar sums: by seat the sum of the numbers in its tricks.
    :ivar tricks: by seat the tricks won.
    :ivar away: this seat's card put away, None before.
    """

    called: int | None
    known: list[list[str]]
    sums: list[int]
    tricks: list[int]
    away: str | None

    @property
    def open_seats(self) -> list[int]:
        """The seats with fewer than two tricks."""
        return [seat for seat, tricks in enumerate(self.tricks) if tricks < 2]
