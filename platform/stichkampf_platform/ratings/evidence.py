"""From the database's rows to what the rating maths reads: which blocks count, and what happened in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Exists, OuterRef, QuerySet

from stichkampf_platform.ratings.models import Ladder
from stichkampf_platform.tournaments.models import Block, Result, Table, Tournament
from stichkampf_platform.tournaments.queries import open_blocks

Spans = list[list[int]]


@dataclass(frozen=True)
class Row:
    """A seat of a table. The hand is the seat's number: every table of the block deals it the same cards."""

    block: int
    hand: int
    version: int
    score: int
    table: int
    forfeited: bool
    faults: int
    decisions: int
    median_ms: float | None
    deals: int


def rated_tournaments(ladder: Ladder) -> QuerySet[Tournament]:
    """The tournaments whose blocks count in a ladder."""
    return Tournament.objects.filter(
        rated=True, game=ladder.game, seats=ladder.seats, options_digest=ladder.options_digest
    )


def rated_blocks(ladder: Ladder, tournament: Tournament | None = None) -> QuerySet[Block]:
    """The blocks that count: over, with every table played. Of one tournament, also where it is unrated."""
    tournaments = rated_tournaments(ladder) if tournament is None else [tournament]
    unplayed = Table.objects.filter(block=OuterRef("pk")).exclude(state=Table.State.DONE)
    return open_blocks().filter(~Exists(unplayed), tournament__in=tournaments)


def rows_of(blocks: Iterable[int], ladder: Ladder, tournament: Tournament | None = None) -> list[Row]:
    """What happened in these of the blocks that count."""
    wanted = set(blocks)
    results = Result.objects.filter(seat__table__block__in=rated_blocks(ladder, tournament)).values_list(
        "seat__table__block_id",
        "seat__number",
        "seat__entrant__version_id",
        "score",
        "seat__table_id",
        "forfeited",
        "faults",
        "decisions",
        "median_ms",
        "seat__table__match_record__deals",
    )
    return [Row(*values) for values in results.iterator(chunk_size=5000) if values[0] in wanted]


def spans(ids: Iterable[int]) -> Spans:
    """Unbroken runs of ids, as first and last.

    >>> spans([7, 1, 2, 3])
    [[1, 3], [7, 7]]
    """
    runs = groupby(enumerate(sorted(ids)), key=lambda place_and_id: place_and_id[1] - place_and_id[0])
    members = ([block for _, block in run] for _, run in runs)
    return [[run[0], run[-1]] for run in members]


def ids_in(block_spans: Spans) -> set[int]:
    """The ids that `spans` was given; others that lie in the same runs too."""
    return {block for first, last in block_spans for block in range(first, last + 1)}
