"""The covariance of the strengths: the sandwich, clustered by block; and what is derived from it.

The hands of a block share their luck, so a block is one draw of chance and the unit of the error.

    g_b,i = Σ_j (W_b,ij - n_b,ij s(r_i - r_j))        V = B/(B-1) · H⁻¹ (Σ_b g_b g_bᵀ) H⁻¹

The strength of one that forfeited is fitted to what it keeps, with the strengths of the others as given. So
its error has two parts: its own surprises in what it keeps, and the errors of those it was compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # type: ignore[import-untyped]

from stichkampf.rating.comparisons import Comparisons
from stichkampf.rating.fit import inverse_information
from stichkampf.rating.forfeited_blocks import SetApart
from stichkampf.rating.results import Floats, Ints

# Strengths and errors below this differ from nought by rounding only: equals that always drew.
_NEGLIGIBLE = 1e-9


def covariance(apart: SetApart, strengths: Floats, prior: float, own: Floats) -> Floats | None:
    """Estimate the covariance of the strengths of the seats; None with fewer than two blocks, which tell
    nothing about luck.

    :param strengths: one for each entrant of `apart.comparisons`.
    :param own: of each entrant, by what it keeps. Those that forfeited, in the order of
        `Comparisons.forfeiters`, stand with it in rows and columns of their own behind all others.
    """
    compared = apart.comparisons
    blocks = compared.block_count
    if blocks < 2:
        return None
    points = compared.half_point_matrix / 2
    counts = points + points.T
    bread = inverse_information(counts, strengths, prior)
    surprise = surprises(compared, strengths)
    scores = _by_block(
        np.concatenate([surprise, -surprise]),
        np.concatenate([compared.block, compared.block]),
        np.concatenate([compared.first, compared.second]),
        (len(compared.blocks), len(strengths)),
    )
    meat = (scores.T @ scores).toarray()
    to_seats = bread @ apart.shares.T
    sandwich: Floats = to_seats.T @ meat @ to_seats
    forfeiters = np.unique(apart.home[compared.forfeiters])
    if len(forfeiters):
        effect = _effect_of_own(apart, scores, bread, strengths, prior, own, forfeiters)
        across = effect.T @ scores @ to_seats
        sandwich = np.block([[sandwich, across.T], [across, effect.T @ effect]])
    sandwich = blocks / (blocks - 1) * sandwich
    return (sandwich + sandwich.T) / 2


def _effect_of_own(
    apart: SetApart,
    scores: Any,
    bread: Floats,
    strengths: Floats,
    prior: float,
    own: Floats,
    forfeiters: Ints,
) -> Floats:
    """Return the effect of each block on the strengths of those that forfeited."""
    lowered, sides = own[forfeiters], apart.comparisons.sides
    matrix = apart.comparisons.half_point_matrix
    counts = np.array([((matrix + matrix.T) / 2)[apart.home == who].sum(axis=0) for who in forfeiters])
    odds = scipy.special.expit(lowered[:, None] - strengths)
    pull = counts * odds * (1 - odds)
    steepness = pull.sum(axis=1) + prior * scipy.special.expit(lowered) * scipy.special.expit(-lowered)
    entrant = apart.home[sides.entrant]
    surprise = sides.half_points / 2 - sides.count * scipy.special.expit(
        own[entrant] - strengths[sides.other]
    )
    kept = _by_block(surprise, sides.block, entrant, (scores.shape[0], len(own)))[:, forfeiters]
    effect: Floats = (scores @ (pull @ bread).T + kept) / steepness
    return effect


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


@dataclass(frozen=True)
class Certainty:
    """Errors in units of ln odds, nan where there are too few blocks to say.

    :ivar errors: standard error of each entrant against the mean of the anchors.
    :ivar pair_errors: standard error of the difference of two entrants.
    :ivar superiority: the probability that the entrant of the row is stronger than that of the column, by
        Student's t with the degrees of freedom of the one with fewer blocks; nan on the diagonal.
    """

    errors: Floats
    pair_errors: Floats
    superiority: Floats


def certainty_of(
    comparisons: Comparisons, strengths: Floats, spread: Floats | None, panel: Sequence[int]
) -> Certainty:
    """Derive the errors from a covariance.

    :param strengths: lowered by forfeits.
    :param spread: the result of `covariance`.
    :param panel: the anchors, whose seats count as they played: no forfeit moves the zero point.
    """
    size = len(strengths)
    if spread is None:
        unknown = np.full((size, size), np.nan)
        return Certainty(unknown[0], unknown, unknown)
    panel_mean = spread[:, panel].mean(axis=1)
    of_the_panel = panel_mean[panel].mean()
    places = np.arange(size)
    if len(spread) > size:
        places[comparisons.forfeiters] = np.arange(size, len(spread))
    panel_mean, spread = panel_mean[places], spread[np.ix_(places, places)]
    own = spread.diagonal()
    against_panel = np.sqrt(np.maximum(own - 2 * panel_mean + of_the_panel, 0.0))
    pair_errors = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * spread, 0.0))
    difference = strengths[:, None] - strengths[None, :]
    difference = np.where(np.abs(difference) < _NEGLIGIBLE, 0.0, difference)
    freedom = np.minimum.outer(comparisons.blocks_of, comparisons.blocks_of) - 1
    superiority = scipy.special.stdtr(
        np.maximum(freedom, 1), difference / np.maximum(pair_errors, _NEGLIGIBLE)
    )
    unknown = freedom < 1
    np.fill_diagonal(unknown, True)
    return Certainty(
        errors=np.where(comparisons.blocks_of > 1, against_panel, np.nan),
        pair_errors=np.where(unknown, np.nan, pair_errors),
        superiority=np.where(unknown, np.nan, superiority),
    )
