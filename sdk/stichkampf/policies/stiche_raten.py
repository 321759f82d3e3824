"""Usual bids of players of Stiche-Raten. Tricks are left to chance.

A hand is worth the sum of the chances of its cards to meet no better one.
"""

from __future__ import annotations

from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, bit_count, indices
from stichkampf.engine.deal import Deal
from stichkampf.games.stiche_raten import SticheRatenDeal
from stichkampf.policies.kind_policy import KindPolicy

_TRUMP: Final[i64] = 64
_BID: Final[i64] = 80
_RANKS: Final = 13
_ONE: Final = 1000  # a whole trick
_HALF: Final = 500

_FURTHEST: Final = 4
_SUIT_HELD: Final = 9
_MOST_HELD: Final = 6


class SticheRatenPolicy(KindPolicy):
    """A policy for Stiche-Raten: bids by their difference from the worth of the hand, trumps by length."""

    names: ClassVar[list[str]] = [
        *[f"bid {difference:+d} beside the worth of the hand" for difference in range(-4, 5)],
        *[f"name a trump, {held} kinds held" for held in range(_MOST_HELD + 1)],
    ]

    def judges(self, deal: Deal) -> bool:
        assert isinstance(deal, SticheRatenDeal)
        return deal.stage < 2

    def kinds(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        assert isinstance(deal, SticheRatenDeal)
        first: i64 = actions[0]
        found: list[int] = []
        if first >= _BID:
            worth: i64 = (worth_of(deal, seat) + _HALF) // _ONE
            for action in actions:
                found.append(_FURTHEST + max(-_FURTHEST, min(_FURTHEST, action - _BID - worth)))
        elif deal.stage == 0:
            for action in actions:
                held: i64 = bit_count(deal.hold[seat] & deal.rank.suits[action - _TRUMP])
                found.append(_SUIT_HELD + min(_MOST_HELD, held))
        return found


def worth_of(deal: SticheRatenDeal, seat: i64) -> i64:
    """Return the worth of a hand, in thousandths of a trick."""
    cards: i64 = len(deal.rank.deck)
    copies: i64 = 2 if cards == 64 else 1
    total: i64 = 0
    hand: i64 = deal.hold[seat]
    for card in indices(hand):
        bit: i64 = BIT[card]
        worse: i64 = 0
        if bit & deal.rank.grab:
            worse = cards - 2 * copies
        elif bit & deal.rank.passing == 0:
            higher: i64 = copies * (_RANKS - 1 - card % _RANKS)
            if deal.trump >= 0 and card // _RANKS != deal.trump:
                higher += cards // 4
            worse = cards - higher
        chance: i64 = _ONE
        for _k in range(deal.seats - 1):
            chance = chance * worse // cards
        total += chance * (2 if deal.twice[seat] & bit else 1)
    return total
