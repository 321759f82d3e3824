"""Persons who are away: a bot answers for who has left, and tables that wait for them make room."""

from __future__ import annotations

import logging
from collections import Counter

import redis
from stichkampf import limits
from stichkampf.bots.search import Even

from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.play import bus, keys, matches
from stichkampf_platform.play.feed import read_feed
from stichkampf_platform.play.models import PlayedSeat, PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import seat_key

PATIENCE_SECONDS = 180.0
"""The time after which a bot plays for who does not answer at a table of several persons."""
PACE_SECONDS = 10.0
"""The time for each answer where nobody else waits for it, so that who comes back finds the match."""
ROOMY_TABLES = limits.PEOPLE_TABLES * 3 // 4
"""Open tables up to which each keeps its room at the arbiter, however long it waits for its person."""
ASIDE_SECONDS = 120.0
"""The time after which a table is put aside that waits for its person while others need the room."""

logger = logging.getLogger(__name__)


def answer_for_absent(tables: list[PlayedTable]) -> None:
    """Answer the open questions to persons who left these open tables; of who gave up, say so.

    Who lets other persons wait for too long has left, too.
    """
    persons = list(
        PlayedSeat.objects.filter(table__in=tables, person=True, table__state="open").select_related("table")
    )
    attended = {seat.table_id for seat in persons if not seat.bot_plays}
    absent = [seat for seat in persons if seat.bot_plays]
    tables_of = Counter(seat.table_id for seat in persons)
    awaited = [seat for seat in persons if not seat.bot_plays and tables_of[seat.table_id] > 1]
    each_by_itself("awaited person", awaited, _replace_if_late)
    each_by_itself("absent person", absent, lambda seat: _answer_one(seat, seat.table_id in attended))


def put_aside(tables: list[PlayedTable]) -> None:
    """Give rooms back while few are left: of these open tables, those that wait longest for their one person.

    Nothing is lost: when the person looks at the table or presses, it goes on.
    """
    too_many = len(tables) - ROOMY_TABLES
    if too_many <= 0:
        return
    persons = list(PlayedSeat.objects.filter(table__in=tables, person=True).select_related("table"))
    tables_of = Counter(seat.table_id for seat in persons)
    alone = [seat for seat in persons if tables_of[seat.table_id] == 1 and not seat.bot_plays]
    try:
        waited = {seat: bus.seconds_asked(seat.table.public_id, seat.number) or 0.0 for seat in alone}
    except redis.RedisError as error:
        logger.info("tables cannot be put aside yet: %s", error)
        return
    longest_first = sorted(waited, key=lambda seat: -waited[seat])
    deserted = [seat for seat in longest_first if waited[seat] >= ASIDE_SECONDS]
    each_by_itself("deserted table", deserted[:too_many], _put_one_aside)


def give_up_aside() -> None:
    """Let a bot play on at tables that were put aside, once their persons had as long as for any decision."""
    persons = PlayedSeat.objects.filter(table__state=PlayedState.ASIDE, person=True)
    each_by_itself("table put aside", list(persons.select_related("table")), _give_up_one)


def _put_one_aside(seat: PlayedSeat) -> None:
    try:
        matches.put_aside(seat.table)
    except (ArbiterGone, redis.RedisError) as error:
        logger.info("%s cannot be put aside yet: %s", seat.table, error)


def _give_up_one(seat: PlayedSeat) -> None:
    try:
        silent = bus.seconds_silent(seat.table.public_id, seat.number)
        if silent is None or silent >= limits.PERSON_SECONDS:
            matches.recover(seat.table)
            PlayedSeat.objects.filter(pk=seat.pk).update(bot_plays=True, resigned=True)
    except (ArbiterGone, redis.RedisError) as error:
        logger.info("%s cannot be played on yet: %s", seat.table, error)


def _replace_if_late(seat: PlayedSeat) -> None:
    """Let a bot play for who has not answered for long, while others wait; the person may come back."""
    try:
        waited = bus.seconds_asked(seat.table.public_id, seat.number)
    except redis.RedisError as error:
        logger.info("%s cannot be looked at yet: %s", seat, error)
        return
    if waited is not None and waited >= PATIENCE_SECONDS:
        PlayedSeat.objects.filter(pk=seat.pk).update(bot_plays=True)
        logger.info("%s is played by a bot until its person is back", seat)


def _answer_one(seat: PlayedSeat, is_awaited: bool) -> None:
    key = seat_key(seat.table.public_id, seat.number)
    try:
        now = read_feed(seat.table, key)
        if now.asked is None:
            return
        if seat.resigned:
            bus.push_answer(key.table, key.seat, now.asked.decision, keys.RESIGNATION)
        elif is_awaited or bus.seconds_since(now.version) >= PACE_SECONDS:
            chosen = Even().choose(now.seat_table())
            word = chosen if isinstance(chosen, str) else chosen[0]
            bus.push_answer(key.table, key.seat, now.asked.decision, word)
            if not seat.helped:
                PlayedSeat.objects.filter(pk=seat.pk).update(helped=True)
    except redis.RedisError as error:
        logger.info("%s cannot be answered for yet: %s", seat, error)
