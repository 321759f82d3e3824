"""Rows of the entrants of each block, so that no page collects them from its seats."""

from __future__ import annotations

from collections.abc import Iterable

from stichkampf_platform.tournaments.models import Participation

ROWS_AT_ONCE = 5000


def add(entrants_of_blocks: Iterable[tuple[int, Iterable[int]]]) -> None:
    """Add the entrants of blocks, by the ids of both."""
    Participation.objects.bulk_create(
        (
            Participation(block_id=block, entrant_id=entrant)
            for block, entrants in entrants_of_blocks
            for entrant in sorted(set(entrants))
        ),
        ignore_conflicts=True,
        batch_size=ROWS_AT_ONCE,
    )
