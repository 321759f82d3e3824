"""Rows of the entrants of each block, so that no page collects them from its seats."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef

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
    """Add those of blocks without any, which an earlier release has drawn; return of how many blocks."""
    known = Participation.objects.filter(block=OuterRef("pk"))
    missing = list(Block.objects.filter(~Exists(known)).order_by().values_list("pk", flat=True))
    for start in range(0, len(missing), BLOCKS_AT_ONCE):
        some = missing[start : start + BLOCKS_AT_ONCE]
        seated = Seat.objects.filter(table__block__in=some).order_by()
        pairs = seated.values_list("table__block", "entrant").distinct()
        add((block, [entrant]) for block, entrant in pairs)
    return len(missing)
