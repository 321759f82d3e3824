"""The overall ladder: the mean of an entrant's Elo over a declared set of ladders. Tables of different games
are never pooled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Any

from stichkampf.rating.errors import RatingError
from stichkampf.rating.table import Rating, RatingTable

_NORMAL_975 = 1.959963984540054


@dataclass(frozen=True)
class OverallRating:
    """One line of the overall ladder.

    :ivar standard_error: √ΣSE²/G over the G ladders, in Elo; None where one of them has none.
    :ivar plus_minus: half-width of the 95% interval, in Elo.
    :ivar by_ladder: the ratings that were averaged.
    """

    entrant: Any
    rank: int
    elo: float
    standard_error: float | None
    plus_minus: float | None
    by_ladder: Mapping[str, Rating]


def overall(ladders: Mapping[str, RatingTable]) -> tuple[OverallRating, ...]:
    """Everybody who is rated on every one of the ladders, best first; equal Elo (to four decimals) shares a
    rank, then by name.

    :raises RatingError: without any ladder.
    """
    if not ladders:
        raise RatingError("an overall ladder needs at least one ladder")
    lines = [{rating.entrant: rating for rating in table} for table in ladders.values()]
    everywhere = set.intersection(*(set(line) for line in lines))
    means = [
        (entrant, {name: line[entrant] for name, line in zip(ladders, lines, strict=True)})
        for entrant in everywhere
    ]
    unranked = [_mean(entrant, ratings) for entrant, ratings in means]
    unranked.sort(key=lambda line: (-round(line.elo, 4), line.entrant))
    shown = [round(line.elo, 4) for line in unranked]
    return tuple(
        OverallRating(
            line.entrant,
            shown.index(shown[i]) + 1,
            line.elo,
            line.standard_error,
            line.plus_minus,
            line.by_ladder,
        )
        for i, line in enumerate(unranked)
    )


def mean_of_errors(errors: Sequence[float | None]) -> tuple[float | None, float | None]:
    """√ΣSE²/G and the half-width of the 95% interval of a mean over G ladders; None where one error is.

    >>> [round(number, 4) for number in mean_of_errors([30.0, 40.0])]
    [25.0, 48.9991]
    """
    known = [error for error in errors if error is not None]
    if not known or len(known) < len(errors):
        return None, None
    error = sqrt(fsum(error * error for error in known)) / len(known)
    return error, _NORMAL_975 * error


def _mean(entrant: Any, by_ladder: Mapping[str, Rating]) -> OverallRating:
    ratings = list(by_ladder.values())
    elo = fsum(rating.elo for rating in ratings) / len(ratings)
    error, plus_minus = mean_of_errors([rating.standard_error for rating in ratings])
    return OverallRating(entrant, 0, elo, error, plus_minus, by_ladder)
