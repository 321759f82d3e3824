"""`Comparisons`: wins and draws of pairs of entrants on the same hand of the same block.

Entrants are compared with those that held the same hand, never with their table mates, and never with
themselves. A win counts two half-points, a draw one. Half-points are integers, so their sums are exact and no
order of rows can change a rating.

Forfeits. What was played stands: a comparison is decided by the scores of the two seats, whether bot or
substitute moved for them. So nothing of another entrant ever depends on whether a seat was forfeited. Only
the one that forfeited keeps nothing of its comparisons on that hand; no other gets what it loses, and the
half-points that both keep are then fewer than twice the number of comparisons. Ratings also set blocks apart
because an entrant forfeited: `forfeited_blocks`.

Partners. Where two seats are one side by the rules of the game, what a pair of entrants did on all hands of a
block is one piece of evidence: the sum of the differences of their scores decides one comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
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

    :ivar half_points: of the first entrant's seats, in half-points: at most twice `count`.
    :ivar count: comparisons of the pair in the block, at least one.
    :ivar margin: sum of the differences of scores, first minus second, over the `measured` hands.
    :ivar first_forfeits: comparisons in which the first entrant had forfeited the hand.
    :ivar second_forfeits: the same of the second entrant.
    :ivar first_lost: half-points that seats of the first entrant took and it forfeited.
    :ivar second_lost: the same of the second entrant.
    :ivar first_margin_lost: how much less the margin is for the first entrant, to whom a forfeited lead is a
        deficit of the same size.
    :ivar second_margin_lost: the same for the second entrant.
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
    first_forfeits: Ints
    second_forfeits: Ints
    first_lost: Ints
    second_lost: Ints
    first_margin_lost: Floats
    second_margin_lost: Floats

    @cached_property
    def half_point_matrix(self) -> Ints:
        """Half-points that the seats of the entrant of the row took from those of the column's."""
        return self._matrix(self.half_points, 2 * self.count - self.half_points)

    @cached_property
    def kept_matrix(self) -> Ints:
        """The same without what the entrant of the row forfeited."""
        return self.half_point_matrix - self._matrix(self.first_lost, self.second_lost)

    def _matrix(self, first: Ints, second: Ints) -> Ints:
        size = len(self.entrants)
        upper = _totals(self.first * size + self.second, first, size * size)
        lower = _totals(self.second * size + self.first, second, size * size)
        matrix: Ints = (upper + lower).reshape(size, size)
        return matrix

    @cached_property
    def forfeited_blocks(self) -> Ints:
        """The blocks in which an entrant forfeited a hand, as block · entrants + entrant, ascending."""
        block = self.block * len(self.entrants)
        first = (block + self.first)[self.first_forfeits > 0]
        return np.union1d(first, (block + self.second)[self.second_forfeits > 0])

    @cached_property
    def forfeiters(self) -> Ints:
        """The numbers of the entrants that forfeited a hand, ascending."""
        return np.unique(self.forfeited_blocks % len(self.entrants))

    @cached_property
    def sides(self) -> Sides:
        """Each pair of a block twice, as it counts for either entrant."""
        return Sides(
            block=np.concatenate([self.block, self.block]),
            entrant=np.concatenate([self.first, self.second]),
            other=np.concatenate([self.second, self.first]),
            half_points=np.concatenate(
                [
                    self.half_points - self.first_lost,
                    2 * self.count - self.half_points - self.second_lost,
                ]
            ),
            lost=np.concatenate([self.first_lost, self.second_lost]),
            count=np.concatenate([self.count, self.count]),
            margin=np.concatenate(
                [self.margin - self.first_margin_lost, -self.margin - self.second_margin_lost]
            ),
            measured=np.concatenate([self.measured, self.measured]),
        )

    @property
    def as_played(self) -> Comparisons:
        """The same without any forfeit."""
        none = {name: 0 * getattr(self, name) for name in COLUMNS if name.endswith(("_lost", "_forfeits"))}
        return replace(self, **none)

    def only(self, kept: Bools) -> Comparisons:
        """The pairs of blocks at these places."""
        return replace(self, **{name: getattr(self, name)[kept] for name in COLUMNS})

    @cached_property
    def seats_taken(self) -> Ints:
        """The blocks in which an entrant was compared, as block · entrants + entrant, ascending."""
        block = self.block * len(self.entrants)
        return np.union1d(block + self.first, block + self.second)

    @cached_property
    def blocks_of(self) -> Ints:
        """Blocks in which each entrant was compared."""
        size = len(self.entrants)
        return np.bincount(self.seats_taken % size, minlength=size)

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


