"""The table that `stichkampf play` prints. Seats count from 1."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, stdev

from stichkampf.bots.practice import Failure, Played

_LEGEND = "score: mean and standard error; rank: mean; faults: moves that thumb made for the bot"
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
        self._faults: Counter[int] = Counter()
        self._failures: dict[tuple[int, str], list[tuple[int, Failure]]] = {}

    def add(self, played: Played) -> None:
        for seat, (score, rank) in enumerate(
            zip(played.record["scores"], played.record["ranks"], strict=True)
        ):
            self._scores[seat].append(score)
            self._ranks[seat].append(rank)
        self._faults.update(fault["seat"] for fault in played.record["faults"])
        for failure in played.failures:
            self._failures.setdefault((failure.seat, failure.kind), []).append((self.matches, failure))
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
        return "\n".join([*lines, _LEGEND])

    def _row(self, seat: int) -> tuple[str, ...]:
        scores, ranks = self._scores[seat], self._ranks[seat]
        error = f"{stdev(scores) / math.sqrt(len(scores)):.2f}" if len(scores) > 1 else "-"
        firsts = sum(rank == 1 for rank in ranks)
        return (
            str(seat + 1),
            self._names[seat],
            f"{fmean(scores):.2f}",
            error,
            f"{fmean(ranks):.2f}",
            str(firsts),
            str(self._faults[seat]),
        )

    def failures(self) -> list[str]:
        """A line for each seat and kind of fault: where it first happened, and why."""
        lines = []
        for (seat, kind), cases in sorted(self._failures.items()):
            match, first = cases[0]
            where = f"match {match + 1}, deal {first.deal + 1}"
            lines.append(
                f"seat {seat + 1}, {self._names[seat]}: {len(cases)} times {kind};"
                f" first in {where}: {first.message}"
            )
        return lines
