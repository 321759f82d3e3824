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

    :ivar share: points over comparisons, 0 to 1; None without any comparison.
    :ivar tied_share: the same among those that tie on `share`; None without a tie, or where they never met.
    :ivar mean_margin: mean difference of scores over comparisons without a forfeit.
    :ivar blocks_won: blocks in which no other entrant reached the same share of points.
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
    matrix = comparisons.half_point_matrix
    everybody = range(len(comparisons.entrants))
    shares = [_share(matrix, i, everybody) for i in everybody]
    tied: dict[Fraction | None, list[int]] = defaultdict(list)
    for i in everybody:
        tied[shares[i]].append(i)
    among_tied = [_share(matrix, i, tied[shares[i]]) for i in everybody]
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


def _share(matrix: Ints, entrant: int, against: Sequence[int]) -> Fraction | None:
    took, gave = int(matrix[entrant, against].sum()), int(matrix[against, entrant].sum())
    return Fraction(took, took + gave) if took + gave else None


def _mean_margins(comparisons: Comparisons) -> list[Fraction]:
    margins = [Fraction(0)] * len(comparisons.entrants)
    measured = [0] * len(comparisons.entrants)
    columns = (comparisons.first, comparisons.second, comparisons.margin, comparisons.measured)
    size = len(comparisons.entrants)
    pairs, inverse = np.unique(columns[0] * size + columns[1], return_inverse=True)
    margin = np.bincount(inverse, weights=columns[2], minlength=len(pairs))
    count = np.bincount(inverse, weights=columns[3], minlength=len(pairs)).astype(np.int64)
    for pair, difference, comparisons_measured in zip(pairs, margin, count, strict=True):
        first, second = divmod(int(pair), size)
        margins[first] += Fraction(float(difference))
        margins[second] -= Fraction(float(difference))
        measured[first] += int(comparisons_measured)
        measured[second] += int(comparisons_measured)
    return [
        total / number if number else Fraction(0) for total, number in zip(margins, measured, strict=True)
    ]


def _blocks_won(comparisons: Comparisons) -> list[int]:
    size = len(comparisons.entrants)
    key = np.concatenate(
        [comparisons.block * size + comparisons.first, comparisons.block * size + comparisons.second]
    )
    took = np.concatenate([comparisons.half_points, 2 * comparisons.count - comparisons.half_points])
    present, inverse = np.unique(key, return_inverse=True)
    points = np.bincount(inverse, weights=took).astype(np.int64)
    counts = np.bincount(inverse, weights=np.tile(comparisons.count, 2)).astype(np.int64)
    best: dict[int, tuple[Fraction, list[int]]] = {}
    for place, half_points, count in zip(present.tolist(), points.tolist(), counts.tolist(), strict=True):
        block, entrant = divmod(place, size)
        share = Fraction(half_points, 2 * count)
        if block not in best or share > best[block][0]:
            best[block] = (share, [entrant])
        elif share == best[block][0]:
            best[block][1].append(entrant)
    won = [0] * size
    for _, winners in best.values():
        if len(winners) == 1:
            won[winners[0]] += 1
    return won
