"""Blocks in which an entrant forfeited a hand: to the ratings of the others it is another entrant there.

A strong bot that fails only beside one other would otherwise be weak where that one meets it, and strong to
all the rest. It is another in the whole block, not on the forfeited hands alone, and in all blocks of the
same entrants, such as a group of a knock-out: it could choose hands or blocks by what it had scored, and so
be one that its friend has only beaten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stichkampf.rating.comparisons import Comparisons
from stichkampf.rating.results import Bools, Floats, Ints


@dataclass(frozen=True)
class WhereItForfeited:
    """The label of an entrant in the blocks in which it forfeited.

    >>> str(WhereItForfeited("ann"))
    'ann where it forfeited'
    """

    entrant: Any

    def __str__(self) -> str:
        return f"{self.entrant} where it forfeited"


@dataclass(frozen=True)
class SetApart:
    """Comparisons as the ratings of the others see them.

    :ivar comparisons: behind the entrants stand those that are set apart in some of their blocks once more,
        for these blocks. The pairs are in no order.
    :ivar home: for each of its entrants, the number of the entrant that it is.
    :ivar shares: entrants by those of `comparisons`: the share of its comparisons that each has.
    """

    comparisons: Comparisons
    home: Ints
    shares: Floats


def set_apart(comparisons: Comparisons, prior: float = 1.0) -> SetApart:
    """Set the blocks of those apart beside whom an entrant forfeited, where it had other blocks, too.

    Without a prior none are: of few blocks no strength could be fitted.

    >>> from stichkampf.rating import Results, compare
    >>> rows = [("b1", 0, "ann", 7, 1, True), ("b1", 0, "bob", 3, 2, False)]
    >>> rows += [("b2", 0, "ann", 1, 3, False), ("b2", 0, "cid", 3, 4, False)]
    >>> apart = set_apart(compare(Results.from_rows(rows)))
    >>> list(map(str, apart.comparisons.entrants)), apart.home.tolist()
    (['ann', 'bob', 'cid', 'ann where it forfeited'], [0, 1, 2, 0])
    """
    size = len(comparisons.entrants)
    forfeited = _with_blocks_of_the_same_group(comparisons)
    in_some = np.bincount(forfeited % size, minlength=size)
    again = np.flatnonzero((in_some > 0) & (in_some < comparisons.blocks_of) & (prior > 0))
    number = np.arange(size)
    number[again] = np.arange(size, size + len(again))

    def renumbered(side: Ints) -> Ints:
        there: Bools = np.isin(comparisons.block * size + side, forfeited)
        found: Ints = np.where(there, number[side], side)
        return found

    apart = replace(
        comparisons,
        entrants=(*comparisons.entrants, *(WhereItForfeited(comparisons.entrants[who]) for who in again)),
        first=renumbered(comparisons.first),
        second=renumbered(comparisons.second),
    )
    home = np.r_[np.arange(size), again]
    shares = np.zeros((size, len(home)))
    total = np.maximum(comparisons.count_of, 1)[home]
    shares[home, np.arange(len(home))] = np.where(np.isin(home, again), apart.count_of / total, 1.0)
    return SetApart(apart, home, shares)


def _with_blocks_of_the_same_group(comparisons: Comparisons) -> Ints:
    """Return `forfeited_blocks` with all others that the same entrants played."""
    size, forfeited = len(comparisons.entrants), comparisons.forfeited_blocks
    if not len(forfeited):
        return forfeited
    group = _groups(comparisons)
    whose = np.unique(group[forfeited // size] * size + forfeited % size)
    block, entrant = np.divmod(comparisons.seats_taken, size)
    return comparisons.seats_taken[np.isin(group[block] * size + entrant, whose)]


def _groups(comparisons: Comparisons) -> Ints:
    """Number the sets of entrants that were compared in a block; by block."""
    block, entrant = np.divmod(comparisons.seats_taken, len(comparisons.entrants))
    members = np.bincount(block)
    group = np.zeros(len(members), dtype=np.int64)
    for number in np.unique(members[members > 0]):
        there = np.flatnonzero(members == number)
        rows = entrant[members[block] == number].reshape(-1, number)
        group[there] = group.max() + 1 + np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    return group
