"""Mü for bots: the auction, the trumps, and the sides."""

from __future__ import annotations

from stichkampf.engine.view import View


def points_of(card: str) -> int:
    """Return the card points of a card: 2 for 6 and 7, none for 1 and 9, else 1.

    >>> points_of("B7"), points_of("K0")
    (2, 1)
    """
    return {"6": 2, "7": 2, "1": 0, "9": 0}.get(card[1], 1)


class MueView(View):
    """The facts of a deal of Mü.

    >>> from stichkampf.testing import table_at
    >>> view = table_at("mue", 4, seed="docs 3", phase="tricks").view(MueView)
    >>> view.chief, view.partner, view.chief_trump, view.vice_trump, view.target
    (2, 1, '1', 'B', 38)
    >>> view.trump_rank("B1"), view.trump_rank("B4"), view.is_trump("R4"), sorted(view.chief_side)
    (3, 1, False, [1, 2])

    :ivar card_points: by seat the card points won.
    :ivar chief: the chief's seat, None in the auction.
    :ivar chief_trump: a colour letter, a digit or "none"; None until it is named.
    :ivar laid: by seat the cards that lie open before it; `table.own_cards` includes one's own.
    :ivar may_lay: the cards that the seat to act may still lay; None after the auction.
    :ivar partner: the partner's seat, None until the chief has picked it.
    :ivar target: the card points that chief and partner need; None in the auction.
    :ivar tricks: by seat the tricks won.
    :ivar vice: the vice's seat, None in the auction and where there is none.
    :ivar vice_trump: like `chief_trump`, without "none".
    """

    card_points: list[int]
    chief: int | None
    chief_trump: str | None
    laid: list[list[str]]
    may_lay: int | None
    partner: int | None
    target: int | None
    tricks: list[int]
    vice: int | None
    vice_trump: str | None

    def is_trump(self, card: str) -> bool:
        """Tell whether a card is a trump, of the chief or of the vice."""
        return self.trump_rank(card) > 0

    def trump_rank(self, card: str) -> int:
        """Return 3 for a double trump, 2 for another of the chief's trumps, 1 for the vice's, 0 for none."""
        of_chief = self.chief_trump is not None and self.chief_trump in card
        of_vice = self.vice_trump is not None and self.vice_trump in card
        if of_chief and of_vice and self.chief_trump != self.vice_trump:
            return 3
        return 2 if of_chief else 1 if of_vice else 0

    def points_of(self, card: str) -> int:
        """Return the card points of a card."""
        return points_of(card)

    @property
    def chief_side(self) -> frozenset[int]:
        """Chief and partner, as far as they are known."""
        return frozenset(seat for seat in (self.chief, self.partner) if seat is not None)
