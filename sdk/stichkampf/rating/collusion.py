"""Collusion and farming: what one entrant gives another beyond the field, on identical hands.

There are two ways to give, both measured in points a comparison: 0.1 is ten same-hand points of a hundred.

    help     the taker against third parties on the same hands: its surprise (points taken less points that
             the strengths expect) in blocks where the giver sat at its table, less that in its other blocks
    thrown   what the taker took from the giver itself on the same hands, less what the strengths expect

Whoever plays badly or loosely does so against all the field, and the strengths have learnt it; what is left
is meant for one, or a matter of styles. A find is a reason to look at the records, never a proof.

A great gift puts the strengths out and casts shadows on those who met the two. So the best proved pair is set
aside with all blocks in which it met, and the rest is searched again, until nothing more is found.

Two hundred entrants are some 60,000 questions, and ordinary intervals would accuse a thousand of them. These
are so wide that, where nobody gives anybody anything, all of them together hold nought in 95 fields of a
hundred (Bonferroni). A block's surprises are lopsided where one entrant is far stronger than the others,
which matters that far out: the interval is longer on that side (Cornish and Fisher, 1937).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.special import expit, ndtri  # type: ignore[import-untyped]

from stichkampf.rating.comparisons import Comparisons, compare
from stichkampf.rating.fit import fit_strengths
from stichkampf.rating.meetings import Meetings, looked_up, table_mates
from stichkampf.rating.results import Bools, Floats, Ints, Results

LEAST_BLOCKS = 10
_ALPHA = 0.05


@dataclass(frozen=True)
class Gift:
    """What `giver` gives `taker`, in points a comparison.

    :ivar blocks: in which the two met and it was measured.
    :ivar low: lower end of the interval, which holds together with those of all other gifts.
    :ivar high: its upper end.
    """

    giver: Any
    taker: Any
    way: Literal["help", "thrown"]
    blocks: int
    points: float
    low: float
    high: float

    @property
    def is_found(self) -> bool:
        """Whether luck alone does not explain it."""
        return self.low > 0


@dataclass(frozen=True)
class _Measured:
    """All gifts of one way, parallel arrays; `error` and `skewness` are those of `points`."""

    way: Literal["help", "thrown"]
    giver: Ints
    taker: Ints
    blocks: Ints
    points: Floats
    error: Floats
    skewness: Floats

    def where(self, kept: Bools) -> _Measured:
        who = self.giver[kept], self.taker[kept], self.blocks[kept]
        return _Measured(self.way, *who, self.points[kept], self.error[kept], self.skewness[kept])


def gifts(results: Results, *, partners: bool = False) -> tuple[Gift, ...]:
    """Every gift that can be measured: what was found, then the rest, the best proved first.

    Left out are pairs that met in fewer than ten blocks, and help to an entrant that has played fewer than
    ten without the giver.

    :param partners: see `compare`.
    """
    compared, mates = compare(results, partners=partners), table_mates(results)
    aside: list[Gift] = []
    while measured := _measured(compared, mates):
        best = measured[0]
        if not best.is_found:
            break
        pair = {best.giver, best.taker}
        aside += [gift for gift in measured if {gift.giver, gift.taker} == pair]
        compared, mates = _without(compared, mates, pair)
    return tuple(sorted([*aside, *measured], key=lambda gift: not gift.is_found))


def _without(compared: Comparisons, mates: Ints, pair: set[Any]) -> tuple[Comparisons, Ints]:
    """The same without the blocks in which the two met, at a table or on a hand."""
    size = len(compared.entrants)
    one, other = (compared.entrants.index(entrant) for entrant in pair)
    both = np.isin(mates % (size * size), (one * size + other, other * size + one))
    on_a_hand = np.isin(compared.first * size + compared.second, (one * size + other, other * size + one))
    spoiled = np.union1d(mates[both] // (size * size), compared.block[on_a_hand])
    kept = ~np.isin(compared.block, spoiled)
    columns = ("block", "first", "second", "half_points", "count", "margin", "measured")
    clean = replace(compared, **{name: getattr(compared, name)[kept] for name in columns})
    return clean, mates[~np.isin(mates // (size * size), spoiled)]


def _measured(compared: Comparisons, mates: Ints) -> list[Gift]:
    """The best proved first."""
    met = Meetings(compared, fit_strengths(compared.half_point_matrix / 2))
    ways = (_help(met, mates), _thrown(met))
    # what one throws to the other is what the other does not throw to it: one question a pair
    questions = len(ways[0].points) + len(ways[1].points) // 2
    if not questions:
        return []
    z = float(ndtri(1 - _ALPHA / (2 * questions)))
    measured = [gift for way in ways for gift in _with_intervals(way, z, compared.entrants)]
    # by how many half-widths the estimate lies above nought
    return sorted(measured, key=lambda gift: -gift.points / (gift.points - gift.low))


def _with_intervals(way: _Measured, z: float, entrants: Sequence[Any]) -> list[Gift]:
    lean = way.skewness * (z * z - 1) / 6
    low = way.points - way.error * (z + np.maximum(lean, 0))
    high = way.points + way.error * (z + np.maximum(-lean, 0))
    rows = zip(way.giver, way.taker, way.blocks, way.points, low, high, strict=True)
    return [
        Gift(entrants[giver], entrants[taker], way.way, int(blocks), float(points), float(least), float(most))
        for giver, taker, blocks, points, least, most in rows
    ]


def _thrown(met: Meetings) -> _Measured:
    """The mean surprise of a pair over its blocks. Its spread is taken from the whole field, which knows more
    of luck than a few blocks do, in proportion to p(1 - p).
    """
    size = met.size
    share = met.surprise / met.count
    pair, inverse, blocks = np.unique(met.key % (size * size), return_inverse=True, return_counts=True)
    taker, giver = pair // size, pair % size
    odds = expit(met.strengths[taker] - met.strengths[giver])
    even = odds * (1 - odds)
    luck = (share**2 / even[inverse]).mean() if len(share) else 0.0
    measured = _Measured(
        "thrown",
        giver,
        taker,
        blocks,
        points=np.bincount(inverse, weights=share, minlength=len(pair)) / blocks,
        error=np.sqrt(luck * even / blocks),
        skewness=np.sqrt(luck / (even * blocks)) * (1 - 2 * odds),
    )
    return measured.where((blocks >= LEAST_BLOCKS) & (measured.error > 0))


def _help(met: Meetings, mates: Ints) -> _Measured:
    """The taker's mean surprise against third parties where the giver sat at its table, less its mean
    surprise where it did not. The spread is that of all blocks of the taker.

    :param mates: what `table_mates` gives.
    """
    size = met.size
    played, inverse = np.unique(met.key // size, return_inverse=True)  # block · size + entrant
    surprise = np.bincount(inverse, weights=met.surprise, minlength=len(played))
    count = np.bincount(inverse, weights=met.count, minlength=len(played))
    place, known = looked_up(mates // size, played)
    row, compared = looked_up(mates[known], met.key)
    place = place[known]
    third_count = count[place] - np.where(compared, met.count[row], 0)
    third_surprise = surprise[place] - np.where(compared, met.surprise[row], 0)
    some = third_count > 0  # no third party in a block of two
    giver, place = mates[known][some] % size, place[some]
    third = third_surprise[some] / third_count[some]
    everywhere, own = surprise / count, played % size

    pair, inverse, blocks = np.unique(giver * size + own[place], return_inverse=True, return_counts=True)
    giver, taker = pair // size, pair % size
    without = np.bincount(own, minlength=size)[taker] - blocks
    elsewhere = np.bincount(own, weights=everywhere, minlength=size)[taker] - np.bincount(
        inverse, weights=everywhere[place], minlength=len(pair)
    )
    enough = (blocks >= LEAST_BLOCKS) & (without >= LEAST_BLOCKS)
    without = np.maximum(without, 1)
    points = np.bincount(inverse, weights=third, minlength=len(pair)) / blocks - elsewhere / without
    variance_with, third_moment_with = (m[taker] for m in _moments(third, own[place], size))
    variance, third_moment = (m[taker] for m in _moments(everywhere, own, size))
    error = np.sqrt(variance_with / blocks + variance / without)
    enough &= error > 0
    asymmetry = third_moment_with / blocks**2 - third_moment / without**2
    skewness = asymmetry / np.where(enough, error, 1) ** 3
    return _Measured("help", giver, taker, blocks, points, error, skewness).where(enough)


def _moments(values: Floats, of: Ints, size: int) -> tuple[Floats, Floats]:
    """Variance and third central moment of the values of each entrant."""
    number = np.maximum(np.bincount(of, minlength=size), 2)
    centred = values - (np.bincount(of, weights=values, minlength=size) / number)[of]
    squares = np.bincount(of, weights=centred**2, minlength=size)
    cubes = np.bincount(of, weights=centred**3, minlength=size)
    return squares / (number - 1), cubes / number
