"""`Comparisons`: wins and draws of pairs of entrants on the same hand of the same block.

Entrants are compared with those that held the same hand, never with their table mates, and never with
themselves. A win counts two half-points, a draw one. Half-points are integers, so their sums are exact and no
order of rows can change a rating.

Faults. An entrant that faulted past its allowance at a table loses every comparison on that hand. Comparisons
of the other seats of that table are void, except with an offender elsewhere on their hand, who loses them
still. Two offenders on one hand draw.

Partners. Where two seats are one side by the rules of the game, what a pair of entrants did on all hands of a
block is one piece of evidence: the sum of the differences of their scores decides one comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stichkampf.rating.results import Bools, Floats, Ints, Results

_CHUNK_PAIRS = 2_000_000


@dataclass(frozen=True)
class Comparisons:
    """Totals of each pair of entrants in each block, sorted by block, then pair; `first` < `second` always.

    >>> results = Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 3), ("b1", 0, "cid", 3)])
    >>> compare(results).half_point_matrix.tolist()  # ann outscored both, bob and cid drew
    [[0, 2, 2], [0, 0, 1], [0, 1, 0]]

    :ivar half_points: of the first entrant, in half-points: at most twice `count`.
    :ivar count: comparisons of the pair in the block, at least one.
    :ivar margin: sum of the differences of scores, first minus second, over the `measured` comparisons
        without a forfeit.
    """

    entrants: tuple[Any, ...]
    blocks: tuple[Any, ...]
    block: Ints
    first: Ints
    second: Ints
    half_points: Ints
    count: Ints
    margin: Floats
    measured: Ints

    @cached_property
    def half_point_matrix(self) -> Ints:
        """Half-points that the entrant of the row took from the entrant of the column."""
        size = len(self.entrants)
        won = _totals(self.first * size + self.second, self.half_points, size * size)
        lost = _totals(self.second * size + self.first, 2 * self.count - self.half_points, size * size)
        matrix: Ints = (won + lost).reshape(size, size)
        return matrix

    @cached_property
    def blocks_of(self) -> Ints:
        """Blocks in which each entrant was compared."""
        size = len(self.entrants)
        seen = np.unique(np.concatenate([self.block * size + self.first, self.block * size + self.second]))
        return np.bincount(seen % size, minlength=size)

    @cached_property
    def count_of(self) -> Ints:
        """Comparisons of each entrant."""
        counts: Ints = (self.half_point_matrix + self.half_point_matrix.T).sum(axis=1) // 2
        return counts

    @property
    def block_count(self) -> int:
        """Blocks with at least one comparison."""
        return len(np.unique(self.block))

    def __len__(self) -> int:
        return len(self.block)


def compare(results: Results, *, partners: bool = False) -> Comparisons:
    """Compare all entrants that held the same hand of the same block.

    >>> results = Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 3), ("b1", 1, "ann", 2)])
    >>> len(compare(results)), compare(results).half_points.tolist()
    (1, [2])

    :param partners: two seats are one side by the rules of the game (Sixes and Sevens), so a pair makes one
        comparison a block.
    """
    order = np.lexsort((results.score, results.entrant, results.hand, results.block))
    spoiled = _spoiled(results)[order]
    entrant, block, score, forfeit = (
        results.entrant[order],
        results.block[order],
        results.score[order],
        results.forfeit[order],
    )
    size = len(results.entrants)
    totals = _Totals()
    for left, right in _pairs(block, results.hand[order]):
        different = entrant[left] != entrant[right]
        left, right = left[different], right[different]
        left_lost, right_lost = forfeit[left], forfeit[right]
        settled = left_lost | right_lost
        measured = ~settled & ~spoiled[left] & ~spoiled[right]
        margin = np.where(measured, score[left] - score[right], 0.0)
        by_score = np.sign(margin).astype(np.int64) + 1
        by_fault = 1 - left_lost.astype(np.int64) + right_lost.astype(np.int64)
        counted = settled | measured
        half_points = np.where(settled, by_fault, by_score) * counted
        key = (block[left] * size + entrant[left]) * size + entrant[right]
        totals.add(key, half_points, counted, margin, measured, left_lost, right_lost)
    key, half_points, count, margin, measured, first_lost, second_lost = totals.collapsed()
    if partners:
        by_score = np.sign(margin).astype(np.int64) + 1
        by_fault = 1 - np.sign(first_lost) + np.sign(second_lost)
        half_points = np.where((first_lost > 0) | (second_lost > 0), by_fault, by_score)
        count = np.minimum(count, 1)
    kept = count > 0
    key = key[kept]
    return Comparisons(
        results.entrants,
        results.blocks,
        block=key // (size * size),
        first=key // size % size,
        second=key % size,
        half_points=half_points[kept],
        count=count[kept],
        margin=margin[kept],
        measured=measured[kept],
    )


def _spoiled(results: Results) -> Bools:
    """Rows at whose table another seat faulted past its allowance."""
    tables = results.table.max() + 1 if len(results) else 0
    if tables <= 0:
        return np.zeros(len(results), dtype=np.bool_)
    offences = np.bincount(results.table, weights=results.forfeit, minlength=tables)
    spoiled: Bools = offences[results.table] - results.forfeit > 0
    return spoiled


def _pairs(block: Ints, hand: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the indices of every two rows with the same block and hand, in portions; the rows are sorted by
    block and hand.
    """
    if not len(block):
        return
    starts = np.flatnonzero(np.r_[True, (np.diff(block) != 0) | (np.diff(hand) != 0)])
    sizes = np.diff(np.r_[starts, len(block)])
    for size in np.unique(sizes):
        rows = starts[sizes == size][:, None] + np.arange(size)
        for distance in range(1, size):
            yield rows[:, :-distance].ravel(), rows[:, distance:].ravel()


class _Totals:
    """Sums of columns by key, collapsed now and then so that memory stays small."""

    def __init__(self) -> None:
        self._portions: list[tuple[Any, ...]] = []
        self._waiting = 0

    def add(self, key: Ints, *columns: Any) -> None:
        self._portions.append((key, *columns))
        self._waiting += len(key)
        if self._waiting > _CHUNK_PAIRS:
            self._portions = [self.collapsed()]
            self._waiting = 0

    def collapsed(self) -> tuple[Any, ...]:
        if not self._portions:
            nothing = np.zeros(0, dtype=np.int64)
            return (nothing, nothing, nothing, nothing.astype(np.float64), nothing, nothing, nothing)
        key, *columns = (np.concatenate(parts) for parts in zip(*self._portions, strict=True))
        unique, inverse = np.unique(key, return_inverse=True)
        return (unique, *(_totals(inverse, column, len(unique)) for column in columns))


def _totals(key: Ints, column: Any, length: int) -> Any:
    """Sums of a column by key: exact for whole numbers, in the dtype of the column (counts for booleans)."""
    sums = np.bincount(key, weights=column, minlength=length)
    return sums if column.dtype == np.float64 else sums.astype(np.int64)
