"""A verdict on tuned numbers by deals that the tuning has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10, sqrt
from statistics import fmean, stdev
from typing import Final, NamedTuple

SURE: Final = 2.576
"""Standard deviations of a 99% interval: less than one tuning in a hundred is called a gain by chance."""


class TunedGain(NamedTuple):
    """The lead of the tuned bot over the one before, in points a deal, and in Elo by won pairs.

    :ivar low: end of the interval of `points`.
    """

    points: float
    low: float
    high: float
    elo: float
    pairs: int

    @property
    def is_gain(self) -> bool:
        return self.low > 0

    def __str__(self) -> str:
        said = "a gain" if self.is_gain else "a loss" if self.high < 0 else "no gain that could be shown"
        return (
            f"{said}: {self.points:+.2f} points a deal ({self.low:+.2f} to {self.high:+.2f}, 99%),"
            f" {self.elo:+.0f} Elo by pairs won, {self.pairs} pairs on fresh deals"
        )


def verdict_of(leads: Sequence[float]) -> TunedGain:
    """Judge by how far the tuned bot was ahead in each pair.

    >>> print(verdict_of([1.0, 3.0, 2.0, 2.0] * 10))
    a gain: +2.00 points a deal (+1.71 to +2.29, 99%), +763 Elo by pairs won, 40 pairs on fresh deals
    """
    mean = fmean(leads)
    margin = SURE * stdev(leads) / sqrt(len(leads)) if len(leads) > 1 else float("inf")
    won = (0.5 + sum((lead > 0) + (lead == 0) / 2 for lead in leads)) / (len(leads) + 1)
    return TunedGain(mean, mean - margin, mean + margin, 400 * log10(won / (1 - won)), len(leads))
