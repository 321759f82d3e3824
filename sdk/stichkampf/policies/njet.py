"""Usual stones, teams and discards of players of Njet. Tricks are left to chance.

A hand is *strong* when its cards are worth more on average than those of the whole deck.
"""

from __future__ import annotations

from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import bit_count, indices, vec
from stichkampf.engine.deal import Deal
from stichkampf.games.njet import NjetDeal
from stichkampf.policies.kind_policy import KindPolicy

_WORDS: Final = NjetDeal(4, 0)
_BLOCK: Final[i64] = _WORDS.action("block start 0")
_TEAM: Final[i64] = _WORDS.action("team alone")
_MONSTER: Final[i64] = _WORDS.action("monster 0")
_AWAY: Final[i64] = _WORDS.action("discard B0")
_GIVE: Final[i64] = _WORDS.action("give B0")

# Fifteen bits a colour: 0, 0, 0, 1 … 6, 7, 7, 7, 7, 8, 9.
_BITS_A_COLOUR: Final = 15
_RANKS: Final = "000123456777789"
_VALUE: Final = vec[i64]([int(_RANKS[bit % 15]) for bit in range(60)])
_COLOUR: Final = vec[i64]([0x7FFF << (15 * colour) for colour in range(4)])
_ZEROS: Final = vec[i64]([7 << (15 * colour) for colour in range(4)])
_MEAN_VALUE: Final = 44  # of a card of the deck, in tenths

# Rows of the board.
_START: Final = 0
_DISCARD: Final = 1
_TRUMP: Final = 2
_SUPER: Final = 3
_NONE: Final = 4  # the last field of the rows of colours

_OWN_SEAT: Final = 0
_OTHER_SEAT: Final = 1
_DISCARD_FIELD: Final = 2
_TRUMP_SHORTER: Final = 7
_NO_TRUMP: Final = 12
_SUPER_ZEROS: Final = 13
_NO_SUPER: Final = 17
_POINTS_FIELD: Final = 18
_PARTNERS: Final = 28
_HOLDER: Final = 34
_CARD: Final = 38

_HANDS: Final = ("weak", "strong")
_FEWER: Final = ("0", "1", "2", "3", "4 or more")


class NjetPolicy(KindPolicy):
    """A policy for Njet: stones and discards by the length and strength of the colours held."""

    names: ClassVar[list[str]] = [
        "block the own seat",
        "block another seat",
        *[f"block discard {field}" for field in ("none", "one", "two", "two-no-zero", "pass-two")],
        *[f"block a trump, {fewer} cards fewer than of the longest colour" for fewer in _FEWER],
        "block no trump",
        *[f"block a supertrump, {held} zeros held" for held in range(4)],
        "block no supertrump",
        *[f"block points {field}, {hand} hand" for hand in _HANDS for field in ("1", "2", "3", "4", "-2")],
        *[f"{number}, {hand} hand" for hand in _HANDS for number in ("alone", "one partner", "two partners")],
        *[f"monster {holder}, {hand} hand" for hand in _HANDS for holder in ("oneself", "another")],
        "away a supertrump",
        "away a trump from 7",
        "away a trump below 7",
        "away a zero",
        "away 1 to 3",
        "away 4 to 6",
        "away a 7",
        "away 8 or 9",
    ]  # fmt: skip

    def judges(self, deal: Deal) -> bool:
        assert isinstance(deal, NjetDeal)
        return deal.stage < 4

    def kinds(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        assert isinstance(deal, NjetDeal)
        first: i64 = actions[0]
        if first < _BLOCK:
            return []
        hand: i64 = deal.hold[seat]
        if first >= _AWAY:
            verb: i64 = _GIVE if first >= _GIVE else _AWAY
            return [card_kind(deal, action - verb) for action in actions]
        strong: i64 = strength(hand)
        if first < _TEAM:
            return self.stones(hand, seat, strong, actions)
        if first < _MONSTER:
            return [_PARTNERS + 3 * strong + bit_count(action - _TEAM) for action in actions]
        found: list[int] = []
        for action in actions:
            found.append(_HOLDER + 2 * strong + (0 if action - _MONSTER == seat else 1))
        return found

    def stones(self, hand: i64, seat: i64, strong: i64, actions: list[int]) -> list[int]:
        longest: i64 = 0
        for colour in range(4):
            longest = max(longest, bit_count(hand & _COLOUR[colour]))
        found: list[int] = []
        for action in actions:
            row: i64 = (action - _BLOCK) // 5
            field: i64 = (action - _BLOCK) % 5
            kind: i64 = _POINTS_FIELD + 5 * strong + field
            if row == _START:
                kind = _OWN_SEAT if field == seat else _OTHER_SEAT
            elif row == _DISCARD:
                kind = _DISCARD_FIELD + field
            elif row == _TRUMP:
                kind = _NO_TRUMP
                if field != _NONE:
                    kind = _TRUMP_SHORTER + min(4, longest - bit_count(hand & _COLOUR[field]))
            elif row == _SUPER:
                kind = _NO_SUPER
                if field != _NONE:
                    kind = _SUPER_ZEROS + bit_count(hand & _ZEROS[field])
            found.append(kind)
        return found


def strength(hand: i64) -> i64:
    """Return 1 for a strong hand, 0 for a weak one."""
    total: i64 = 0
    for bit in indices(hand):
        total += _VALUE[bit]
    return 1 if 10 * total >= _MEAN_VALUE * bit_count(hand) else 0


def card_kind(deal: NjetDeal, card: i64) -> i64:
    value: i64 = _VALUE[card]
    colour: i64 = card // _BITS_A_COLOUR
    if value == 0 and colour == deal.supertrump:
        return _CARD
    if colour == deal.trump:
        return _CARD + (1 if value >= 7 else 2)
    if value == 0:
        return _CARD + 3
    if value < 7:
        return _CARD + 4 + (value - 1) // 3
    return _CARD + (6 if value == 7 else 7)
