"""Usual discards, calls and exchanges of players of Meinz. The cards of tricks are left to chance.

Only the highest and the lowest sums score, so a seat *aims* high or low: by its tricks, before them by its
hand.
"""

from __future__ import annotations

from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import bit_count, indices
from stichkampf.engine.deal import Deal
from stichkampf.engine.trick_deal import card_at
from stichkampf.games.meinz import MeinzDeal
from stichkampf.policies.kind_policy import KindPolicy

_WORDS: Final = MeinzDeal(0)
_AWAY: Final[i64] = _WORDS.action("away R1")
_QUIET: Final[i64] = _WORDS.action("quiet")
_CALL: Final[i64] = _WORDS.action("call")
_KEEP: Final[i64] = _WORDS.action("keep")
_SWAP: Final[i64] = _WORDS.action("swap R1 R1")
_PLAYING: Final = 1  # the stage of a deal
_MIDDLE: Final = 5

_DISTANCE: Final = 0
_PROMISE: Final = 9
_STEPS: Final = 7
_GAIN: Final = 23


class MeinzPolicy(KindPolicy):
    """A policy for Meinz: cards put away by their distance from the aim, calls by the tricks promised."""

    names: ClassVar[list[str]] = [
        *[f"put away a card {distance:+d} towards the aim" for distance in range(-4, 5)],
        *[f"stay quiet, promise {promise:+d}" for promise in range(-3, 4)],
        *[f"call, promise {promise:+d}" for promise in range(-3, 4)],
        "keep",
        "swap for the worse or nothing",
        "swap for 1 or 2",
        "swap for 3 or 4",
        "swap for 5 or more",
    ]

    def judges_now(self, deal: Deal) -> bool:
        assert isinstance(deal, MeinzDeal)
        return deal.stage != _PLAYING

    def kinds(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        assert isinstance(deal, MeinzDeal)
        first: i64 = actions[0]
        if first < _AWAY:
            return []
        aim: i64 = aim_of(deal, seat)
        found: list[int] = []
        if first >= _KEEP:
            for action in actions:
                found.append(_GAIN if action == _KEEP else _GAIN + 1 + gain(action - _SWAP, aim))
        elif first >= _QUIET:
            step: i64 = promise(deal, aim) + 3
            for action in actions:
                found.append(_PROMISE + step + (_STEPS if action == _CALL else 0))
        else:
            for action in actions:
                found.append(_DISTANCE + 4 + aim * ((action - _AWAY) % 9 + 1 - _MIDDLE))
        return found


def aim_of(deal: MeinzDeal, seat: i64) -> i64:
    """Return 1 for a high aim, -1 for a low one."""
    above: i64 = 0
    tricks: i64 = deal.tricks_of(seat)
    if tricks:
        above = deal.sums[seat] - 4 * tricks * _MIDDLE
    else:
        hand: i64 = deal.hold[seat]
        for card in indices(hand):
            above += card % 9 + 1
        above -= _MIDDLE * bit_count(hand)
    return 1 if above >= 0 else -1


def promise(deal: MeinzDeal, aim: i64) -> i64:
    """Return the mean distance of the cards on the table from the middle, towards the aim: -3 … 3."""
    total: i64 = 0
    for k in range(deal.count):
        total += card_at(deal.laid, k) % 9 + 1 - _MIDDLE
    if deal.count:
        total = aim * total // deal.count
    return max(-3, min(3, total))


def gain(swap: i64, aim: i64) -> i64:
    """Return the step of what an exchange moves this seat's sum towards the aim: 0 … 3."""
    moved: i64 = aim * (swap // 36 % 9 - swap % 36 % 9)
    if moved <= 0:
        return 0
    return min(3, 1 + (moved - 1) // 2)
