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
    """An entrant of the overall ladder.

    >>> OverallRating("ann", 1, 1512.0, 12.5, 24.5, {}).elo
    1512.0

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
    """Rank the entrants that are rated on all of the ladders, best first; equal Elo (to four decimals) shares
    a rank, then by name.

    >>> from stichkampf.rating import Results, rate
    >>> mue = rate(Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 3)]))
    >>> njet = rate(Results.from_rows([("b1", 0, "ann", 2), ("b1", 0, "bob", 2)]))
    >>> [(row.rank, row.entrant, round(row.elo)) for row in overall({"mue": mue, "njet": njet})]
    [(1, 'ann', 1566), (2, 'bob', 1434)]

    :raises RatingError: without any ladder.
    """
    if not ladders:
        raise RatingError("an overall ladder needs at least one ladder")
    tables = [{rating.entrant: rating for rating in table} for table in ladders.values()]
    everywhere = set.intersection(*(set(table) for table in tables))
    means = [
        (entrant, {name: table[entrant] for name, table in zip(ladders, tables, strict=True)})
        for entrant in everywhere
    ]
    unranked = [_mean(entrant, ratings) for entrant, ratings in means]
    unranked.sort(key=lambda row: (-round(row.elo, 4), row.entrant))
    shown = [round(row.elo, 4) for row in unranked]
    return tuple(
        OverallRating(
            row.entrant,
            shown.index(shown[i]) + 1,
            row.elo,
            row.standard_error,
            row.plus_minus,
            row.by_ladder,
        )
        for i, row in enumerate(unranked)
    )


def mean_of_errors(errors: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return √ΣSE²/G and the half-width of the 95% interval of a mean over G ladders; None where one error
    is.

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
