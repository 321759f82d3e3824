"""The time that remote bots are charged, with lost connections, several questions and late answers."""

import asyncio
import time

import pytest
from remote_gateway_harness import (
    NAMES,
    QUICK,
    first_cost,
    thinking,
)
from stichkampf.wire.v1 import bot_pb2
from support import wait_until_async

pytestmark = pytest.mark.usefixtures("no_pause_between_two_streams")


async def test_time_before_the_loss_and_away_is_charged_but_makes_nothing_late(
    remote_harness,
):
    remote_harness.admit(*NAMES)
    used, away = 1.0, 1.0
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            began = time.monotonic()
            entry = remote_harness.start()
            before = await bot.question()
            await thinking(bot, used)
        most = time.monotonic() - began
        await asyncio.sleep(away)
        async with remote_harness.bot() as bot:
            after = await bot.question()
            # The last sign of life is a ping ago at most.
            assert 20 - most <= after.question.seconds <= 20 - 0.2
            assert before.question.seconds == 20
            await bot.answer(after)
            await bot.play_on()
        record = await remote_harness.record(entry)
        assert away <= first_cost(record) < time.monotonic() - began
        assert record["faults"] == []


async def test_leaving_again_and_again_gains_no_time(remote_harness):
    remote_harness.admit(*NAMES)
    control = bot_pb2.TimeControl(move_seconds=2, bank_seconds=0, cap_seconds=2)
    async with remote_harness.others():
        entry, left = None, []
        while entry is None or not entry.status.faults:
            async with remote_harness.bot() as bot:
                entry = entry or remote_harness.start(control=control)
                update = await bot.question()
                left.append(update.question.seconds)
                await thinking(bot, 1.2)
        assert entry.status.faults[0].kind == "timeout"
    assert left[1] < left[0]
    assert 2 <= len(left) <= 3


async def two_questions(bot, remote_harness, used):
    """Return the first questions of two matches, the second begun after the bot has thought for a while."""
    entries = [remote_harness.start("one")]
    first = await bot.question()
    # Not `thinking`: a cancelled read swallows the next message.
    reading = asyncio.ensure_future(bot.question())
    await asyncio.sleep(used)
    entries.append(remote_harness.start("other"))
    return entries, first, await reading


async def play_all(bot, tables):
    """Answer all further questions until this number of tables has ended."""
    seen = [update for updates in bot.tables.values() for update in updates]
    answered, ended = {(update.table, update.question.decision) for update in seen}, set()
    while len(ended) < tables:
        await bot.question()
        for update in [update for updates in bot.tables.values() for update in updates]:
            place = update.table, update.question.decision
            if update.HasField("end"):
                ended.add(update.table)
            elif update.HasField("question") and place not in answered:
                answered.add(place)
                await bot.answer(update)


async def test_answering_a_later_question_first_gains_no_time(remote_harness):
    remote_harness.admit(*NAMES)
    used = 1.0
    async with remote_harness.bot() as bot, remote_harness.others():
        began = time.monotonic()
        (one, other), first, second = await two_questions(bot, remote_harness, used)
        await bot.answer(second)
        await bot.answer(first)
        await play_all(bot, 2)
        most = time.monotonic() - began
        assert used - 0.2 <= first_cost(await remote_harness.record(one)) <= most
        assert first_cost(await remote_harness.record(other)) <= most - used


async def test_leaving_between_two_questions_gains_no_time_for_the_first(remote_harness):
    remote_harness.admit(*NAMES)
    used = 1.5
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            began = time.monotonic()
            (one, other), *_ = await two_questions(bot, remote_harness, used)
        most = time.monotonic() - began
        async with remote_harness.bot() as bot:
            while len(bot.tables) < 2:
                await bot.question()
            first, second = (bot.tables[table][-1] for table in sorted(bot.tables))
            # Up to the last sign of life, which was a ping ago at most.
            spent = 20 - first.question.seconds
            assert used - 1.1 <= spent <= most
            assert 20 - second.question.seconds <= most - used
            await bot.answer(second)
            await bot.answer(first)
            await play_all(bot, 2)
        whole = time.monotonic() - began
        assert spent - 0.1 <= first_cost(await remote_harness.record(one)) <= whole
        assert first_cost(await remote_harness.record(other)) <= whole - used


async def test_an_absence_with_an_open_question_costs_bank_but_makes_nothing_late(remote_harness):
    remote_harness.admit(*NAMES)
    control = bot_pb2.TimeControl(move_seconds=1, bank_seconds=5, cap_seconds=6)
    away = 1.5
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            began = time.monotonic()
            entry = remote_harness.start(control=control)
            await bot.question()
        there = time.monotonic() - began
        await asyncio.sleep(away)
        async with remote_harness.bot() as bot:
            after = await bot.question()
            assert 6 - there <= after.question.seconds <= 6
            await bot.answer(after)
            update = await bot.question()
            most = time.monotonic() - began
            assert 6 - (most - 1) <= update.question.seconds <= 6 - (away - 1) + 0.2
            await bot.answer(update)
            await bot.play_on()
        assert (await remote_harness.record(entry))["faults"] == []


async def test_an_absence_is_recorded_and_the_second_one_is_a_timeout(
    remote_harness,
):
    remote_harness.admit(*NAMES)
    control = bot_pb2.TimeControl(move_seconds=5, bank_seconds=60, cap_seconds=60)
    away = 1.5
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            entry = remote_harness.start(control=control)
            await bot.question()
        await asyncio.sleep(away)
        async with remote_harness.bot() as bot:
            await bot.answer(await bot.question())
            await bot.question()
        async with remote_harness.bot() as bot:
            await bot.play_on()
        record = await remote_harness.record(entry)
    mine = own_times(record)
    (first, cost, wall), (second, *_) = mine[0], mine[1]
    assert away <= cost <= wall
    assert [(fault["move"], fault["kind"]) for fault in record["faults"]] == [(second, "timeout")]
    assert first != second


def own_times(record):
    """Return the position, cost and wall-clock time of each decision of seat 0 in the first deal."""
    times = zip(record["deals"][0]["moves"], record["costs"][0], record["wall_times"][0], strict=True)
    return [(at, cost, wall) for at, ((seat, _), cost, wall) in enumerate(times) if seat == 0]


async def test_an_overrun_of_twice_the_limit_is_a_timeout(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start(control=QUICK)
        await bot.question()
        late = await bot.question()
        assert [fault.kind for fault in entry.status.faults] == ["timeout"]
        await bot.answer(late)
        await bot.play_on()
        record = await remote_harness.record(entry)
    first = record["faults"][0]  # on a busy machine another bot may be late as well
    assert (first["seat"], first["kind"]) == (0, "timeout")


async def test_a_question_waits_on_a_silent_connection_but_a_late_answer_is_late(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        bot.mute = True
        entry = remote_harness.start(control=QUICK)
        late = await bot.question()
        asked = time.monotonic()
        while time.monotonic() < asked + 3 * QUICK.move_seconds:
            await asyncio.sleep(0.05)
            assert not entry.status.faults
        await bot.answer(late)
        await wait_until_async(lambda: entry.status.faults)
        assert entry.status.faults[0].kind == "timeout"
