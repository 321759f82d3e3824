"""Seats whose persons have left: a bot answers for them, until they take the seat again."""

from __future__ import annotations

import logging
from collections import Counter

import redis
from stichkampf.bots.search import Even

from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.play import bus, keys
from stichkampf_platform.play.feed import read_feed
from stichkampf_platform.play.models import PlayedSeat, PlayedTable
from stichkampf_platform.play.seat_keys import seat_key

PATIENCE_SECONDS = 180.0
"""The time after which a bot plays for who does not answer at a table of several persons."""
PACE_SECONDS = 10.0
"""The time for each answer where nobody else waits for it, so that who comes back finds the match."""

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


def _replace_if_late(seat: PlayedSeat) -> None:
    """Let a bot play for who has not answered for long, while others wait; the person may come back."""
    try:
        now = read_feed(seat.table, seat_key(seat.table.public_id, seat.number))
        is_late = now.asked is not None and bus.seconds_since(now.version) >= PATIENCE_SECONDS
    except redis.RedisError as error:
        logger.info("%s cannot be looked at yet: %s", seat, error)
        return
    if is_late:
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
