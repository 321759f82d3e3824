"""Stiche-Raten for bots: bids, trump, and the tricks that a seat still needs."""

from __future__ import annotations

from stichkampf.engine.view import View


class SticheRatenView(View):
    """The facts of a round of Stiche-Raten.

    >>> from stichkampf.testing import table_at
    >>> view = table_at("stiche-raten", 4, seed="docs", phase="tricks", deal=2).view(SticheRatenView)
    >>> view.bids, view.bid_sum, view.needed(view.seat)
    ([2, 3, 3, 2], 10, 2)

    :ivar bids: by seat the tricks bid, None until the seat has bid.
    :ivar round: the number of cards each.
    :ivar tricks: by seat the tricks won.
    :ivar trump: the trump suit: C, D, H or S; None where there is none, or none yet.
    :ivar turned: the card turned up for trump; None in the last round.
    """

    bids: list[int | None]
    round: int
    tricks: list[int]
    trump: str | None
    turned: str | None

    @property
    def bid_sum(self) -> int:
        """The bids so far, added up."""
        return sum(bid or 0 for bid in self.bids)

    def needed(self, seat: int) -> int | None:
        """Return the tricks that a seat still needs to meet its bid, below 0 for too many; None without a
        bid.
        """
        bid = self.bids[seat]
        return None if bid is None else bid - self.tricks[seat]
