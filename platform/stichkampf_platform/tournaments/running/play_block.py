"""Playing a block: its tables side by side at the arbiter, each result stored once."""

from __future__ import annotations

import logging
from random import SystemRandom
from time import monotonic
from uuid import uuid4

from django.conf import settings
from stichkampf.errors import TimeControlError
from stichkampf.time_control import TimeControl
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.bots import arbiter_sync
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed, RequestRefused
from stichkampf_platform.core.log_subject import log_subject
from stichkampf_platform.core.machines.database_turns import database_turn, leave_database
from stichkampf_platform.people.sentences import sentence_of
from stichkampf_platform.tournaments import leases, queries, troubles
from stichkampf_platform.tournaments.models import Table, in_trouble
from stichkampf_platform.tournaments.organising import block_rulings, lifecycle, rulings
from stichkampf_platform.tournaments.running import busy_node, results
from stichkampf_platform.tournaments.running.lease_keeper import keepers

FAILURES_BEFORE_PAUSE = 5
"""Failures at one table after which the tournament pauses, for a person to look; outages are none."""

TURN_SECONDS = 4.0
"""Time after which a worker leaves a block to the arbiter for a tournament without a worker."""

logger = logging.getLogger(__name__)


def play_block(*, block_id: int, arbiter: ArbiterClient) -> int | None:
    """Play the free tables of a block and store their results; return how many; None if none is free.

    Whatever ends this early, the tables are free again: at once, or when the leases run out.
    """
    owner = uuid4().hex
    tables = leases.take(block_id=block_id, owner=owner)
    if not tables:  # its tournament does not run, another node has it, or the message is late
        return 0 if leases.is_free(block_id=block_id) else None
    landed, trouble = 0, ""
    try:
        with log_subject(block=block_id, tournament=tables[0].block.tournament_id):
            landed = _play(tables, arbiter, owner)
        return landed
    except (ArbiterGone, MatchFailed) as error:  # a match that failed is given up below; this is about all
        trouble = sentence_of(error)
        logger.warning("block %s waits: %s", block_id, error)
        return 0
    finally:
        if landed < len(tables):
            with database_turn():
                leases.release(owner=owner, trouble=trouble)


def _play(tables: list[Table], arbiter: ArbiterClient, owner: str) -> int:
    if tables[0].block.dealt_once:
        arbiter_sync.admit(arbiter)  # it may have restarted since the last sweep
    arbiter.upload_missing(seat.entrant.version for table in tables for seat in table.seats.all())
    leases.begin_here(block_id=tables[0].block_id)
    leave_database()
    order = SystemRandom().sample(tables, len(tables))  # when a table starts tells nothing of its seatings
    playing = {table.idempotency_key: table for table in order if _start(table, arbiter, owner, len(tables))}
    landed = 0
    begun = monotonic()
    tournament = tables[0].block.tournament
    with keepers[tournament.experiment].keeping(owner) as renewed:
        while playing:
            over = arbiter.collect(list(playing), seconds=settings.LEASE_SECONDS / 3)
            landed += _finish([(playing.pop(one.match.match), one) for one in over], arbiter, owner)
            if not playing:
                break
            kept, unserved = renewed()
            lost = [playing.pop(key) for key, table in [*playing.items()] if table.pk not in kept]
            _leave(lost, arbiter)
            others = monotonic() - begun > TURN_SECONDS and bool(unserved - {tournament.pk})
            if others and queries.others_wait(tournament):
                logger.info("%s goes on without a worker: another tournament waits", tables[0].block)
                break
    return landed


def _start(table: Table, arbiter: ArbiterClient, owner: str, block_tables: int) -> bool:
    tournament = table.block.tournament
    try:
        started = arbiter.start(
            key=table.idempotency_key,
            game=tournament.game,
            options=tournament.options,
            versions=[seat.entrant.version for seat in table.seats.all()],
            seed=bytes(table.block.seed),
            lane=_lane(table),
            time_control=TimeControl(
                move_seconds=tournament.move_seconds,
                bank_seconds=tournament.bank_seconds,
                cap_seconds=tournament.cap_seconds,
            ),
            fault_allowance=tournament.fault_allowance,
            substitute_version=table.block.substitute_version,
            alone=table.kept > 0,
            block=f"block-{table.block_id}",
            block_tables=block_tables,
            tournament=f"tournament-{tournament.pk}",
        )
    except (MatchFailed, TimeControlError) as error:
        with log_subject(table=table.pk, match=table.idempotency_key):
            _give_up(table, owner, sentence_of(error))
        return False
    if started and table.block.dealt_once and table.attempts > 1:
        arbiter.cancel(table.idempotency_key)
        _replace_block(table, troubles.LOST)
        return False
    return True


