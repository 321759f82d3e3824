"""The goals: bounds on ratios, which the arbiter has to keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from benchmarks.arbiter.figures import Figure

Rounds = Mapping[tuple[str, int], Sequence[Figure]]
RATED_TABLES = 256


class Goal(NamedTuple):
    """A bound on a ratio.

    :ivar found: ratios by round; their median counts.
    :ivar sign: "<=" or ">=".
    """

    name: str
    found: Sequence[float]
    sign: str
    bound: float

    @property
    def median(self) -> float:
        return median(self.found)

    @property
    def met(self) -> bool:
        return self.median <= self.bound if self.sign == "<=" else self.median >= self.bound

    def summary(self) -> str:
        spread = f"({min(self.found):.2f} to {max(self.found):.2f})"
        verdict = "met" if self.met else "MISSED"
        return f"{self.name:<54}{self.median:>9.2f} {spread:<20} {self.sign} {self.bound:<7g} {verdict}"


def ratios(
    rounds: Rounds, above: tuple[str, int], below: tuple[str, int], what: Callable[[Figure], float]
) -> list[float]:
    """Divide a figure of one measurement by that of another, round by round."""
    return [what(a) / what(b) for a, b in zip(rounds[above], rounds[below], strict=True)]


def goals_of(rounds: Rounds) -> list[Goal]:
    """Return the goals for a set of measurements.

    :param rounds: figures by name and number of tables; a measurement with one table must be among them.
    """
    measured = {tables for _, tables in rounds}
    one = ("raw gRPC", 1)
    goals = [Goal("p50, tables: 1 / raw gRPC", ratios(rounds, ("wire", 1), one, lambda f: f.p50), "<=", 1.5)]
    for tables, bound in ((1, 1.6), (32, 0.25), (256, 0.12)):
        if tables in measured:
            found = ratios(rounds, ("wire", tables), one, lambda f: f.cpu_us)
            goals.append(Goal(f"CPU a decision, tables: {tables} / one raw stream", found, "<=", bound))
    for tables, bound in ((32, 3.0), (256, 8.0)):
        if tables in measured:
            found = ratios(rounds, ("wire", tables), ("unbatched", tables), lambda f: f.rate)
            goals.append(Goal(f"decisions/s, tables: {tables}, batched / unbatched", found, ">=", bound))
    if RATED_TABLES in measured:
        found = ratios(rounds, ("wire", RATED_TABLES), ("wire", 1), lambda f: f.clock_error)
        goals.append(Goal(f"p99 clock error, tables: {RATED_TABLES} / one", found, "<=", 4.0))
    for tables in sorted(measured):
        if tables >= RATED_TABLES:
            played = [float(figure.played) for figure in rounds["matches", tables]]
            goals.append(Goal(f"tables that play at once, of {tables}", played, ">=", tables))
    return goals
