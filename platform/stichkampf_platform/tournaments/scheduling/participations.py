"""Rows of the entrants of each block, so that no page collects them from its seats."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet

from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.tournaments.models import Block, Participation, Seat

BLOCKS_AT_ONCE = 1000


def add(entrants_of_blocks: Iterable[tuple[int, Iterable[int]]]) -> None:
    """Add the entrants of blocks, by the ids of both; what is there stays."""
    Participation.objects.bulk_create(
        (
            Participation(block_id=block, entrant_id=entrant)
            for block, entrants in entrants_of_blocks
            for entrant in sorted(set(entrants))
        ),
        ignore_conflicts=True,
        batch_size=5 * BLOCKS_AT_ONCE,
    )


def add_missing() -> int:
    """Add those of blocks without any, which an earlier release has drawn; return of how many tournaments."""
    known = Participation.objects.filter(block=OuterRef("pk"))
    missing = Block.objects.filter(~Exists(known)).order_by()
    of = list(missing.values_list("tournament", flat=True).distinct())
    return each_by_itself("participations", of, lambda pk: _add_missing(missing.filter(tournament=pk)))


def _add_missing(found: QuerySet[Block]) -> int:
    missing = list(found.values_list("pk", flat=True))
    for start in range(0, len(missing), BLOCKS_AT_ONCE):
        some = missing[start : start + BLOCKS_AT_ONCE]
        seated = Seat.objects.filter(table__block__in=some).order_by()
        pairs = seated.values_list("table__block", "entrant").distinct()
        add((block, [entrant]) for block, entrant in pairs)
    return len(missing)
