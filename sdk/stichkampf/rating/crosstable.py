"""The standings of a tournament: same-hand percentage, and the order in which ties are broken.

In this order: same-hand percentage, then head-to-head percentage within the group that ties on it, then mean
same-hand margin, then blocks won, then a shared place. All of it is exact arithmetic.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from stichkampf.rating.comparisons import Comparisons
from stichkampf.rating.results import Ints


@dataclass(frozen=True)
class CrosstableRow:
    """An entrant of the standings.

    >>> from stichkampf.rating import Results, compare
    >>> results = Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 3)])
    >>> best = standings(compare(results))[0]
    >>> best.entrant, best.place, best.points, best.share
    ('ann', 1, 1.0, Fraction(1, 1))

    :ivar share: points that it keeps over comparisons, 0 to 1; None without any comparison.
    :ivar tied_share: the same among those whose seats tie on it; None without a tie, where they never met,
        and for one that forfeited.
    :ivar mean_margin: mean difference of scores, forfeited hands as lost.
    :ivar blocks_won: blocks in which no other's seats reached the same share of points, and of which it
        forfeited none.
    """

    entrant: Any
    place: int
    points: float
    comparisons: int
    share: Fraction | None
    tied_share: Fraction | None
    mean_margin: Fraction
    blocks_won: int


def standings(comparisons: Comparisons) -> tuple[CrosstableRow, ...]:
    """Rank all entrants of the results, best first; those that share a place are in order of name.

    >>> from stichkampf.rating import Results, compare
    >>> results = Results.from_rows([("b1", 0, "ann", 3), ("b1", 0, "bob", 3), ("b1", 0, "cid", 1)])
    >>> [(row.place, row.entrant, row.points) for row in standings(compare(results))]
    [(1, 'ann', 1.5), (1, 'bob', 1.5), (3, 'cid', 0.0)]
    """
    matrix, played = comparisons.kept_matrix, comparisons.half_point_matrix
    possible = played + played.T
    everybody = range(len(comparisons.entrants))
    shares = [_share(matrix, possible, i, everybody) for i in everybody]
    forfeiters = set(comparisons.forfeiters.tolist())
    tied: dict[Fraction | None, list[int]] = defaultdict(list)
    for i in everybody:
        tied[_share(played, possible, i, everybody)].append(i)
    among_tied = [
        None if i in forfeiters else _share(matrix, possible, i, tied[shares[i]]) for i in everybody
    ]
    margins = _mean_margins(comparisons)
    won = _blocks_won(comparisons)
    keys = [
        tuple(_lowest_if_none(x) for x in (shares[i], among_tied[i], margins[i], won[i])) for i in everybody
    ]
    order = sorted(everybody, key=lambda i: (tuple(-part for part in keys[i]), i))
    places = {keys[i]: place for place, i in reversed(list(enumerate(order, start=1)))}
    return tuple(
        CrosstableRow(
            entrant=comparisons.entrants[i],
            place=places[keys[i]],
            points=int(matrix[i].sum()) / 2,
            comparisons=int(comparisons.count_of[i]),
            share=shares[i],
            tied_share=among_tied[i],
            mean_margin=margins[i],
            blocks_won=won[i],
        )
        for i in order
    )


def _lowest_if_none(value: Fraction | int | None) -> Fraction | int:
    return -1 if value is None else value


def _share(kept: Ints, possible: Ints, entrant: int, against: Sequence[int]) -> Fraction | None:
    most = int(possible[entrant, against].sum())
    return Fraction(int(kept[entrant, against].sum()), most) if most else None


def _mean_margins(comparisons: Comparisons) -> list[Fraction]:
    sides, size = comparisons.sides, len(comparisons.entrants)
    pairs, inverse = np.unique(sides.entrant * size + sides.other, return_inverse=True)
    margin = np.bincount(inverse, weights=sides.margin, minlength=len(pairs))
    margins, measured = [Fraction(0)] * size, np.bincount(sides.entrant, sides.measured, minlength=size)
    for pair, difference in zip(pairs.tolist(), margin.tolist(), strict=True):
        margins[pair // size] += Fraction(difference)
    return [
        total / int(number) if number else Fraction(0)
        for total, number in zip(margins, measured, strict=True)
    ]


def _blocks_won(comparisons: Comparisons) -> list[int]:
    sides, size = comparisons.sides, len(comparisons.entrants)
    present, inverse = np.unique(sides.block * size + sides.entrant, return_inverse=True)
    points, lost, counts = (
        np.bincount(inverse, weights=column).astype(np.int64)
        for column in (sides.half_points + sides.lost, sides.lost, sides.count)
    )
    best: dict[int, tuple[Fraction, list[int]]] = {}
    for place, half_points, count in zip(present.tolist(), points.tolist(), counts.tolist(), strict=True):
        block, entrant = divmod(place, size)
        share = Fraction(half_points, 2 * count)
        if block not in best or share > best[block][0]:
            best[block] = (share, [entrant])
        elif share == best[block][0]:
            best[block][1].append(entrant)
    forfeited = set(present[lost > 0].tolist())
    won = [0] * size
    for block, (_, winners) in best.items():
        if len(winners) == 1 and block * size + winners[0] not in forfeited:
            won[winners[0]] += 1
    return won
