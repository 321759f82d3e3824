"""Observations of At Sixes and Sevens: the trump, who has shown a six and a seven, points by side."""

from __future__ import annotations

from typing import Final, cast

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, vec
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.games.sixes_and_sevens import SixesDeal
from stichkampf.lab.observations.encoder import Encoder, Parts

_SUITS: Final = 4
_SEATS: Final = 4


class SixesAndSevensEncoder(Encoder):
    """Observations of At Sixes and Sevens. The own side comes first."""

    def __init__(self, seats: i64) -> None:
        super().__init__(seats, 52)

    def own_words(self) -> list[Parts]:
        return [[("trump", _SUITS), ("six shown", _SEATS), ("seven shown", _SEATS)]]

    def own_numbers(self) -> Parts:
        return [("side points 0", 50), ("side points 1", 50)]

    def write(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64, numbers: vec[i64], n: i64) -> None:
        own = cast(SixesDeal, deal)
        shown: i64 = self.flags(own.shown & 15, seat) | self.flags(own.shown >> _SEATS, seat) << _SEATS
        bits[b] = shown << _SUITS
        if own.trump >= 0:
            bits[b] |= BIT[own.trump]
        numbers[n] = own.side_points(seat & 1)
        numbers[n + 1] = own.side_points(1 - (seat & 1))
