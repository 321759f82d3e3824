"""The fault policy: the same in local matches and in matches of the arbiter."""

import asyncio

import pytest
from stichkampf import Bot, new_game
from stichkampf.bots.practice import Entrant, play_match
from stichkampf.match.verify import verify
from stichkampf.time_control import TimeControl

SEED = bytes(range(32))  # the seed of the matches of `harness`
FAILING_SEAT = 1
NONSENSE = "sing a song"
OPTIONS = {"length": "deals:3"}


def answer_of(seat, asked, legal):
    """Answer nonsense on the failing seat, and the first legal action on the others."""
    asked.append(seat)
    return NONSENSE if seat == FAILING_SEAT else legal[0]


async def local_record(harness, asked):
    class Scripted(Bot):
        def choose(self, table):
            return answer_of(table.seat, asked, table.legal)

    game = new_game("stiche-raten", 3, OPTIONS)
    return play_match(game, [Entrant("scripted", Scripted)] * 3, SEED).record


async def arbiter_record(harness, asked):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match(
            options=OPTIONS, control=TimeControl(move_seconds=60, cap_seconds=60)
        )
        over = asyncio.ensure_future(harness.over.wait())
        while not over.done():
            question = asyncio.ensure_future(bot.question())
            await asyncio.wait((question, over), return_when=asyncio.FIRST_COMPLETED)
            if question.done():
                update = question.result()
                seat = bot.tables[update.table][0].start.seat
                await bot.answer(update, answer_of(seat, asked, update.question.legal))
            else:
                bot.call.cancel()
                await asyncio.gather(question, return_exceptions=True)
    return match.record([{"bot": "a/test", "version": 1}] * 3)


@pytest.mark.parametrize("play", [local_record, arbiter_record])
async def test_the_third_fault_replaces_a_bot(harness, play):
    asked = []
    record = await play(harness, asked)
    verify(record)
    moves = sum(seat == FAILING_SEAT for deal in record["deals"] for seat, _ in deal["moves"])
    assert asked.count(FAILING_SEAT) == 3 < moves
    assert [(fault["seat"], fault["kind"]) for fault in record["faults"]] == [
        (FAILING_SEAT, "malformed")
    ] * moves


async def test_local_play_and_arbiter_make_the_same_record_of_a_failing_bot(harness):
    local, arbiter = await local_record(harness, []), await arbiter_record(harness, [])
    assert [local[name] for name in ("deals", "faults", "scores", "ranks")] == [
        arbiter[name] for name in ("deals", "faults", "scores", "ranks")
    ]
