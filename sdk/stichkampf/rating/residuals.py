"""Results that the ratings do not explain: pairs that do better or worse than expected, and the cyclic share
of the field.

A rating is one number for each entrant, so it can never show that A beats B, B beats C and C beats A. The
cyclic share can: the observed ln odds of every pair are split into the part that some strengths explain (a
gradient) and the rest (Hodge decomposition of Jiang, Lim, Yao and Ye, 2011). The share is the rest's part of
the sum of squares, with the part of mere luck taken off both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # type: ignore[import-untyped]

from stichkampf.rating.comparisons import Comparisons
from stichkampf.rating.covariance import surprises
from stichkampf.rating.results import Floats, Ints
from stichkampf.rating.table import RatingTable

ROUNDING = 1e-9
"""A spread below this, in points a comparison, comes from rounding."""


@dataclass(frozen=True)
class PairResidual:
    """A pair of entrants, and the result of the first beyond expectation.

    >>> PairResidual("ann", "bob", comparisons=40, blocks=10, points=28.0, expected=20.0, z=2.5).points
    28.0

    :ivar points: that the first took from the second.
    :ivar expected: points at their strengths.
    :ivar z: `points` - `expected` in standard errors, clustered by block; None with fewer than two blocks or
        no spread at all.
    """

    first: Any
    second: Any
    comparisons: int
    blocks: int
    points: float
    expected: float
    z: float | None


@dataclass(frozen=True)
class _Pairs:
    first: Ints
    second: Ints
    count: Ints
    blocks: Ints
    points: Any
    surprise: Any
    variance: Any


def pair_residuals(table: RatingTable) -> tuple[PairResidual, ...]:
    """List all pairs that were compared, the most surprising first; those without a `z` last.

    >>> from stichkampf.rating import Results, rate
    >>> wins = [("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("ann", "bob"), ("bob", "cid")]
    >>> rows = [row for b, (up, low) in enumerate(wins) for row in ((b, 0, up, 1), (b, 0, low, 0))]
    >>> [(pair.first, pair.second, pair.points) for pair in pair_residuals(rate(Results.from_rows(rows)))]
    [('ann', 'bob', 2.0), ('ann', 'cid', 0.0), ('bob', 'cid', 2.0)]
    """
    entrants = table.comparisons.entrants
    pairs = _pairs(table)
    residuals = [
        PairResidual(
            first=entrants[pairs.first[k]],
            second=entrants[pairs.second[k]],
            comparisons=int(pairs.count[k]),
            blocks=int(pairs.blocks[k]),
            points=float(pairs.points[k]),
            expected=float(pairs.points[k] - pairs.surprise[k]),
            z=float(pairs.surprise[k] / np.sqrt(pairs.variance[k])) if pairs.variance[k] > 0 else None,
        )
        for k in range(len(pairs.count))
    ]
    return tuple(sorted(residuals, key=lambda pair: 0.0 if pair.z is None else -abs(pair.z)))


def cyclic_share(table: RatingTable) -> float:
    """Measure the cyclic part of the differences between entrants, from 0 (a plain order of strength) to 1
    (rock, paper, scissors). 0 where luck alone explains the differences.

    >>> from stichkampf.rating import Results, rate
    >>> beats = {0: "ann bob", 1: "bob cid", 2: "cid ann"}
    >>> rows = [(b, 0, bot, -k) for b in range(30) for k, bot in enumerate(beats[b % 3].split())]
    >>> round(cyclic_share(rate(Results.from_rows(rows))), 2)
    1.0
    """
    pairs = _pairs(table)
    size = len(table.comparisons.entrants)
    share = (pairs.points + 0.5) / (pairs.count + 1)
    flow = scipy.special.logit(share)
    weight = pairs.count.astype(np.float64)
    noise = pairs.variance / (pairs.count * share * (1 - share)) ** 2
    laplacian = np.zeros((size, size))
    np.add.at(laplacian, (pairs.first, pairs.second), -weight)
    laplacian += laplacian.T
    np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    divergence = np.bincount(pairs.first, weights=weight * flow, minlength=size) - np.bincount(
        pairs.second, weights=weight * flow, minlength=size
    )
    potential = inverse @ divergence
    rest = flow - (potential[pairs.first] - potential[pairs.second])
    resistance = (
        inverse[pairs.first, pairs.first]
        + inverse[pairs.second, pairs.second]
        - 2 * inverse[pairs.first, pairs.second]
    )
    cyclic = float((weight * rest**2).sum() - (weight * noise * (1 - weight * resistance)).sum())
    total = float((weight * flow**2).sum() - (weight * noise).sum())
    return min(1.0, max(0.0, cyclic) / total) if total > 0 else 0.0


def _pairs(table: RatingTable) -> _Pairs:
    comparisons: Comparisons = table.comparisons
    size = len(comparisons.entrants)
    key, inverse, blocks = np.unique(
        comparisons.first * size + comparisons.second, return_inverse=True, return_counts=True
    )
    surprise = surprises(comparisons, table.strengths)
    count = np.bincount(inverse, weights=comparisons.count).astype(np.int64)
    total: Floats = np.bincount(inverse, weights=surprise).astype(np.float64)
    # The surprises spread around their own mean by luck; their mean is the error of the strengths.
    centred = surprise - comparisons.count * (total / count)[inverse]
    squares = np.bincount(inverse, weights=centred**2)
    squares[squares < (ROUNDING * count) ** 2] = 0.0  # equal in every block, but for the last digits
    variance: Floats = np.where(blocks > 1, squares * blocks / np.maximum(blocks - 1, 1), 0.0)
    first, second = key // size, key % size
    expected = count * scipy.special.expit(table.strengths[first] - table.strengths[second])
    return _Pairs(first, second, count, blocks, expected + total, total, variance)
