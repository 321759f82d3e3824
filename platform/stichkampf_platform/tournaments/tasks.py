"""What the workers do. Each task takes ids, calls one service and may be lost or repeated without harm."""

from __future__ import annotations

from celery import shared_task

from stichkampf_platform.arbiter import arbiter
from stichkampf_platform.hints import hint
from stichkampf_platform.tournaments import play, services

BLOCKS_A_SWEEP = 4


@shared_task
def play_block(block_id: int) -> None:
    """Play a block, then wake a worker for the next one."""
    play.play_block(block_id=block_id, arbiter=arbiter())
    services.advance_tournaments()
    hint_blocks(1)


@shared_task
def sweep() -> None:
    """Every few seconds: start and end what is due, hint at what should run, publish what is due."""
    from stichkampf_platform.bots.tasks import hint_validations
    from stichkampf_platform.ratings.tasks import hint_publications

    services.start_due()
    services.advance_tournaments()
    hint_blocks(BLOCKS_A_SWEEP)
    hint_validations()
    hint_publications()


def hint_blocks(how_many: int) -> None:
    for block_id in services.mark_hinted(how_many=how_many):
        hint(play_block, block_id)
