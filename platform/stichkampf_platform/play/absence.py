"""Seats whose persons have left: a bot answers for them, until they take the seat again."""

from __future__ import annotations

import logging

import redis
from stichkampf.bots.search import Even

from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.play import bus, keys
from stichkampf_platform.play.feed import read_feed
from stichkampf_platform.play.models import PlayedSeat, PlayedTable
from stichkampf_platform.play.seat_keys import seat_key

PACE_SECONDS = 10.0
"""The time for each answer where nobody else waits for it, so that who comes back finds the match."""

logger = logging.getLogger(__name__)


def answer_for_absent(tables: list[PlayedTable]) -> None:
    """Answer the open questions to persons who left these open tables; of who gave up, say so."""
    persons = list(
        PlayedSeat.objects.filter(table__in=tables, person=True, table__state="open").select_related("table")
    )
    attended = {seat.table_id for seat in persons if not seat.bot_plays}
    absent = [seat for seat in persons if seat.bot_plays]
    each_by_itself("absent person", absent, lambda seat: _answer_one(seat, seat.table_id in attended))


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
    except redis.RedisError as error:
        logger.info("%s cannot be answered for yet: %s", seat, error)
