"""From the database's rows to what the rating maths reads: which blocks count, and what happened in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import groupby

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet
from numpy.typing import NDArray
from stichkampf.rating import Results

from stichkampf_platform.core.plain_rows import portions
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.tournaments.models import Block, Result, Table, Tournament
from stichkampf_platform.tournaments.queries import shown_blocks

Spans = list[list[int]]

PORTION = 5000
"""Rows that are on their way from the database at once: few of them become Python objects at a time."""


@dataclass(frozen=True)
class SeatColumns:
    """Columns of equal length, one row for each seat of each table.

    The hand is the seat's number: every table of the block deals it the same cards. `median_ms` is nan where
    no decision was measured.
    """

    block: NDArray[np.int64]
    hand: NDArray[np.int64]
    version: NDArray[np.int64]
    score: NDArray[np.float64]
    table: NDArray[np.int64]
    forfeited: NDArray[np.bool_]
    faults: NDArray[np.int64]
    decisions: NDArray[np.int64]
    median_ms: NDArray[np.float64]
    deals: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.block)

    def taken(self, places: NDArray[np.int64]) -> SeatColumns:
        """The rows at these places."""
        return SeatColumns(*(getattr(self, field.name)[places] for field in fields(self)))

    def results(self) -> Results:
        """Return the results as the rating maths reads them; the entrants are the ids of the versions."""
        entrants, entrant = np.unique(self.version, return_inverse=True)
        blocks, block = np.unique(self.block, return_inverse=True)
        _, table = np.unique(self.table, return_inverse=True)
        labels = tuple(entrants.tolist()), tuple(blocks.tolist())
        return Results(*labels, entrant, block, self.hand, self.score, table, self.forfeited)


def rated_tournaments(ladder: Ladder) -> QuerySet[Tournament]:
    """The tournaments whose blocks count in a ladder: on a public one, no organiser's unless released."""
    counted = ladder.tournaments.filter(rated=True)
    return counted if ladder.private else counted.filter(released=True)


def rated_blocks(ladder: Ladder, tournament: Tournament | None = None) -> QuerySet[Block]:
    """The blocks that count: over, with every table played. Of one tournament, also where it is unrated."""
    tournaments = rated_tournaments(ladder) if tournament is None else [tournament]
    return whole_blocks().filter(tournament__in=tournaments)


def whole_blocks() -> QuerySet[Block]:
    """The blocks that are over, with every table played."""
    unplayed = Table.objects.filter(block=OuterRef("pk")).exclude(state=Table.State.DONE)
    return shown_blocks().filter(~Exists(unplayed))


def counted_spans(ladder: Ladder, tournament: Tournament | None = None) -> Spans:
    """The blocks that count now."""
    return spans(rated_blocks(ladder, tournament).values_list("pk", flat=True))


COLUMNS = (
    ("seat__table__block_id", np.int64),
    ("seat__number", np.int64),
    ("seat__entrant__version_id", np.int64),
    ("score", np.float64),
    ("seat__table_id", np.int64),
    ("forfeited", np.bool_),
    ("faults", np.int64),
    ("decisions", np.int64),
    ("median_ms", np.float64),
    ("seat__table__match_record__deals", np.int64),
)
"""The fields of the database from which `SeatColumns` is read, in its order."""


def rows_of(block_spans: Spans, ladder: Ladder) -> SeatColumns:
    """Read the results of these blocks of a ladder, void ones included."""
    results = Result.objects.filter(seat__table__block__tournament__in=ladder.tournaments.all())
    # only so that little is read; `_within` decides
    first, last = (block_spans[0][0], block_spans[-1][1]) if block_spans else (0, -1)
    results = results.filter(seat__table__block__gte=first, seat__table__block__lte=last)
    found = results.values_list(*(name for name, _ in COLUMNS)).iterator(chunk_size=PORTION)
    parts = [np.empty((0, len(COLUMNS)))]
    for portion in portions(found, PORTION):
        values = np.array(portion, dtype=np.float64)
        parts.append(values[_within(values[:, 0], block_spans)])
    columns = zip(np.concatenate(parts).T, COLUMNS, strict=True)
    return SeatColumns(*(column.astype(kind) for column, (_, kind) in columns))


def _within(blocks: NDArray[np.float64], block_spans: Spans) -> NDArray[np.bool_]:
    first, last = np.array([[-1, -1], *block_spans]).T
    return blocks <= last[np.searchsorted(first, blocks, side="right") - 1]


def spans(ids: Iterable[int]) -> Spans:
    """Unbroken runs of ids, as first and last.

    >>> spans([7, 1, 2, 3])
    [[1, 3], [7, 7]]
    """
    runs = groupby(enumerate(sorted(ids)), key=lambda place_and_id: place_and_id[1] - place_and_id[0])
    members = ([block for _, block in run] for _, run in runs)
    return [[run[0], run[-1]] for run in members]
