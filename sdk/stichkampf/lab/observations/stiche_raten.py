"""Observations of Stiche-Raten: the trump, the bids and how many cards each holds."""

from __future__ import annotations

from typing import Final, cast

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, vec
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.games.stiche_raten import SticheRatenDeal
from stichkampf.lab.observations.encoder import Encoder, Parts, turned

_SUITS: Final = 4


class SticheRatenEncoder(Encoder):
    """Observations of Stiche-Raten. A set of cards takes two words: kinds at least once, kinds twice."""

    def __init__(self, seats: i64) -> None:
        super().__init__(seats, 52, 2)

    def plane_names(self) -> list[str]:
        return ["once", "twice"]

    def own_words(self) -> list[Parts]:
        return [[("turned", 52)], [("phase", 3), ("trump", _SUITS), ("has bid", self.seats)]]

    def own_numbers(self) -> Parts:
        return [("size", 16), ("bids", 16), *self.by_seat("bid", 16)]

    def write_hand(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64) -> None:
        own = cast(SticheRatenDeal, deal)
        bits[b] = own.hold[seat]
        bits[b + 1] = own.twice[seat]

    def write_card(self, card: i64, bits: vec[i64], b: i64) -> None:
        bit: i64 = BIT[card]
        bits[b + 1] |= bits[b] & bit
        bits[b] |= bit

    def write(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64, numbers: vec[i64], n: i64) -> None:
        own = cast(SticheRatenDeal, deal)
        bits[b] = 0
        if own.turned >= 0:
            bits[b] = BIT[own.turned]
        word: i64 = BIT[own.stage]
        if own.trump >= 0:
            word |= BIT[3 + own.trump]
        numbers[n] = own.size
        numbers[n + 1] = own.bid_sum
        s: i64 = seat
        for k in range(self.seats):
            numbers[n + 2 + k] = 0
            if turned(s, own.left_of(own.dealer), self.seats) < own.bidders:
                word |= BIT[3 + _SUITS + k]
                numbers[n + 2 + k] = own.bid_of(s)
            s += 1
            if s == self.seats:
                s = 0
        bits[b + 1] = word
