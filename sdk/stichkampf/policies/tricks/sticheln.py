"""Usual pain cards and cards of tricks of players of Sticheln.

What a trick is worth to a seat are the points that its cards would bring that seat, the card in question
included.
"""

from __future__ import annotations

from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import bit_count
from stichkampf.engine.deal import Deal
from stichkampf.engine.trick_deal import card_at
from stichkampf.games.sticheln import StichelnDeal
from stichkampf.policies.kind_policy import KindPolicy

_PAIN: Final[i64] = StichelnDeal(4, 0).action("pain R0")

# A card is colour * 15 + value; `hold` has the first three colours of each hand, then the others of each.
_VALUES: Final[i64] = 15
_ONE_COLOUR: Final[i64] = 2**15 - 1
_COLOURS_IN_A_MASK: Final = 3

_STEPS: Final = ("0", "1 to 3", "4 to 7", "8 or more")
_WORTHS: Final = ("below -3", "-3 to -1", "0 to 2", "3 or more")
_MOST_HELD: Final = 6
_CHOOSING: Final = 0
_LEADING: Final = _CHOOSING + 4 * (_MOST_HELD + 1)
_TAKING: Final = _LEADING + 8
_LAST: Final = 12
_LEAVING: Final = _TAKING + 2 * _LAST
_OF_THE_TAKER: Final = 4
_OF_THE_OWN: Final = 8


class StichelnTricks(KindPolicy):
    """A policy for Sticheln: pain cards by value and length, cards of tricks by what these would be worth."""

    names: ClassVar[list[str]] = [
        *[f"pain card of {held}, value {value}" for held in range(_MOST_HELD + 1) for value in _STEPS],
        *[f"lead {colour}, value {value}" for colour in ("another colour", "own pain") for value in _STEPS],
        *[
            f"take {when}, worth {worth}, value {value}"
            for when in ("before the end", "as the last")
            for worth in _WORTHS
            for value in ("0 to 3", "4 to 7", "8 or more")
        ],
        *[
            f"leave, {own}, {taker}, value {value}"
            for own in ("another colour", "own pain")
            for taker in ("no pain of the taker", "pain of the taker")
            for value in _STEPS
        ],
    ]

    def kinds(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        assert isinstance(deal, StichelnDeal)
        if deal.choosing:
            return [_CHOOSING + pain_kind(deal, seat, action - _PAIN) for action in actions]
        own: i64 = deal.pain[seat] // _VALUES
        if deal.count == 0:
            return [
                _LEADING + (4 if action // _VALUES == own else 0) + step(action % _VALUES)
                for action in actions
            ]
        before: i64 = worth_of_table(deal, own)
        last: i64 = _LAST if deal.count == deal.seats - 1 else 0
        taker: i64 = deal.pain[deal.best] // _VALUES
        found: list[int] = []
        for action in actions:
            colour: i64 = action // _VALUES
            value: i64 = action % _VALUES
            if deal.power(action) > deal.best_power:
                worth: i64 = worth_step(before + (-value if colour == own else 1))
                found.append(_TAKING + last + 3 * worth + max(0, step(value) - 1))
            else:
                kind: i64 = _LEAVING + step(value)
                if colour == taker:
                    kind += _OF_THE_TAKER
                if colour == own:
                    kind += _OF_THE_OWN
                found.append(kind)
        return found


def pain_kind(deal: StichelnDeal, seat: i64, card: i64) -> i64:
    """Return the kind of a pain card, by how many of its colour are held and by its value."""
    colour: i64 = card // _VALUES
    half: i64 = colour // _COLOURS_IN_A_MASK
    cards: i64 = deal.hold[seat + half * deal.seats]
    held: i64 = bit_count(cards >> (_VALUES * (colour % _COLOURS_IN_A_MASK)) & _ONE_COLOUR)
    return 4 * min(_MOST_HELD, held) + step(card % _VALUES)


def worth_of_table(deal: StichelnDeal, own: i64) -> i64:
    """Return what the cards on the table would bring a seat with this pain colour."""
    worth: i64 = 0
    for k in range(deal.count):
        card: i64 = card_at(deal.laid, k)
        worth += -(card % _VALUES) if card // _VALUES == own else 1
    return worth


def worth_step(worth: i64) -> i64:
    """Return the place in `_WORTHS`."""
    if worth < -3:
        return 0
    if worth < 0:
        return 1
    return 2 if worth < 3 else 3


def step(value: i64) -> i64:
    """Return the place in `_STEPS`."""
    if value == 0:
        return 0
    if value < 4:
        return 1
    return 2 if value < 8 else 3