COLUMNS = tuple(field.name for field in fields(Comparisons))[2:]
"""The fields of `Comparisons` that have one entry a pair and block."""


@dataclass(frozen=True)
class Sides:
    """Pairs of entrants in blocks, seen from one of the two: the results that it keeps.

    >>> results = Results.from_rows([("b1", 0, "ann", 7, 1, True), ("b1", 0, "bob", 3, 2, False)])
    >>> compare(results).sides.half_points.tolist()  # ann's seat took the point, but she forfeited it
    [0, 0]

    :ivar half_points: that the entrant keeps.
    :ivar lost: half-points that its seats took and it forfeited.
    :ivar margin: sum of the differences of scores over the `measured` hands, forfeited ones as lost.
    """

    block: Ints
    entrant: Ints
    other: Ints
    half_points: Ints
    lost: Ints
    count: Ints
    margin: Floats
    measured: Ints

    def of(self, entrant: int, other: int | None = None) -> Sides:
        """The part of one entrant, or of one entrant against another, in the order of the blocks."""
        chosen = self.entrant == entrant
        if other is not None:
            chosen &= self.other == other
        places = np.flatnonzero(chosen)
        places = places[np.argsort(self.block[places], kind="stable")]
        return Sides(*(getattr(self, field.name)[places] for field in fields(self)))


def compare(results: Results, *, partners: bool = False) -> Comparisons:
    """Compare all entrants that held the same hand of the same block.

    >>> results = Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 3), ("b1", 1, "ann", 2)])
    >>> len(compare(results)), compare(results).half_points.tolist()
    (1, [2])

    :param partners: two seats are one side by the rules of the game (Sixes and Sevens), so a pair makes one
        comparison a block.
    """
    order = np.lexsort((results.score, results.entrant, results.hand, results.block))
    entrant, block = results.entrant[order], results.block[order]
    score, forfeit = results.score[order], results.forfeit[order]
    size = len(results.entrants)
    totals = _Totals()
    for left, right in _pairs(block, results.hand[order]):
        different = entrant[left] != entrant[right]
        left, right = left[different], right[different]
        margin = score[left] - score[right]
        by_first, by_second = forfeit[left], forfeit[right]
        totals.add(
            (block[left] * size + entrant[left]) * size + entrant[right],
            np.ones(len(left), dtype=np.int64),
            by_first,
            by_second,
            margin,
            *_decided(margin, by_first, by_second),
        )
    key, measured, by_first, by_second, margin, *decided = totals.collapsed()
    count = measured
    if partners:
        decided, count = [*_decided(margin, by_first > 0, by_second > 0)], np.minimum(measured, 1)
    half_points, first_lost, second_lost, first_margin_lost, second_margin_lost = decided
    return Comparisons(
        results.entrants,
        results.blocks,
        block=key // (size * size),
        first=key // size % size,
        second=key % size,
        half_points=half_points,
        count=count,
        margin=margin,
        measured=measured,
        first_forfeits=by_first,
        second_forfeits=by_second,
        first_lost=first_lost,
        second_lost=second_lost,
        first_margin_lost=first_margin_lost,
        second_margin_lost=second_margin_lost,
    )


def _decided(margin: Floats, by_first: Bools, by_second: Bools) -> tuple[Ints, Ints, Ints, Floats, Floats]:
    """Return half-points of the first, those that either side forfeited, and what it lost of the margin.

    :param by_first: true where the first forfeited.
    """
    half_points = np.sign(margin).astype(np.int64) + 1
    return (
        half_points,
        half_points * by_first,
        (2 - half_points) * by_second,
        2 * np.maximum(margin, 0.0) * by_first,
        2 * np.maximum(-margin, 0.0) * by_second,
    )


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
            whole, real = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float64)
            return (whole, whole, whole, whole, real, whole, whole, whole, real, real)
        key, *columns = (np.concatenate(parts) for parts in zip(*self._portions, strict=True))
        unique, inverse = np.unique(key, return_inverse=True)
        return (unique, *(_totals(inverse, column, len(unique)) for column in columns))


def _totals(key: Ints, column: Any, length: int) -> Any:
    """Sums of a column by key: exact for whole numbers, in the dtype of the column (counts for booleans)."""
    sums = np.bincount(key, weights=column, minlength=length)
    return sums if column.dtype == np.float64 else sums.astype(np.int64)
