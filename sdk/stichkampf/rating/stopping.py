"""Tests whether a tournament or a regression test is decided.

Looking at a 95% interval after every block and stopping as soon as it excludes nought raises a false alarm
far more often than in one case out of twenty. A confidence sequence holds at all times at once, so one may
look as often as one likes:

    mean ± sd · √[2(nq + 1)/(n²q) · ln(√(nq + 1)/alpha)]        q = 0.0079
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, inf, log, sqrt
from typing import Any, Literal

import numpy as np

from stichkampf.rating.comparisons import Comparisons
from stichkampf.rating.errors import RatingError
from stichkampf.rating.results import Floats
from stichkampf.rating.table import ELO_PER_STRENGTH, rate

_RHO_SQUARED = 0.0079
_LEAST_PAIRS = 32
_BOUND = log(19)


@dataclass(frozen=True)
class ConfidenceInterval:
    """A mean and the half-width around it; endless with fewer than two values.

    >>> ConfidenceInterval(mean=0.25, half_width=0.125)
    ConfidenceInterval(mean=0.25, half_width=0.125)
    """

    mean: float
    half_width: float


@dataclass(frozen=True)
class RegressionVerdict:
    """The state of a test of a new version.

    >>> RegressionVerdict(pairs=400, mean_score=0.54, llr=3.1, verdict="better").verdict
    'better'

    :ivar llr: log likelihood ratio of "better by `better_elo`" against "better by `equal_elo`"; the test ends
        beyond ±ln 19.
    :ivar verdict: `better`, `not better`, or None while it must go on.
    """

    pairs: int
    mean_score: float
    llr: float
    verdict: Literal["better", "not better"] | None


def elo_between(share: ConfidenceInterval) -> tuple[float, float, float]:
    """Return the Elo difference of which this is the share of the points, and both ends of its interval.

    >>> elo_between(ConfidenceInterval(mean=0.5, half_width=0.6))
    (0.0, -inf, inf)
    """
    low, high = share.mean - share.half_width, share.mean + share.half_width
    return _elo_of(share.mean), _elo_of(low), _elo_of(high)


def _elo_of(share: float) -> float:
    if 0 < share < 1:
        return ELO_PER_STRENGTH * log(share / (1 - share))
    return inf if share >= 1 else -inf


def confidence_sequence(values: Sequence[float] | Floats, alpha: float = 0.05) -> ConfidenceInterval:
    """Return an interval for the mean of independent values, one for each block, that holds at every time of
    looking with probability 1 - alpha.

    >>> interval = confidence_sequence([0.5, 0.0, 1.0, 0.5] * 10)
    >>> interval.mean, round(interval.half_width, 4)
    (0.5, 0.2892)

    :raises RatingError: when alpha is not between 0 and 1.
    """
    if not 0 < alpha < 1:
        raise RatingError(f"alpha must lie between 0 and 1, not {alpha}")
    n = len(values)
    if n < 2:
        return ConfidenceInterval(float(np.mean(values)) if n else 0.0, inf)
    error = float(np.std(values, ddof=1)) / sqrt(n)
    return ConfidenceInterval(float(np.mean(values)), error * float(sequence_width(n * _RHO_SQUARED, alpha)))


def sequence_width(information: float | Floats, alpha: float | Floats) -> Floats:
    """Return the half-width of a confidence sequence in standard errors: Robbins' normal mixture.

    :param information: the variance of the effect that one expects, divided by the squared standard error.
    :param alpha: the chance that the interval ever fails to hold the truth.
    """
    grown = 1 + np.asarray(information, dtype=np.float64)
    width: Floats = np.sqrt(2 * grown / (grown - 1) * (np.log(grown) / 2 - np.log(alpha)))
    return width


def leader_is_decided(comparisons: Comparisons, *, alpha: float = 0.05, prior: float = 1.0) -> Any | None:
    """Return the leader, where it is proved better than each of the others; None as long as it is not.

    >>> from stichkampf.rating import Results, compare
    >>> rows = [(block, 0, bot, bot == "ann") for block in range(40) for bot in ("ann", "bob")]
    >>> leader_is_decided(compare(Results.from_rows(rows)))
    'ann'

    The evidence of a block is the mean of the leader's points over its comparisons with the other in it, less
    a half; each of the n - 1 others is held to alpha/(n - 1).
    """
    table = rate(comparisons, prior=prior)
    entrants = comparisons.entrants
    leader = entrants.index(table.ratings[0].entrant)
    others = [code for code in range(len(entrants)) if code != leader]
    for other in others:
        met = comparisons.sides.of(leader, other)
        share = met.half_points / (2 * met.count) - 0.5
        interval = confidence_sequence(share, alpha / len(others))
        if interval.mean <= interval.half_width:
            return None
    return entrants[leader]


def regression_test(
    scores: Sequence[float] | Floats, *, equal_elo: float = 0.0, better_elo: float = 20.0, tests: int = 1
) -> RegressionVerdict:
    """Test whether a new version is better than the old one, on mirrored pairs of tables; looks are free.

    >>> regression_test([0.5, 0.75] * 200).verdict
    'better'

    :param scores: for each mirrored pair (two copies of each, then the complementary seating), the share of
        the same-hand points that the new version took, 0 to 1.
    :param equal_elo: the advantage that is too small to matter.
    :param better_elo: the advantage that one wants to find.
    :param tests: of as many new versions, of which hardly one in twenty is better by chance in all of them.
    :raises RatingError: when `better_elo` is not above `equal_elo`, or a score lies outside 0 to 1.
    """
    if not better_elo > equal_elo:
        raise RatingError(f"better_elo must be above equal_elo, but {better_elo} is not above {equal_elo}")
    values = np.asarray(scores, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise RatingError("the score of a mirrored pair is a share of its points, between 0 and 1")
    n = len(values)
    if n < 2:
        return RegressionVerdict(n, float(values.mean()) if n else 0.5, 0.0, None)
    low, high = (1 / (1 + np.exp(-elo / ELO_PER_STRENGTH)) for elo in (equal_elo, better_elo))
    mean, variance = float(values.mean()), float(values.var(ddof=1))
    evidence = float(n * (high - low) * (2 * mean - low - high))
    llr = evidence / (2 * variance) if variance else _endless(evidence)
    if n < _LEAST_PAIRS or -_BOUND < llr < _BOUND + log(tests):
        return RegressionVerdict(n, mean, llr, None)
    return RegressionVerdict(n, mean, llr, "better" if llr > 0 else "not better")


def _endless(evidence: float) -> float:
    """Return the evidence of values that never differ: endless, unless they lie between the hypotheses."""
    return copysign(inf, evidence) if evidence else 0.0
