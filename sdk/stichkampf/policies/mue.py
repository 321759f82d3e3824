"""Usual bids, trumps and partners of players of Mü. Tricks are left to chance.

A hand affords as many cards in the auction as its longest colour and its eights and nines are above the
usual. The *margin* is that number less the height that takes the lead.
"""

from __future__ import annotations

from typing import ClassVar, Final

from mypy_extensions import i64

from stichkampf.engine.bits import bit_count, vec
from stichkampf.engine.deal import Deal
from stichkampf.games.mue import MueDeal
from stichkampf.policies.kind_policy import KindPolicy

_WORDS: Final = MueDeal(4, 0)
_LAY: Final[i64] = _WORDS.action("lay B0")
_PASS: Final[i64] = _WORDS.action("pass")
_STOP: Final[i64] = _WORDS.action("stop")
_TRUMP: Final[i64] = _WORDS.action("trump B")
_DIGIT_TRUMP: Final[i64] = _WORDS.action("trump 0")
_NO_TRUMP: Final[i64] = _WORDS.action("trump none")
_PARTNER: Final[i64] = _WORDS.action("partner 0")
_TRICKS: Final = "tricks"

# Twelve bits a colour: 0, 1, 1, 2 … 6, 7, 7, 8, 9.
_BITS_A_COLOUR: Final = 12
_RANKS: Final = "011234567789"
_COLOUR: Final = vec[i64]([0xFFF << (_BITS_A_COLOUR * colour) for colour in range(5)])
_DIGIT: Final = vec[i64](
    [
        sum(2 ** (_BITS_A_COLOUR * c + k) for c in range(5) for k in range(12) if _RANKS[k] == str(digit))
        for digit in range(10)
    ]
)
_USUAL: Final = vec[i64]([0, 0, 0, 0, 48, 48, 40])  # tenths of a card, by seats
_HIGH_CARD: Final = 6  # tenths of a card of the longest colour

_HOPELESS: Final = 7  # tenths of a hand

_MARGINS: Final = ("-3 or less", "-2", "-1", "0", "1", "2", "3 or more")
_STEPS: Final = 7
_EVEN: Final = 3  # the step of the margin 0
_PASSING: Final = 0
_BIDDING: Final = 7
_PASSING_FIRST: Final = 14
_OPENING: Final = 21
_ANOTHER_CARD: Final = 28
_ALONG: Final = 29
_STOP_BELOW: Final = 30
_STOP_TIED: Final = 31
_LAY_ON: Final = 32
_STOP_SHORT: Final = 33
_LAY_BEYOND: Final = 34
_COLOUR_HELD: Final = 35
_MOST_OF_COLOUR: Final = 8
_DIGIT_HELD: Final = 44
_MOST_OF_DIGIT: Final = 5
_NO_TRUMP_HELD: Final = 50
_MOST_HIGH_CARDS: Final = 5
_PARTNER_WITH_MOST: Final = 56
_OTHER_PARTNER: Final = 57


