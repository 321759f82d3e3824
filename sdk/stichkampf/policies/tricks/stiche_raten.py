"""Usual cards of tricks of players of Stiche-Raten, beside the usual bids."""

from __future__ import annotations

from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import BIT
from stichkampf.engine.deal import Deal
from stichkampf.games.stiche_raten import SticheRatenDeal
from stichkampf.policies.stiche_raten import SticheRatenPolicy

_PLAYING: Final = 2  # a stage of a deal
_RANKS: Final = 13

_NEEDS: Final = ("none", "some", "all")
_STRENGTHS: Final = ("low card", "middle card", "high card", "low trump", "high trump")
_HIGH_TRUMP: Final = 8  # a rank, from 0; likewise
_MIDDLE: Final = 5
_HIGH: Final = 9
_EACH: Final = 5  # kinds of one need, by strength
_LEADING: Final = len(SticheRatenPolicy.names)
_TAKING: Final = _LEADING + 3 * _EACH
_LEAVING: Final = _TAKING + 6 * _EACH


class SticheRatenTricks(SticheRatenPolicy):
    """A policy for Stiche-Raten: bids as `SticheRatenPolicy`, cards by how many of the tricks left a seat
    needs.
    """

    names: ClassVar[list[str]] = [
        *SticheRatenPolicy.names,
        *[f"needs {need}: lead a {strength}" for need in _NEEDS for strength in _STRENGTHS],
        *[
            f"needs {need}: take {when} with a {strength}"
            for need in _NEEDS
            for when in ("before the end", "as the last")
            for strength in _STRENGTHS
        ],
        *[f"needs {need}: leave, a {strength}" for need in _NEEDS for strength in _STRENGTHS],
    ]

    def judges(self, deal: Deal) -> bool:
        return True

    def kinds(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        assert isinstance(deal, SticheRatenDeal)
        if deal.stage < _PLAYING:
            return super().kinds(deal, seat, actions)
        need: i64 = need_of(deal, seat)
        last: i64 = _EACH if deal.count == deal.seats - 1 else 0
        found: list[int] = []
        for action in actions:
            bit: i64 = BIT[action]
            strength: i64 = strength_of(deal, action, bit)
            if deal.count == 0:
                found.append(_LEADING + _EACH * need + strength)
            elif deal.power(action, bit, bit & deal.rank.specials != 0) > deal.best_power:
                found.append(_TAKING + 2 * _EACH * need + last + strength)
            else:
                found.append(_LEAVING + _EACH * need + strength)
        return found


def need_of(deal: SticheRatenDeal, seat: i64) -> i64:
    """Return the place in `_NEEDS`: how many of the tricks left a seat needs for its bid."""
    needed: i64 = deal.bid_of(seat) - deal.tricks_of(seat)
    if needed <= 0:
        return 0
    return 1 if needed < deal.size - deal.done else 2


def strength_of(deal: SticheRatenDeal, card: i64, bit: i64) -> i64:
    """Return the place in `_STRENGTHS`; a card that grabs counts as a high trump, one that passes as low."""
    if bit & deal.rank.specials:
        return 4 if bit & deal.rank.grab else 0
    rank: i64 = card % _RANKS
    if card // _RANKS == deal.trump:
        return 4 if rank >= _HIGH_TRUMP else 3
    if rank < _MIDDLE:
        return 0
    return 1 if rank < _HIGH else 2
