"""Estimates: a mean over sampled outcomes, with its 95% interval."""

from __future__ import annotations

from math import sqrt
from typing import Final, NamedTuple

from stichkampf.engine.deal import Json

NORMAL_95: Final = 1.96


class OutcomeSample(NamedTuple):
    """The outcomes of one action.

    :ivar mean: in points of the deal above the mean of the table.
    :ivar variance: of that mean.
    """

    mean: float
    variance: float


class PointsEstimate(NamedTuple):
    """An estimated number of points, with its 95% interval.

    >>> PointsEstimate(1.5, 0.4, 2.6).is_certain, PointsEstimate(0.5, -0.6, 1.6).is_certain
    (True, False)
    """

    points: float
    low: float
    high: float

    @property
    def is_certain(self) -> bool:
        """Tell whether the whole interval lies above 0."""
        return self.low > 0

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def to_json(self) -> dict[str, Json]:
        """Return the numbers in points, rounded to thousandths.

        >>> PointsEstimate(1.5, 0.4, 2.6).to_json()
        {'points': 1.5, 'low': 0.4, 'high': 2.6}
        """
        return {"points": round(self.points, 3), "low": round(self.low, 3), "high": round(self.high, 3)}


def difference(better: OutcomeSample, chosen: OutcomeSample) -> PointsEstimate:
    """Estimate how many points more one action brings than another, measured apart from each other.

    >>> difference(OutcomeSample(3.0, 0.09), OutcomeSample(1.0, 0.16)).to_json()
    {'points': 2.0, 'low': 1.02, 'high': 2.98}
    """
    points = better.mean - chosen.mean
    margin = NORMAL_95 * sqrt(better.variance + chosen.variance)
    return PointsEstimate(points, points - margin, points + margin)


def sample_of(total: float, squares: float, number: int) -> OutcomeSample:
    """Sum up outcomes.

    :param total: their sum.
    :param squares: the sum of their squares.
    :param number: of outcomes, at least 2.

    >>> sample_of(8.0, 40.0, 2)
    OutcomeSample(mean=4.0, variance=4.0)
    """
    mean = total / number
    return OutcomeSample(mean, max(0.0, squares / number - mean * mean) / (number - 1))
