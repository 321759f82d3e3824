"""Observations of Mü: the auction, chief, vice and partner, their trumps, card points."""

from __future__ import annotations

from typing import Final, cast

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, vec
from stichkampf.engine.packs import Pack
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.games.mue import MueDeal
from stichkampf.lab.observations.encoder import PackEncoder, Parts

_PACK: Final = Pack("BYRKG", "011234567789")
_PHASES: Final = 5
_TRUMPS: Final = 16  # five colours, ten digits, none
_NO_TRUMP: Final = 15


class MueEncoder(PackEncoder):
    """Observations of Mü. `hand` is what is hidden, `open` what lies open since the auction."""

    def __init__(self, seats: i64) -> None:
        super().__init__(seats, 60, _PACK.copies)

    def own_words(self) -> list[Parts]:
        seats = int(self.seats)
        roles: Parts = [("phase", _PHASES), ("chief", seats), ("vice", seats), ("partner", seats)]
        return [
            *self.cards_by_seat("open"),
            [("trump cards", 60)],
            [*roles, ("chief's trump", _TRUMPS), ("vice's trump", _TRUMPS)],
        ]

    def own_numbers(self) -> Parts:
        return [
            *self.by_seat("height", 15),
            *self.by_seat("points", 30),
            ("may lay", 15),
            ("laid now", 15),
            ("passes", 6),
        ]

    def write(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64, numbers: vec[i64], n: i64) -> None:
        own = cast(MueDeal, deal)
        seats: i64 = self.seats
        s: i64 = seat
        for k in range(seats):
            bits[b + k] = own.laid_open[s]
            numbers[n + k] = own.height_of(s)
            numbers[n + seats + k] = own.points[s]
            s += 1
            if s == seats:
                s = 0
        bits[b + seats] = own.trumps
        trumps: i64 = 0
        if own.chief_trump != _NO_TRUMP or own.stage > 2:
            trumps = BIT[own.chief_trump]
        if own.vice_trump != _NO_TRUMP:
            trumps |= BIT[_TRUMPS + own.vice_trump]
        roles: i64 = self.flag(own.chief, seat) | self.flag(own.vice, seat) << seats
        roles |= self.flag(own.partner, seat) << (2 * seats)
        bits[b + seats + 1] = BIT[own.stage] | roles << _PHASES | trumps << (_PHASES + 3 * seats)
        numbers[n + 2 * seats] = own.limit
        numbers[n + 2 * seats + 1] = own.laid_now
        numbers[n + 2 * seats + 2] = own.passes
