"""Measurement of the points that entrants give each other, and of forfeits beside each other: each an
estimate and its error.

`collusion` explains the numbers and draws intervals around them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy  # type: ignore[import-untyped]

from stichkampf.rating.compared_pairs import ComparedPairs, ForfeitedShares, looked_up
from stichkampf.rating.results import Bools, Floats, Ints

LEAST_BLOCKS = 10

Way = Literal["help", "thrown", "forfeit"]


@dataclass(frozen=True)
class PointsGiven:
    """Points that givers give takers in one way, as parallel arrays; entrants are numbers.

    :ivar together: blocks in which the two met.
    :ivar apart: blocks of the taker without the giver; for forfeits, of the giver without the taker.
    :ivar error: standard error of `points`; this and `skewness` say nothing where `enough` is false.
    :ivar enough: whether it can be measured: ten blocks together and, for help, ten apart.
    """

    way: Way
    giver: Ints
    taker: Ints
    together: Ints
    apart: Ints
    points: Floats
    error: Floats
    skewness: Floats
    enough: Bools


def thrown(met: ComparedPairs) -> PointsGiven:
    """Return the mean surprise of a pair over its blocks. Its spread is taken from the whole field, which
    knows more of luck than a few blocks do, in proportion to p(1 - p).
    """
    size = met.size
    share = met.surprise / met.count
    pair, inverse, blocks = np.unique(met.key % (size * size), return_inverse=True, return_counts=True)
    taker, giver = pair // size, pair % size
    odds = scipy.special.expit(met.strengths[taker] - met.strengths[giver])
    even = odds * (1 - odds)
    luck = (share**2 / even[inverse]).mean() if len(share) else 0.0
    error = np.sqrt(luck * even / blocks)
    return PointsGiven(
        "thrown",
        giver,
        taker,
        together=blocks,
        apart=_blocks_of(met)[taker] - blocks,
        points=np.bincount(inverse, weights=share, minlength=len(pair)) / blocks,
        error=error,
        skewness=np.sqrt(luck / (even * blocks)) * (1 - 2 * odds),
        enough=(blocks >= LEAST_BLOCKS) & (error > 0),
    )


def help_at_the_table(met: ComparedPairs, mates: Ints) -> PointsGiven:
    """Return the taker's mean surprise against third parties where the giver sat at its table, less its mean
    surprise where it did not. The spread is that of all blocks of the taker.

    :param mates: the result of `table_mates`.
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
    rest = np.maximum(without, 1)
    points = np.bincount(inverse, weights=third, minlength=len(pair)) / blocks - elsewhere / rest
    variance_with, third_moment_with = (m[taker] for m in _moments(third, own[place], size))
    variance, third_moment = (m[taker] for m in _moments(everywhere, own, size))
    error = np.sqrt(variance_with / blocks + variance / rest)
    enough = (blocks >= LEAST_BLOCKS) & (without >= LEAST_BLOCKS) & (error > 0)
    asymmetry = third_moment_with / blocks**2 - third_moment / rest**2
    skewness = asymmetry / np.where(enough, error, 1) ** 3
    return PointsGiven("help", giver, taker, blocks, without, points, error, skewness, enough)


def forfeits_beside(forfeited: ForfeitedShares, mates: Ints, size: int) -> PointsGiven:
    """Return the share of its tables that a giver forfeited in blocks where the taker sat at its table, less
    that share in its other blocks. The spread is that of all blocks of the giver.

    Only of those that forfeited a table. `apart` counts blocks of the giver.

    :param mates: the result of `table_mates`.
    """
    own = forfeited.key % size
    guilty = np.bincount(own, weights=forfeited.share, minlength=size) > 0
    place, known = looked_up(mates // size, forfeited.key)
    known &= guilty[own[place]] if len(own) else known
    place, taker = place[known], mates[known] % size
    pair, inverse, blocks = np.unique(own[place] * size + taker, return_inverse=True, return_counts=True)
    giver, taker = pair // size, pair % size
    beside = np.bincount(inverse, weights=forfeited.share[place], minlength=len(pair))
    apart = np.bincount(own, minlength=size)[giver] - blocks
    elsewhere = np.bincount(own, weights=forfeited.share, minlength=size)[giver] - beside
    rest = np.maximum(apart, 1)
    variance, third_moment = (moment[giver] for moment in _moments(forfeited.share, own, size))
    error = np.sqrt(variance * (1 / blocks + 1 / rest))
    enough = (blocks >= LEAST_BLOCKS) & (apart >= LEAST_BLOCKS) & (error > 0)
    skewness = third_moment * (1 / blocks**2 - 1 / rest**2) / np.where(enough, error, 1) ** 3
    points = beside / blocks - elsewhere / rest
    return PointsGiven("forfeit", giver, taker, blocks, apart, points, error, skewness, enough)


def _blocks_of(met: ComparedPairs) -> Ints:
    """Count the blocks in which each entrant was compared."""
    return np.bincount(np.unique(met.key // met.size) % met.size, minlength=met.size)


def _moments(values: Floats, of: Ints, size: int) -> tuple[Floats, Floats]:
    """Variance and third central moment of the values of each entrant."""
    number = np.maximum(np.bincount(of, minlength=size), 2)
    centred = values - (np.bincount(of, weights=values, minlength=size) / number)[of]
    squares = np.bincount(of, weights=centred**2, minlength=size)
    cubes = np.bincount(of, weights=centred**3, minlength=size)
    return squares / (number - 1), cubes / number
