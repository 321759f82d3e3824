"""The covariance of the strengths: the sandwich, clustered by block.

The hands of a block share their luck, so a block is one draw of chance and the unit of the error.

    g_b,i = Σ_j (W_b,ij - n_b,ij s(r_i - r_j))        V = B/(B-1) · H⁻¹ (Σ_b g_b g_bᵀ) H⁻¹

The strength of one that forfeited is fitted to what it keeps, with the strengths of the others as given. So
its error has two parts: its own surprises in what it keeps, and the errors of those it was compared with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # type: ignore[import-untyped]

from stichkampf.rating.comparisons import Comparisons
from stichkampf.rating.fit import inverse_information
from stichkampf.rating.results import Floats, Ints


def covariance(
    comparisons: Comparisons, strengths: Floats, prior: float, own: Floats | None = None
) -> Floats | None:
    """Estimate the covariance of the strengths; None with fewer than two blocks, which tell nothing about
    luck.

    :param strengths: of the seats, as they played.
    :param own: the same, lowered for those that forfeited: `comparisons.forfeiters`. With these the lowered
        strengths of forfeiters stand in rows and columns of their own behind all others.
    """
    blocks = comparisons.block_count
    if blocks < 2:
        return None
    points = comparisons.half_point_matrix / 2
    counts = points + points.T
    bread = inverse_information(counts, strengths, prior)
    surprise = surprises(comparisons, strengths)
    shape = (len(comparisons.blocks), len(comparisons.entrants))
    scores = _by_block(
        np.concatenate([surprise, -surprise]),
        np.concatenate([comparisons.block, comparisons.block]),
        np.concatenate([comparisons.first, comparisons.second]),
        shape,
    )
    meat = (scores.T @ scores).toarray()
    sandwich: Floats = bread @ meat @ bread
    forfeiters = comparisons.forfeiters
    if own is not None and len(forfeiters):
        lowered = own[forfeiters]
        odds = scipy.special.expit(lowered[:, None] - strengths)
        pull = counts[forfeiters] * odds * (1 - odds)
        steepness = pull.sum(axis=1) + prior * scipy.special.expit(lowered) * scipy.special.expit(-lowered)
        sides = comparisons.sides
        expected = sides.count * scipy.special.expit(own[sides.entrant] - strengths[sides.other])
        kept = _by_block(sides.half_points / 2 - expected, sides.block, sides.entrant, shape)[:, forfeiters]
        effect = (scores @ (pull @ bread).T + kept) / steepness
        across = effect.T @ scores @ bread
        sandwich = np.block([[sandwich, across.T], [across, effect.T @ effect]])
    sandwich = blocks / (blocks - 1) * sandwich
    return (sandwich + sandwich.T) / 2


def _by_block(values: Floats, block: Ints, entrant: Ints, shape: tuple[int, int]) -> Any:
    """Sum values by block and entrant."""
    return scipy.sparse.csr_array((values, (block, entrant)), shape=shape)


def surprises(comparisons: Comparisons, strengths: Floats) -> Floats:
    """Return the points of the first entrant's seats beyond the expected ones, for each pair and block."""
    expected = comparisons.count * scipy.special.expit(
        strengths[comparisons.first] - strengths[comparisons.second]
    )
    surprise: Floats = comparisons.half_points / 2 - expected
    return surprise
