"""Bots are told nothing of a person at their table, so that they play as against any other seat."""

import asyncio
from collections import defaultdict

import pytest
from stichkampf.games import GAMES
from stichkampf.wire.v1 import bot_pb2

PERSON = 0
UNLIMITED = {"was-sticht", "sixes-and-sevens"}
"""Games without the option `length`."""
TOLD_OF_A_TABLE = {
    "game", "options_json", "seats", "seat", "time_control", "seed", "bot", "rules_version", "match",
}  # fmt: skip
"""None of it names who sits at another seat; `bot` is the own name, `match` is told to persons alone."""


async def told(harness, bot, game, person):
    """Play a match by first legal actions; return what each seat is told, as bytes in order."""
    seats, length = min(GAMES[game].players), {} if game in UNLIMITED else None
    await harness.start_match(game=game, seats=seats, person=person, options=length)
    updates_of, seat_at, ended = defaultdict(list), {}, 0
    while ended < seats:
        frame = await asyncio.wait_for(bot.call.read(), 60)
        for update in frame.updates.tables:
            if update.HasField("start"):
                seat_at[update.table] = update.start.seat
            updates_of[seat_at[update.table]].append(update)
            ended += update.HasField("end")
            if update.HasField("question"):
                await bot.answer(update)
    return {seat: sequence(updates) for seat, updates in updates_of.items()}


def sequence(updates):
    """Return starts, events and questions of a seat in order; when they came together is left out."""
    parts = []
    for update in updates:
        for field in ("start", "events", "question"):
            content = getattr(update, field)
            messages = content if field == "events" else [content] if update.HasField(field) else []
            parts += [message.SerializeToString(deterministic=True) for message in messages]
    return parts


@pytest.mark.parametrize("game", GAMES)
async def test_a_bot_is_told_the_same_of_a_person_as_of_a_bot(harness, game):
    async with harness.bot() as bot:
        await bot.hello()
        among_bots = await told(harness, bot, game, person=-1)
        with_a_person = await told(harness, bot, game, person=PERSON)
    assert with_a_person.pop(PERSON) != among_bots.pop(PERSON)
    assert with_a_person == among_bots
    assert len(among_bots) == min(GAMES[game].players) - 1


def test_nothing_that_a_bot_is_told_of_a_table_names_another_seat():
    assert {field.name for field in bot_pb2.TableStart.DESCRIPTOR.fields} == TOLD_OF_A_TABLE
