"""Pairs that met in a block: compared on the same hands, or seated at one table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stichkampf.rating.comparisons import Comparisons
from stichkampf.rating.covariance import surprises
from stichkampf.rating.results import Bools, Floats, Ints, Results


class ComparedPairs:
    """Every pair that was compared in a block, seen from either side, in parallel arrays.

    :ivar key: (block · size + taker) · size + giver, ascending.
    :ivar surprise: points of the taker beyond expectation, the sum of `count` comparisons.
    """

    def __init__(self, compared: Comparisons, strengths: Floats) -> None:
        self.size = len(compared.entrants)
        self.strengths = strengths
        block = compared.block * self.size
        straight = (block + compared.first) * self.size + compared.second
        turned = (block + compared.second) * self.size + compared.first
        key = np.concatenate([straight, turned])
        surprise = surprises(compared, strengths)
        order = np.argsort(key)
        self.key = key[order]
        self.surprise = np.concatenate([surprise, -surprise])[order]
        self.count = np.concatenate([compared.count, compared.count])[order]


def table_mates(results: Results) -> Ints:
    """List all pairs that shared a table: keys as those of `ComparedPairs`, ascending.

    Where tables are not told apart, all of a block are held to have sat at one.
    """
    size = len(results.entrants)
    table = np.where(results.table < 0, -1 - results.block, results.table)
    order = np.argsort(table, kind="stable")
    block, who = results.block[order], results.entrant[order]
    starts = np.flatnonzero(np.r_[True, np.diff(table[order]) != 0]) if len(results) else order
    seats = np.diff(np.r_[starts, len(results)])
    keys = [np.zeros(0, dtype=np.int64)]
    for number in np.unique(seats):
        rows = starts[seats == number][:, None] + np.arange(number)
        for distance in range(1, number):
            one, other = rows.ravel(), np.roll(rows, distance, axis=1).ravel()
            keys.append((block[one] * size + who[one]) * size + who[other])
    found: Ints = np.unique(np.concatenate(keys))
    different: Ints = found[found // size % size != found % size]
    return different


@dataclass(frozen=True)
class ForfeitedShares:
    """The share of its tables that each entrant forfeited, by block.

    :ivar key: block · size + entrant, ascending.
    :ivar share: of its tables in that block, 0 to 1.
    """

    key: Ints
    share: Floats

    @classmethod
    def of(cls, results: Results) -> ForfeitedShares:
        key, inverse, tables = np.unique(
            results.block * len(results.entrants) + results.entrant, return_inverse=True, return_counts=True
        )
        return cls(key, np.bincount(inverse, weights=results.forfeit, minlength=len(key)) / tables)

    def only(self, kept: Bools) -> ForfeitedShares:
        return ForfeitedShares(self.key[kept], self.share[kept])


def looked_up(keys: Ints, among: Ints) -> tuple[Ints, Bools]:
    """Return the index of each key among the sorted ones, and true where it is one of them."""
    if not len(among):
        return np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=np.bool_)
    index = np.minimum(np.searchsorted(among, keys), len(among) - 1)
    return index, among[index] == keys
