"""`Results`: one row for each seat of each table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stichkampf.rating.errors import RatingError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Results:
    """Columns of equal length, one row for each seat of each table.

    >>> results = Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 3)])
    >>> results.entrants, results.score.tolist()
    (('ann', 'bob'), [7.0, 3.0])

    :ivar entrants: the labels of the entrants, sorted; `entrant` holds indices into them.
    :ivar blocks: the labels of the blocks, sorted; `block` holds indices into them.
    :ivar hand: which hand of the block the row's entrant held.
    :ivar score: the match score of that seat.
    :ivar table: the table of the row; -1 where tables are not told apart.
    :ivar forfeit: true where the entrant faulted past its allowance at that table.
    """

    entrants: tuple[Any, ...]
    blocks: tuple[Any, ...]
    entrant: Ints
    block: Ints
    hand: Ints
    score: Floats
    table: Ints
    forfeit: Bools

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[Any]]) -> Results:
        """Make results from rows `(block, hand, entrant, score)` or `(block, hand, entrant, score, table,
        forfeit)`.

        Labels may be anything that can be hashed and sorted, such as names or database keys; `table` must be
        unique over the whole file, not only within its block. The order of the rows never matters.

        :raises RatingError: for rows of another or of unequal length, and for scores that are no finite
            numbers.
        """
        rows = list(rows)
        if not rows:
            raise RatingError("there are no results to rate")
        width = len(rows[0])
        if width not in (4, 6) or any(len(row) != width for row in rows):
            raise RatingError(
                "a row is (block, hand, entrant, score), or that and (table, forfeit), the same in all rows"
            )
        columns = list(zip(*rows, strict=True))
        blocks, block = _coded(columns[0])
        _, hand = _coded(columns[1])
        entrants, entrant = _coded(columns[2])
        score = _numbers(columns[3])
        if width == 6:
            _, table = _coded(columns[4])
            forfeit = np.array(columns[5], dtype=np.bool_)
        else:
            table, forfeit = np.full(len(rows), -1), np.zeros(len(rows), dtype=np.bool_)
        return cls(entrants, blocks, entrant, block, hand, score, table, forfeit)

    def __len__(self) -> int:
        return len(self.score)


def _coded(column: Sequence[Hashable]) -> tuple[tuple[Any, ...], Ints]:
    """The sorted labels of a column, and the column as indices into them."""
    labels = tuple(sorted(set(column), key=lambda label: (type(label).__name__, label)))
    index = {label: code for code, label in enumerate(labels)}
    return labels, np.fromiter(map(index.__getitem__, column), dtype=np.int64, count=len(column))


def _numbers(column: Sequence[Any]) -> Floats:
    try:
        scores = np.array(column, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise RatingError("every score must be a number") from None
    if not np.isfinite(scores).all():
        raise RatingError("every score must be a finite number")
    return scores
