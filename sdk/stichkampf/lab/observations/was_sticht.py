"""Observations of Was sticht?: all hands, the rows and their hints, tasks, the trumps once known."""

from __future__ import annotations

from typing import Final, cast

from mypy_extensions import i64

from stichkampf.engine.bits import BIT, vec
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.games.was_sticht import WasStichtDeal
from stichkampf.lab.observations.encoder import Encoder, Parts, turned

_CARDS: Final = 36
_ROWS: Final = 9
_TASKS: Final = 60  # twelve kinds of task, their number in five bits each
_KINDS: Final = 12
_PHASES: Final = 5
_COLOURS: Final = 5  # the last for none
_NUMBERS: Final = 10  # the first for none
_CHOOSING: Final = 0
_DRAFT: Final = 1
_SHOWING: Final = 2


class WasStichtEncoder(Encoder):
    """Observations of Was sticht? Numbers of tasks are in five bits each, from the lowest up."""

    def __init__(self, seats: i64) -> None:
        super().__init__(seats, _CARDS)

    def own_words(self) -> list[Parts]:
        seats = int(self.seats)
        hands: list[Parts] = [[(f"hand {s}", _CARDS)] for s in range(1, seats)]
        rows: list[Parts] = [[(f"row {row}", _CARDS)] for row in range(_ROWS)]
        tasks: list[Parts] = [[(f"tasks {s}", _TASKS)] for s in range(seats)]
        shown: Parts = [(f"shown {s}", _KINDS) for s in range(seats)]
        trumps: Parts = [("phase", _PHASES), ("trump colour", _COLOURS), ("trump number", _NUMBERS)]
        colours: Parts = [(f"captured colours {s}", 4) for s in range(seats)]
        return [*hands, *rows, [("display", _TASKS)], *tasks, shown, [*trumps, *colours]]

    def own_numbers(self) -> Parts:
        return [(f"hint {row}", 5) for row in range(_ROWS)]

    def write(self, deal: TrickDeal, seat: i64, bits: vec[i64], b: i64, numbers: vec[i64], n: i64) -> None:
        """Write all parts. A hint is 1 + the place of its seat, 1 + `seats` for the table, 0 for none."""
        own = cast(WasStichtDeal, deal)
        seats: i64 = self.seats
        shown: i64 = 0
        colours: i64 = 0
        s: i64 = seat
        for k in range(seats):
            if k:
                bits[b + k - 1] = own.hold[s]
            bits[b + seats + _ROWS + k] = own.tasks[s]
            if own.shown_by(s) >= 0 and (own.stage > _SHOWING or s == seat):
                shown |= BIT[_KINDS * k + own.shown_by(s)]
            colours |= ((own.colours >> (4 * s)) & 15) << (4 * k)
            s += 1
            if s == seats:
                s = 0
        b += seats - 1
        for row in range(_ROWS):
            bits[b + row] = 0
            if own.stage != _CHOOSING:
                bits[b + row] = own.rows[row]
            hint: i64 = -1
            if row < own.row:
                hint = own.hint_of(row)
            if hint >= 0 and hint < seats:
                hint = turned(hint, seat, self.seats)
            numbers[n + row] = 1 + hint
        b += _ROWS
        bits[b] = 0
        if own.stage == _CHOOSING:
            bits[b] = own.display
        b += 1 + seats
        bits[b] = shown
        trumps: i64 = 0
        if own.stage > _DRAFT or (own.stage == _DRAFT and seat == own.dealer):
            trumps = BIT[own.colour] | BIT[_COLOURS + own.number]
        bits[b + 1] = BIT[own.stage] | trumps << _PHASES | colours << (_PHASES + _COLOURS + _NUMBERS)
