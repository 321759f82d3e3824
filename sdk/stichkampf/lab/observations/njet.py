"""Observations of Njet: the board, the teams, and the cards that the seat has put away or passed."""

from __future__ import annotations

from typing import Final, cast

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, five_bits, vec
from stichkampf.engine.packs import Pack
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.games.njet import NjetDeal
from stichkampf.lab.observations.encoder import PackEncoder, Parts

_PACK: Final = Pack("BYRK", "000123456777789")
_BOARD: Final = 25
_PHASES: Final = 5


class NjetEncoder(PackEncoder):
    """Observations of Njet. `board` are the fields that are not blocked, row by row; the fields of the row of
    start players count seats from seat 0, as the actions do.
    """

    def __init__(self, seats: i64) -> None:
        super().__init__(seats, 60, _PACK.copies)

    def own_words(self) -> list[Parts]:
        seats = int(self.seats)
        board: Parts = [("board", _BOARD), ("phase", _PHASES), ("team", seats), ("monster", seats)]
        return [board, [("trump cards", 60)], [("put away", 60)], [("passed", 60)]]

    def own_numbers(self) -> Parts:
        return self.by_seat("booty", 12)

    def write(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64, numbers: vec[i64], n: i64) -> None:
        own = cast(NjetDeal, deal)
        seats: i64 = self.seats
        teams: i64 = self.flags(own.team, seat) | self.flag(own.monster, seat) << seats
        bits[b] = own.free | BIT[_BOARD + own.stage] | teams << (_BOARD + _PHASES)
        bits[b + 1] = own.trumps
        bits[b + 2] = 0
        for k in range(own.chosen_count(seat)):
            self.write_card(own.chosen_card(seat, k), bits, b + 2)
        bits[b + 3] = own.given[seat]
        s: i64 = seat
        for k in range(seats):
            numbers[n + k] = five_bits(own.booty, s)
            s += 1
            if s == seats:
                s = 0
