"""The covariance of the strengths: the sandwich, clustered by block.

The hands of a block share their luck, so a block is one draw of chance and the unit of the error.

    g_b,i = Σ_j (W_b,ij - n_b,ij s(r_i - r_j))        V = B/(B-1) · H⁻¹ (Σ_b g_b g_bᵀ) H⁻¹
"""

from __future__ import annotations

import numpy as np
import scipy  # type: ignore[import-untyped]

from stichkampf.rating.comparisons import Comparisons
from stichkampf.rating.fit import inverse_information
from stichkampf.rating.results import Floats


def covariance(comparisons: Comparisons, strengths: Floats, prior: float) -> Floats | None:
    """Estimate the covariance of the strengths; None with fewer than two blocks, which tell nothing about
    luck.
    """
    blocks = comparisons.block_count
    if blocks < 2:
        return None
    points = comparisons.half_point_matrix / 2
    bread = inverse_information(points + points.T, strengths, prior)
    surprise = surprises(comparisons, strengths)
    rows = np.concatenate([comparisons.block, comparisons.block])
    columns = np.concatenate([comparisons.first, comparisons.second])
    shape = (len(comparisons.blocks), len(comparisons.entrants))
    scores = scipy.sparse.csr_array((np.concatenate([surprise, -surprise]), (rows, columns)), shape=shape)
    meat = (scores.T @ scores).toarray()
    sandwich: Floats = blocks / (blocks - 1) * (bread @ meat @ bread)
    return (sandwich + sandwich.T) / 2


def surprises(comparisons: Comparisons, strengths: Floats) -> Floats:
    """Return the points of the first entrant beyond the expected ones, for each pair and block."""
    expected = comparisons.count * scipy.special.expit(
        strengths[comparisons.first] - strengths[comparisons.second]
    )
    surprise: Floats = comparisons.half_points / 2 - expected
    return surprise
