"""Observations of Sticheln: the pain cards, and points so far."""

from __future__ import annotations

from typing import Final, cast

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, vec
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.games.sticheln import StichelnDeal
from stichkampf.lab.observations.encoder import Encoder, Parts

_HALF: Final = 45  # cards a word: three colours


class StichelnEncoder(Encoder):
    """Observations of Sticheln. A set of cards takes two words of three colours."""

    def __init__(self, seats: i64) -> None:
        super().__init__(seats, _HALF, 2)

    def own_words(self) -> list[Parts]:
        return [*self.cards_by_seat("pain"), [("choosing", 1)]]

    def own_numbers(self) -> Parts:
        return self.by_seat("points", 50)

    def write_hand(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64) -> None:
        own = cast(StichelnDeal, deal)
        bits[b] = own.hold[seat]
        bits[b + 1] = own.hold[self.seats + seat]

    def write_card(self, card: i64, bits: vec[i64], b: i64) -> None:
        if card < _HALF:
            bits[b] |= BIT[card]
        else:
            bits[b + 1] |= BIT[card - _HALF]

    def write(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64, numbers: vec[i64], n: i64) -> None:
        own = cast(StichelnDeal, deal)
        s: i64 = seat
        for k in range(self.seats):
            bits[b] = 0
            bits[b + 1] = 0
            if own.pain[s] >= 0 and (s == seat or not own.choosing):
                self.write_card(own.pain[s], bits, b)
            b += 2
            numbers[n + k] = 0
            if not own.choosing:
                numbers[n + k] = own.points[s]
            s += 1
            if s == self.seats:
                s = 0
        bits[b] = 0
        if own.choosing:
            bits[b] = 1