class MuePolicy(KindPolicy):
    """A policy for Mü: bids by the margin of the hand over the highest bid, and the choice of trumps."""

    names: ClassVar[list[str]] = [
        *[f"pass, margin {margin}" for margin in _MARGINS],
        *[f"bid, margin {margin}" for margin in _MARGINS],
        *[f"pass before any bid, margin {margin}" for margin in _MARGINS],
        *[f"open, margin {margin}" for margin in _MARGINS],
        "lay another card than the lowest of the longest colour",
        "lay along below the most cards, margin below 0",
        "stop below the most cards, margin below 0",
        "stop with as many cards as another",
        "lay one more in a turn, margin 0 or more",
        "stop below the most cards, margin 0 or more",
        "lay one more in a turn, margin below 0",
        *[f"name a colour, {held} held" for held in range(_MOST_OF_COLOUR + 1)],
        *[f"name a digit, {held} held" for held in range(_MOST_OF_DIGIT + 1)],
        *[f"name no trump, {held} eights and nines held" for held in range(_MOST_HIGH_CARDS + 1)],
        "partner with most cards laid",
        "another partner",
    ]

    def judges(self, deal: Deal) -> bool:
        assert isinstance(deal, MueDeal)
        return deal.partner < 0

    def kinds(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        assert isinstance(deal, MueDeal)
        if deal.partner >= 0:
            return []
        if deal.chief < 0:
            return self.bids(deal, seat, actions)
        if actions[0] >= _PARTNER:
            return self.partners(deal, actions)
        return self.trumps(deal, seat, actions)

    def bids(self, deal: MueDeal, seat: i64, actions: list[int]) -> list[int]:
        cards: i64 = deal.hold[seat] | deal.laid_open[seat]
        colour: i64 = longest(cards)
        affords: i64 = bit_count(cards & _COLOUR[colour]) * 10 + high_cards(cards) * _HIGH_CARD
        own: i64 = deal.height_of(seat)
        most: i64 = 0
        for s in range(deal.seats):
            if s != seat:
                most = max(most, deal.height_of(s))
        step: i64 = max(0, min(_STEPS - 1, (affords - _USUAL[deal.seats]) // 10 - max(own, most) - 1 + _EVEN))
        able: bool = step >= _EVEN
        lay: i64 = _LAY_ON if able else _LAY_BEYOND
        refuse: i64 = _STOP_SHORT if able else _STOP_BELOW
        if deal.laid_now and own == most:
            refuse = _STOP_TIED
        elif deal.laid_now == 0:
            opening: bool = most == 0 and own == 0
            lay = step + (_OPENING if opening else _BIDDING)
            refuse = step + (_PASSING_FIRST if opening else _PASSING)
            if not able and own + 1 < most:
                lay = _ALONG
        first: i64 = _LAY + _BITS_A_COLOUR * colour
        found: list[int] = []
        chosen: bool = False
        for action in actions:
            if action in (_PASS, _STOP):
                found.append(refuse)
            elif not chosen and first <= action < first + _BITS_A_COLOUR:
                chosen = True
                found.append(lay)
            else:
                found.append(_ANOTHER_CARD)
        return found

    def trumps(self, deal: MueDeal, seat: i64, actions: list[int]) -> list[int]:
        cards: i64 = deal.hold[seat] | deal.laid_open[seat]
        found: list[int] = []
        for action in actions:
            if action == _NO_TRUMP:
                found.append(_NO_TRUMP_HELD + min(_MOST_HIGH_CARDS, high_cards(cards)))
            elif action >= _DIGIT_TRUMP:
                digit: i64 = bit_count(cards & _DIGIT[action - _DIGIT_TRUMP])
                found.append(_DIGIT_HELD + min(_MOST_OF_DIGIT, digit))
            else:
                length: i64 = bit_count(cards & _COLOUR[action - _TRUMP])
                found.append(_COLOUR_HELD + min(_MOST_OF_COLOUR, length))
        return found

    def partners(self, deal: MueDeal, actions: list[int]) -> list[int]:
        most: i64 = 0
        for action in actions:
            most = max(most, deal.height_of(action - _PARTNER))
        return [
            _PARTNER_WITH_MOST if deal.height_of(action - _PARTNER) == most else _OTHER_PARTNER
            for action in actions
        ]


class MueWithoutHopelessBids(MuePolicy):
    """The policy of Mü, without an opinion on the auction once other seats have laid more cards than any hand
    affords: what is usual tells nothing of such seats.

    :param seats: how many of them it takes.
    """

    def __init__(self, table: list[int], seats: int) -> None:
        super().__init__(table)
        self.limit: i64 = seats

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.limit}>"

    def bids(self, deal: MueDeal, seat: i64, actions: list[int]) -> list[int]:
        hopeless: i64 = 0
        for s in range(deal.seats):
            if s != seat and 10 * deal.height_of(s) >= _HOPELESS * deal.dealt:
                hopeless += 1
        return [] if hopeless >= self.limit else super().bids(deal, seat, actions)


def longest(cards: i64) -> i64:
    """Return the colour of which there are most cards, the first of equals."""
    best: i64 = 0
    for colour in range(5):
        if bit_count(cards & _COLOUR[colour]) > bit_count(cards & _COLOUR[best]):
            best = colour
    return best


def high_cards(cards: i64) -> i64:
    return bit_count(cards & (_DIGIT[8] | _DIGIT[9]))
