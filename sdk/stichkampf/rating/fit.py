"""The fit: strengths on the logistic scale, by maximum likelihood.

    maximise  Σ W_ij ln s(r_i - r_j) + prior · ½ Σ_i [ln s(r_i) + ln s(-r_i)]        s(x) = 1/(1+e^-x)

W_ij are the points that i took from j. The second term is a drawn game of each entrant against an average
opponent; it keeps unbeaten entrants finite. The sum is concave: there is one answer, whatever the method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy  # type: ignore[import-untyped]

from stichkampf.rating.errors import RatingError
from stichkampf.rating.results import Floats, Ints

_ITERATIONS = 500
_TOLERANCE = 1e-12
_LONGEST_STEP = 3.0


def fit_strengths(points: Floats, prior: float = 1.0) -> Floats:
    """Fit strengths in units of ln odds, one for each row of `points`.

    >>> [round(float(strength), 4) for strength in fit_strengths(np.array([[0.0, 3.0], [1.0, 0.0]]))]
    [0.4744, -0.4744]

    :param points: square, points of the entrant of the row against the entrant of the column; a draw is half
        a point to each.
    :param prior: weight of the prior term, 0 for none; without it the strengths have mean 0.
    :raises RatingError: for a negative or endless prior, and where no maximum exists.
    """
    if not (prior >= 0 and np.isfinite(prior)):
        raise RatingError(f"the weight of the prior must be a number from 0 on, not {prior}")
    counts = points + points.T
    strengths: Floats = np.zeros(len(points), dtype=np.float64)
    likelihood = _log_likelihood(points, strengths, prior)
    last_step = np.inf
    for _ in range(_ITERATIONS):
        gradient = (
            points.sum(axis=1)
            - (counts * _odds(strengths)).sum(axis=1)
            + prior * (0.5 - scipy.special.expit(strengths))
        )
        step = np.linalg.solve(_regular(information(counts, strengths, prior), prior), gradient)
        length = float(np.abs(step).max())
        if length > _LONGEST_STEP:
            step *= _LONGEST_STEP / length
        tried, likelihood = _improved(points, strengths, step, prior, likelihood)
        strengths = tried if prior else tried - tried.mean()
        if length <= _TOLERANCE or (length < 1e-9 and length >= last_step):
            return strengths
        last_step = length
    raise RatingError(
        f"the ratings have no maximum within reach at a prior of {prior}; a larger prior settles it"
    )


def fit_alone(kept: Floats, counts: Floats, against: Floats, prior: float = 1.0) -> float:
    """Fit the strength of one entrant, with those of all others as given; its results move none of them.

    >>> round(fit_alone(np.array([1.0, 0.0]), np.array([2.0, 2.0]), np.array([0.0, 0.0])), 4)
    -0.8473

    :param kept: its points against each of the others.
    :param counts: its comparisons with each of them.
    :param against: their strengths.
    :raises RatingError: where no maximum exists: without a prior, for none or all of the points.
    """
    if not prior and not 0 < kept.sum() < counts.sum():
        raise RatingError("without a prior there is no rating for a bot that keeps none of its points")

    def gradient(strength: float) -> float:
        odds = scipy.special.expit(strength - against)
        return float((kept - counts * odds).sum() + prior * (0.5 - scipy.special.expit(strength)))

    reach = 1.0
    while gradient(-reach) < 0 or gradient(reach) > 0:
        reach *= 2
    return float(scipy.optimize.brentq(gradient, -reach, reach, xtol=_TOLERANCE, rtol=_TOLERANCE))


def information(counts: Floats, strengths: Floats, prior: float) -> Floats:
    """Return the information matrix: minus the second derivatives of the function that `fit_strengths`
    maximises.
    """
    odds = _odds(strengths)
    information = -counts * odds * (1 - odds)
    np.fill_diagonal(information, 0.0)
    own = prior * scipy.special.expit(strengths) * scipy.special.expit(-strengths) - information.sum(axis=1)
    matrix: Floats = information + np.diag(own)
    return matrix


def inverse_information(counts: Floats, strengths: Floats, prior: float) -> Floats:
    """Return the inverse of the information matrix; without a prior its pseudo-inverse, which leaves a shift
    of all out.
    """
    matrix = information(counts, strengths, prior)
    shift = 0.0 if prior else 1.0 / (_scale(matrix) * len(matrix))
    inverse: Floats = np.asarray(np.linalg.inv(_regular(matrix, prior)) - shift, dtype=np.float64)
    return inverse


def check_linked(half_points: Ints, entrants: Sequence[Any]) -> None:
    """Check that a fit without a prior exists: points taken must lead from every entrant to every other.

    :raises RatingError: names the sets of entrants that never met, or never lost a point, or never took one.
    """
    graph = scipy.sparse.csr_array(half_points > 0)
    sets, member = scipy.sparse.csgraph.connected_components(graph, connection="weak")
    if sets > 1:
        groups = "; ".join(_names(entrants, member == number) for number in dict.fromkeys(member.tolist()))
        raise RatingError(f"without a prior sets of bots that were never compared cannot be rated: {groups}")
    sets, member = scipy.sparse.csgraph.connected_components(graph, connection="strong")
    if sets > 1:
        raise RatingError(
            "without a prior there is no rating for " + "; ".join(_one_sided(half_points, entrants, member))
        )


def groups_never_compared(half_points: Ints) -> int:
    """Count the groups of entrants without any comparison between two of them."""
    graph = scipy.sparse.csr_array(half_points > 0)
    return int(scipy.sparse.csgraph.connected_components(graph, connection="weak")[0])


def _one_sided(half_points: Ints, entrants: Sequence[Any], member: Ints) -> list[str]:
    found = []
    for number in dict.fromkeys(member.tolist()):
        inside = member == number
        took = half_points[np.ix_(inside, ~inside)].any()
        gave = half_points[np.ix_(~inside, inside)].any()
        if not gave:
            found.append(f"{_names(entrants, inside)}: unbeaten, not a point lost to any other")
        elif not took:
            found.append(f"{_names(entrants, inside)}: winless, not a point taken from any other")
    return found


def _names(entrants: Sequence[Any], chosen: Any) -> str:
    return ", ".join(str(entrant) for entrant, inside in zip(entrants, chosen, strict=True) if inside)


def _odds(strengths: Floats) -> Floats:
    odds: Floats = scipy.special.expit(strengths[:, None] - strengths[None, :])
    return odds


def _scale(matrix: Floats) -> float:
    return float(matrix.diagonal().mean())


def _regular(matrix: Floats, prior: float) -> Floats:
    """Add a constant to all entries where there is no prior: then a shift of all strengths changes nothing,
    and the matrix would be singular.
    """
    return matrix if prior else matrix + _scale(matrix) / len(matrix)


def _log_likelihood(points: Floats, strengths: Floats, prior: float) -> float:
    pairs = (points * scipy.special.log_expit(strengths[:, None] - strengths[None, :])).sum()
    return float(
        pairs + prior / 2 * (scipy.special.log_expit(strengths) + scipy.special.log_expit(-strengths)).sum()
    )


def _improved(
    points: Floats, strengths: Floats, step: Floats, prior: float, before: float
) -> tuple[Floats, float]:
    """Take a step along the Newton direction, halved until it does no harm."""
    for _ in range(60):
        after = _log_likelihood(points, strengths + step, prior)
        if after >= before - 1e-12 * abs(before):
            return strengths + step, after
        step = step / 2
    return strengths, before
