"""Tasks of the workers. Each takes ids, calls one service and may be lost or repeated without harm."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded

from stichkampf_platform.bots.arbiter_sync import may_have_remote_bots
from stichkampf_platform.bots.tasks import enqueue_validations
from stichkampf_platform.core.arbiter_client import ArbiterClient, arbiter, gate
from stichkampf_platform.core.machines import failures, nodes
from stichkampf_platform.core.machines.database_turns import database_turn, return_to_database
from stichkampf_platform.core.machines.failures import by_itself
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.people.tasks import enqueue_mails
from stichkampf_platform.tournaments import queries
from stichkampf_platform.tournaments.models import Block, Table
from stichkampf_platform.tournaments.records import open_parts, retention
from stichkampf_platform.tournaments.running import due_steps, voiding
from stichkampf_platform.tournaments.running.play_block import play_block as play
from stichkampf_platform.tournaments.scheduling import plans
from stichkampf_platform.tournaments.troubles import PLAY, ROUNDS

BLOCKS_IN_QUEUE = 4
"""Blocks that wait where no place is free. Further messages would come when others have those blocks."""
MOST_IN_QUEUE = 500
SWEEP_SECONDS = 60

logger = logging.getLogger(__name__)


@shared_task
def play_block(block_id: int) -> None:
    """Play a block, or the one whose turn it is by now, then wake a worker for the next one."""
    with database_turn():
        if _play(queries.block_in_turn(block_id)):
            enqueue_blocks(1)


@shared_task
def play_experiment(block_id: int) -> None:
    """Play a block of an experiment, or the one whose turn it is by now, as `play_block` does."""
    with database_turn():
        if _play(queries.block_in_turn(block_id, experiments=True)):
            enqueue_experiments(1)


def _play(block_id: int) -> bool:
    """Play a block and what follows from it; return false if others have it, or have played it.

    Such a message wakes no worker: else there would be ever more of them.
    """
    tournament = Block.objects.filter(pk=block_id).values_list("tournament", flat=True).first()
    played: int | None = 0
    with by_itself(PLAY, tournament, give_up=due_steps.park_playing) as this:
        try:
            played = play(block_id=block_id, arbiter=_arbiter_of(block_id))
            this.idle = not played
        except SoftTimeLimitExceeded:
            logger.info("block %s takes long; it goes on when it is taken up again", block_id)
        finally:
            return_to_database()  # blocks may end together, too, as when their tournament is cancelled
    if played is None:
        return False
    due_steps.leave_out_absent(block_id=block_id)
    due_steps.advance_tournaments()
    return True


def _arbiter_of(block_id: int) -> ArbiterClient:
    """Return the arbiter that plays a block: where remote bots dial in if it has any, else this node's."""
    if gate() is arbiter():
        return arbiter()
    return gate() if Block.objects.filter(pk=block_id, dealt_once=True).exists() else arbiter()


@shared_task
def draw_plan(tournament_id: int) -> None:
    """Draw the blocks of a large plan that are not there yet."""
    due_steps.draw_plan(tournament_id)


@shared_task(soft_time_limit=SWEEP_SECONDS, time_limit=SWEEP_SECONDS + 5)
def sweep() -> None:
    """Queue all work, and start and end the tournaments that are due. Called every two seconds.

    Each part runs whatever became of the others; what one of them could not do ends as the failure of all.
    """
    failed: list[Exception] = []
    due = (due_steps.start_due, due_steps.reveal_due, due_steps.advance_tournaments)
    for part in (*QUEUED, *due, _queue_blocks):
        try:
            part()
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:
            logger.exception("a part of the sweep failed: %s", part.__name__)
            failed.append(error)
    if failed:
        raise failed[0]


@shared_task
def end_matches(*table_ids: int) -> None:
    """End the matches of tables that are void by now."""
    dealt_once = Table.objects.filter(pk__in=table_ids, block__dealt_once=True)
    at_gate = set(dealt_once.values_list("pk", flat=True))
    if at_gate:
        voiding.end_matches(table_ids=at_gate, arbiter=gate())
    if others := set(table_ids) - at_gate:
        voiding.end_matches(table_ids=others, arbiter=arbiter())


@shared_task
def delete_old_records() -> None:
    """Delete the records whose time is over, where the installation has set one."""
    while retention.delete_old_records():  # as long as it can delete any
        pass


@shared_task
def write_open_data() -> None:
    """Write the open data on by the blocks that have ended."""
    open_parts.write_on()


def _queue_blocks() -> None:
    """Have as many blocks wait as places are free."""
    wanted = min(MOST_IN_QUEUE, max(BLOCKS_IN_QUEUE, queries.free_places()))
    enqueue_blocks(wanted - queries.blocks_in_queue())


def _queue_plans() -> None:
    paused = failures.waiting(ROUNDS)
    for tournament in [key for key in plans.due() if str(key) not in paused][:1]:
        enqueue("stichkampf_platform.tournaments.tasks.draw_plan", tournament)


def _queue_experiments() -> None:
    enqueue_experiments(BLOCKS_IN_QUEUE - queries.blocks_in_queue(experiments=True))


def _queue_watch() -> None:
    if may_have_remote_bots():
        enqueue("stichkampf_platform.bots.tasks.watch_remote_bots")


QUEUED = (_queue_blocks, _queue_experiments, _queue_plans, enqueue_validations, enqueue_mails, _queue_watch)
"""Work that every sweep queues before it does any itself: a start may take long."""


def enqueue_blocks(how_many: int) -> None:
    """Queue the next blocks whose turn it is."""
    for block, queue in _queues(due_steps.mark_enqueued(how_many=how_many), "matches"):
        enqueue("stichkampf_platform.tournaments.tasks.play_block", block, queue=queue)


def enqueue_experiments(how_many: int) -> None:
    """Queue the next blocks of experiments, for the workers that play nothing else."""
    for block, queue in _queues(due_steps.mark_enqueued(how_many=how_many, experiments=True), "experiments"):
        enqueue("stichkampf_platform.tournaments.tasks.play_experiment", block, queue=queue)


def _queues(blocks: Collection[Block], queue: str) -> Iterator[tuple[int, str | None]]:
    """Yield the id of each block with the queue of the node that has begun it; `None` is that of all."""
    begun = queries.nodes_of(blocks)
    for block in blocks:
        yield block.pk, nodes.queue_of(begun[block.pk], queue) if block.pk in begun else None
