"""Observations of Meinz: known cards, the card put away, who is asked and who called, the sums."""

from __future__ import annotations

from typing import Final, cast

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, vec
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.games.meinz import MeinzDeal
from stichkampf.lab.observations.encoder import Encoder, Parts

_CARDS: Final = 36
_PHASES: Final = 4


class MeinzEncoder(Encoder):
    """Observations of Meinz. `known` are cards in a hand that everybody has seen go there."""

    def __init__(self, seats: i64) -> None:
        super().__init__(seats, _CARDS)

    def own_words(self) -> list[Parts]:
        roles: Parts = [("phase", _PHASES), ("caller", int(self.seats))]
        return [*self.cards_by_seat("known"), [("away", _CARDS), *roles]]

    def own_numbers(self) -> Parts:
        return [*self.by_seat("sum", 50), ("asked", 4)]

    def write(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64, numbers: vec[i64], n: i64) -> None:
        own = cast(MeinzDeal, deal)
        seats: i64 = self.seats
        s: i64 = seat
        for k in range(seats):
            bits[b + k] = own.known[s]
            numbers[n + k] = own.sums[s]
            s += 1
            if s == seats:
                s = 0
        word: i64 = BIT[_CARDS + own.stage] | self.flag(own.caller, seat) << (_CARDS + _PHASES)
        if own.away[seat] >= 0:
            word |= BIT[own.away[seat]]
        bits[b + seats] = word
        numbers[n + seats] = own.ask