def _lane(table: Table) -> str:
    """Lane r plays the r-th seating; a table that is played again has fresh processes of its own.

    So has an experiment, which may deal the cards of a block that a process of that lane remembers.
    """
    tournament = table.block.tournament
    lane = f"{table.lane}-experiment-{tournament.pk}" if tournament.experiment else f"{table.lane}"
    return lane if table.generation == 0 else f"{lane}-{table.idempotency_key}"


def _finish(over: list[tuple[Table, pb.FetchRecordResponse]], arbiter: ArbiterClient, owner: str) -> int:
    """Store the results of matches that are over; return how many this call stored."""
    refereed = []
    for table, report in over:
        with log_subject(table=table.pk, match=table.idempotency_key):
            if (one := _refereed(table, report, owner)) is not None:
                refereed.append(one)
    if not refereed:
        return 0
    landed = results.store(matches=refereed, owner=owner)
    for table in (match.table for match in refereed):
        # a worker that has the table now must still fetch the record; a forgotten match would be played again
        if table.pk in landed or not Table.objects.filter(pk=table.pk, state=Table.State.PENDING).exists():
            arbiter.acknowledge(table.idempotency_key)
    return len(landed)


def _refereed(table: Table, report: pb.FetchRecordResponse, owner: str) -> results.RefereedMatch | None:
    """Return a match with its record; none if it failed."""
    match = report.match
    if match.kept_seats:
        _play_alone(table, match, owner)
        return None
    if match.state != pb.MATCH_STATE_FINISHED:
        _give_up(table, owner, troubles.of_the_arbiter(match.reason) or troubles.CANCELLED)
        return None
    try:
        return results.referee(table=table, report=report)
    except MatchFailed as error:
        _give_up(table, owner, sentence_of(error))
        return None


def _play_alone(table: Table, match: pb.MatchStatus, owner: str) -> None:
    try:
        busy_node.play_alone(
            table=table, owner=owner, seats=match.kept_seats, trouble=troubles.of_the_arbiter(match.reason)
        )
    except RequestRefused as error:
        logger.info("%s", error)  # an organiser was quicker


def _give_up(table: Table, owner: str, trouble: str) -> None:
    if table.block.dealt_once:
        _replace_block(table, trouble)
        return
    logger.error("%s (%s) is played again: %s", table, table.idempotency_key, trouble)
    leases.give_up(table=table, owner=owner, trouble=trouble)
    if troubles.is_outage(trouble):  # it waits for its machine, or another one, and who runs the site is told
        return
    if table.generation + 1 - table.kept >= FAILURES_BEFORE_PAUSE:
        lifecycle.pause_for_trouble(tournament=table.block.tournament)


def _replace_block(table: Table, trouble: str) -> None:
    """Void the whole block and plan another: remote bots remember its cards."""
    logger.error(
        "%s (%s) is void, another block is dealt in its place: %s", table, table.idempotency_key, trouble
    )
    Table.objects.filter(pk=table.pk).update(**in_trouble(trouble))
    try:
        again = rulings.run_again(block=table.block)
    except RequestRefused as error:
        logger.info("%s", error)  # an organiser was quicker
        return
    if trouble != troubles.LOST and block_rulings.times_run_again(again) >= FAILURES_BEFORE_PAUSE:
        lifecycle.pause_for_trouble(tournament=table.block.tournament)


def _leave(lost: list[Table], arbiter: ArbiterClient) -> None:
    """Leave tables that were cancelled, or leased by another worker after a pause of this one."""
    if not lost:
        return
    with database_turn():
        pks = [table.pk for table in lost]
        void = set(Table.objects.filter(pk__in=pks, state=Table.State.VOID).values_list("pk", flat=True))
    for table in lost:
        if table.pk in void:
            arbiter.cancel(table.idempotency_key)
