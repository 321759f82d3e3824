"""Errors against the anchors, errors of pairs and likelihoods of superiority, from a covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # type: ignore[import-untyped]

from stichkampf.rating.comparisons import Comparisons
from stichkampf.rating.results import Floats

# Strengths and errors below this differ from nought by rounding only: equals that always drew.
_NEGLIGIBLE = 1e-9


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
