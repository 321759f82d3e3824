"""The results of `stichkampf play`, as a table with seats from 1, and as JSON with seats from 0."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median, stdev

from stichkampf.bots.practice import PlayedMatch
from stichkampf.bots.substitute import SUBSTITUTE
from stichkampf.engine.deal import Json
from stichkampf.match.records import thinking_times_by_seat

_LEGEND = f"score: mean and standard error; rank: mean; faults: moves that {SUBSTITUTE} made for the bot"
_HEADINGS = ("seat", "bot", "score", "±", "rank", "firsts", "faults")


class Standings:
    """The results of the matches so far, by seat.

    :ivar matches: the number of matches.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.matches = 0
        self._names = names
        self._scores: list[list[int]] = [[] for _ in names]
        self._ranks: list[list[int]] = [[] for _ in names]
        self._seconds: list[list[float]] = [[] for _ in names]
        self._faults: Counter[int] = Counter()

    def add(self, played: PlayedMatch) -> None:
        record = played.record
        for seat, (score, rank) in enumerate(zip(record["scores"], record["ranks"], strict=True)):
            self._scores[seat].append(score)
            self._ranks[seat].append(rank)
        for seat, seconds in enumerate(thinking_times_by_seat(record)):
            self._seconds[seat] += seconds
        self._faults.update(fault["seat"] for fault in record["faults"])
        self.matches += 1

    def table(self) -> str:
        """A row for each seat: mean score and its standard error, mean rank, matches won, faults."""
        rows = [_HEADINGS, *(self._row(seat) for seat in range(len(self._names)))]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
        lines = []
        for row in rows:
            cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
            cells[1] = row[1].ljust(widths[1])
            lines.append("  ".join(cells))
        return "\n".join([*lines, _LEGEND, *self._times()])

    def to_json(self) -> list[dict[str, Json]]:
        """Return an object for each seat, with the means that the table shows, and the times in seconds."""
        return [
            {
                "seat": seat,
                "bot": name,
                "mean_score": fmean(self._scores[seat]),
                "standard_error": _standard_error(self._scores[seat]),
                "mean_rank": fmean(self._ranks[seat]),
                "firsts": self._firsts(seat),
                "substituted_moves": self._faults[seat],
                "decisions_timed": len(self._seconds[seat]),
                "median_seconds": median(self._seconds[seat]) if self._seconds[seat] else None,
                "longest_seconds": max(self._seconds[seat], default=None),
            }
            for seat, name in enumerate(self._names)
        ]

    def _row(self, seat: int) -> tuple[str, ...]:
        error = _standard_error(self._scores[seat])
        return (
            str(seat + 1),
            self._names[seat],
            f"{fmean(self._scores[seat]):.2f}",
            "-" if error is None else f"{error:.2f}",
            f"{fmean(self._ranks[seat]):.2f}",
            str(self._firsts(seat)),
            str(self._faults[seat]),
        )

    def _firsts(self, seat: int) -> int:
        return sum(rank == 1 for rank in self._ranks[seat])

    def _times(self) -> list[str]:
        """A line on the thinking time of each bot that was timed."""
        return [
            f"time of {name}: {len(seconds)} decisions, median {1000 * median(seconds):.1f} ms,"
            f" longest {max(seconds):.2f} s"
            for name, seconds in zip(self._names, self._seconds, strict=True)
            if seconds
        ]


def _standard_error(scores: Sequence[int]) -> float | None:
    return stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else None
