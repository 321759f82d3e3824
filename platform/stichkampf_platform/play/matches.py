"""Matches of people's tables at the arbiter: begun, begun again with the moves so far, landed once."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from datetime import timedelta

import redis
from django.db import transaction
from stichkampf.bots.registry import house_bot
from stichkampf.bots.substitute import SUBSTITUTE
from stichkampf.time_control import TimeControl
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import gate, verified_record
from stichkampf_platform.core.errors import ArbiterGone, MatchFailed, MatchForgotten
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.people.sentences import Sentence, sentence_of
from stichkampf_platform.play import bus, daily_counting, own_rating
from stichkampf_platform.play.models import GOING_ON, GUEST, PlayedSeat, PlayedState, PlayedTable

START_SECONDS = 30
"""The time after which a match that its site did not start is started by a worker."""
LOST = Sentence("The machine that plays this table was lost with its moves, so the match is void.")

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class MovesSoFar:
    """The moves of a match from its first one, by seat and word, and the seats whose bots were replaced."""

    moves: list[tuple[int, str]] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)

    def before(self, place: int) -> MovesSoFar:
        return MovesSoFar(self.moves[:place], self.replaced)

    @classmethod
    def of(cls, fetched: pb.FetchMovesResponse) -> MovesSoFar:
        moves = [(seat, word) for seat, word in json.loads(fetched.moves_json or "[]")]
        return cls(moves, list(fetched.replaced_seats))

    @property
    def message(self) -> pb.FetchMovesResponse:
        return pb.FetchMovesResponse(moves_json=json.dumps(self.moves), replaced_seats=self.replaced)


def opening_of(table: PlayedTable) -> MovesSoFar:
    """Return the moves with which the match of a table begins."""
    return MovesSoFar([(seat, word) for seat, word in table.opening])


def begin(table: PlayedTable, so_far: MovesSoFar) -> None:
    """Start the match of a table, or find it, from the moves so far.

    :raises ArbiterGone: it cannot be reached, has no room, or nobody brings persons to it.
    :raises MatchFailed: the arbiter refuses.
    :raises RedisError: Redis does not answer; nothing was started.
    """
    if not gate().has_people():
        raise ArbiterGone("no person's seat is connected with the arbiter")
    bus.keep_progress(table.match, so_far.message)
    seats = list(table.seats.select_related("version__bot__owner"))
    gate().upload_missing([seat.version for seat in seats if seat.version])
    gate().start(
        key=table.match,
        game=table.game_name,
        options=table.options,
        versions=[_program(seat, so_far) for seat in seats],
        seed=bytes(table.seed),
        lane=table.match,
        time_control=TimeControl(),
        fault_allowance=0,
        moves=so_far.moves,
        deals=table.deals,
    )
    table.arbiter = gate().status().process_id
    PlayedTable.objects.filter(pk=table.pk, start=table.start).update(arbiter=table.arbiter)


def begin_again(table: PlayedTable, so_far: MovesSoFar) -> None:
    """End the match of a table that this transaction has locked, and start it anew from these moves.

    :raises ArbiterGone: as `begin`.
    :raises MatchFailed: as `begin`.
    """
    try:
        gate().cancel(table.match)
        gate().acknowledge(table.match)
    except ArbiterGone:
        logger.info("%s: its match was lost already", table)
    table.start += 1
    table.save(update_fields=["start", "practice", "state"])
    begin(table, so_far)


def moves_so_far(table: PlayedTable) -> MovesSoFar:
    """Return the moves of an open table.

    :raises ArbiterGone: the arbiter has lost it.
    """
    return MovesSoFar.of(gate().fetch_moves(table.match))


def _program(seat: PlayedSeat, so_far: MovesSoFar) -> pb.Seat | Version:
    """Return who plays a seat; of a bot that was replaced, its substitute under the bot's name."""
    if seat.number in so_far.replaced or seat.resigned:
        number = seat.version.number if seat.version else 0
        return pb.Seat(bot=seat.told_name, version=number, house=SUBSTITUTE)
    if seat.person:
        return pb.Seat(bot=GUEST, person=True)
    if seat.version:
        return seat.version
    return pb.Seat(bot=seat.told_name, version=house_bot(seat.house).version, house=seat.house)


