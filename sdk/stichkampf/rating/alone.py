"""The rating of one player by what others, whose strengths are known, made of the same hands.

The hands of a match share their luck, so a match is the unit of the error, as a block is in `covariance`. The
interval is never narrower than if all comparisons were independent: who has lost every one is not known well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # type: ignore[import-untyped]

from stichkampf.rating.errors import RatingError
from stichkampf.rating.fit import fit_alone
from stichkampf.rating.results import Floats
from stichkampf.rating.table import AVERAGE_ELO, ELO_PER_STRENGTH, PROVISIONAL_BLOCKS, student


@dataclass(frozen=True)
class RatingAlone:
    """The rating of one player, which moves no other.

    :ivar plus_minus: half-width of the 95% interval, in Elo; None with one match.
    :ivar provisional: too few matches to say much.
    """

    elo: float
    plus_minus: float | None
    matches: int
    comparisons: int
    provisional: bool


def rate_alone(
    matches: Sequence[Mapping[str, float]], known: Mapping[str, float], prior: float = 1.0
) -> RatingAlone:
    """Rate a player by the points of matches: 1 for more than another made of the same hand, ½ for as much.

    >>> found = rate_alone([{"even": 1.0, "flat": 0.5}, {"even": 0.0}], {"even": 1500.0, "flat": 1500.0})
    >>> found.elo, found.matches, found.provisional
    (1500.0, 2, True)

    :param matches: the points by the name of the other.
    :param known: the Elo of the others.
    :raises RatingError: there is no match, or one with somebody whose strength is not known.
    """
    strangers = sorted({name for match in matches for name in match} - set(known))
    if strangers or not any(matches):
        raise RatingError(
            f"the strength of {strangers[0]} is not known" if strangers else "there is no match"
        )
    names = sorted(known)
    against = np.array([(known[name] - AVERAGE_ELO) / ELO_PER_STRENGTH for name in names])
    points = np.array([[match.get(name, 0.0) for name in names] for match in matches])
    counts = np.array([[float(name in match) for name in names] for match in matches])
    strength = fit_alone(points.sum(axis=0), counts.sum(axis=0), against, prior)
    return RatingAlone(
        elo=round(AVERAGE_ELO + ELO_PER_STRENGTH * strength, 4),
        plus_minus=_plus_minus(points, counts, strength, against, prior),
        matches=len(matches),
        comparisons=int(counts.sum()),
        provisional=len(matches) < PROVISIONAL_BLOCKS,
    )


def _plus_minus(
    points: Floats, counts: Floats, strength: float, against: Floats, prior: float
) -> float | None:
    number = len(points)
    if number < 2:
        return None
    odds, own = scipy.special.expit(strength - against), scipy.special.expit(strength)
    information = float((counts * odds * (1 - odds)).sum() + prior * own * (1 - own))
    surprises = (points - counts * odds).sum(axis=1)
    sandwich = number / (number - 1) * float((surprises**2).sum()) / information**2
    return student(number) * ELO_PER_STRENGTH * float(np.sqrt(max(sandwich, 1 / information)))
