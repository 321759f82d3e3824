"""The order of a ladder, which luck does not make: versions of nearly the same code share their evidence, and
all stand by the lower ends of their intervals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from stichkampf.rating.table import Rating

SHARED_BLOCKS = 60
"""The most that other versions of nearly the same code weigh in the rating of one."""


def lower_end(elo: float, plus_minus: float | None) -> float:
    """Return the lower end of a 95% interval; with one block there is none.

    >>> lower_end(1550, 30), lower_end(1900, None)
    (1520, -inf)
    """
    return -float("inf") if plus_minus is None else elo - plus_minus


def by_lower_end(places: Mapping[int, Rating], elos: Mapping[int, float]) -> dict[int, Rating]:
    """Return the lines of these versions with their ranks by the lower ends; equal ones share a rank.

    :param elos: by version, as they are shown.
    """
    ends = {version: lower_end(elos[version], line.plus_minus) for version, line in places.items()}
    ranks = {version: 1 + sum(other > end for other in ends.values()) for version, end in ends.items()}
    return {
        version: replace(
            line,
            rank=ranks[version],
            rank_best=min(line.rank_best, ranks[version]),
            rank_worst=max(line.rank_worst, ranks[version]),
        )
        for version, line in places.items()
    }


def shared(
    elos: Mapping[int, float], blocks: Mapping[int, int], before: Mapping[int, int]
) -> dict[int, float]:
    """Return the ratings of versions, of which those of nearly the same code share their evidence.

    The mean of the others weighs with that of a version, as sixty blocks at most. So nearly the same program
    gets about the same rating when it is submitted again, and its own blocks prevail as they become many.

    :param before: by version its predecessor, see `bots.predecessors`.
    """

    def first_of(version: int) -> int:
        while version in before:
            version = before[version]
        return version

    families: defaultdict[int, list[int]] = defaultdict(list)
    for version in elos:
        families[first_of(version)].append(version)
    shown = dict(elos)
    for family in families.values():
        played = sum(blocks[version] for version in family)
        points = sum(blocks[version] * elos[version] for version in family)
        for version in family if len(family) > 1 else ():
            own, others = blocks[version], played - blocks[version]
            mean = (points - own * elos[version]) / others
            weight = min(SHARED_BLOCKS, others)
            shown[version] = (own * elos[version] + weight * mean) / (own + weight)
    return shown