def land(table: PlayedTable, report: pb.FetchRecordResponse) -> None:
    """Referee the record of a match that is over, and store it, if no other worker has.

    A match that was cancelled, as by an arbiter that stops, is begun again; one that failed is void.
    """
    state = report.match.state
    if state == pb.MATCH_STATE_CANCELLED:
        recover(table)
        return
    try:
        if state == pb.MATCH_STATE_FAILED:
            raise MatchFailed(
                Sentence("The platform failed to play it: {reason}", reason=report.match.reason)
            )
        record = verified_record(report, seed=None if table.deals else bytes(table.seed))
    except MatchFailed as error:
        end_void(table, sentence_of(error))
    else:
        is_open = PlayedTable.objects.filter(pk=table.pk, state=PlayedState.OPEN, start=table.start)
        with transaction.atomic():
            is_first = is_open.update(state=PlayedState.OVER, record=record, ended_at=clock.now())
            if is_first:
                daily_counting.count(table, record)
                own_rating.count(table, record)
        if is_first:
            logger.info("%s is over", table)
            daily_counting.let_house_bots_play(table)
            own_rating.enqueue_comparison(table)
    gate().acknowledge(report.match.match)


def put_aside(table: PlayedTable) -> None:
    """End the match of an open table, which `recover` begins again with its moves.

    :raises ArbiterGone: it does not answer.
    :raises RedisError: Redis does not answer.
    """
    with transaction.atomic():
        current = _locked(table)
        if current is None:
            return
        bus.keep_progress(current.match, moves_so_far(current).message)
        PlayedTable.objects.filter(pk=table.pk).update(state=PlayedState.ASIDE)
        gate().cancel(current.match)
        gate().acknowledge(current.match)
    logger.info("%s is put aside", table)


def recover(table: PlayedTable) -> None:
    """Begin the match of a table again that is lost or put aside, with the moves that Redis has of it."""
    with transaction.atomic():
        current = _locked(table)
        if current is None:
            return
        kept = bus.kept_progress(current.match) if current.arbiter else opening_of(current).message
        if kept is None:
            end_void(current, LOST)
            return
        current.state = PlayedState.OPEN
        try:
            begin_again(current, MovesSoFar.of(kept))
        except MatchFailed as error:
            end_void(current, sentence_of(error))


def _locked(table: PlayedTable) -> PlayedTable | None:
    """Lock a table, and return it as it is stored; None where another has changed it."""
    tables = PlayedTable.objects.select_for_update()
    return tables.filter(pk=table.pk, state=table.state, start=table.start).first()


def end_void(table: PlayedTable, reason: str) -> None:
    """Declare a table void that is going on, for a reason, which may be a `Sentence`."""
    table.end_void(reason)
    with transaction.atomic():
        is_first = PlayedTable.objects.filter(pk=table.pk, state__in=GOING_ON).update(
            state=table.state,
            void_reason=table.void_reason,
            void_parts=table.void_parts,
            ended_at=clock.now(),
        )
        if is_first:
            daily_counting.count_void(table)
    logger.warning("%s is void: %s", table, reason)


def look_after(tables: list[PlayedTable]) -> None:
    """Land open tables whose matches are over, and recover those that the arbiter has lost.

    :raises ArbiterGone: it does not answer.
    """
    process = gate().status(seconds=1).process_id
    each_by_itself("people's table", tables, lambda table: _look_after_one(table, process))


def _look_after_one(table: PlayedTable, process: str) -> None:
    if not table.arbiter and clock.now() - table.created_at < timedelta(seconds=START_SECONDS):
        return
    try:
        if table.arbiter != process:
            recover(table)
            return
        for report in gate().collect([table.match], seconds=0):
            land(table, report)
    except MatchForgotten:
        recover(table)
    except (ArbiterGone, redis.RedisError) as error:
        logger.info("%s cannot be looked after yet: %s", table, error)
