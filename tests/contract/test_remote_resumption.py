"""Resumption of tables of remote bots after a lost connection, and waits for bots that are not connected."""

import asyncio

import grpc
import pytest
from remote_gateway_harness import (
    NAMES,
    digest_of,
    faults,
    open_remote_gateway,
    token_of,
)
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import bot_pb2
from stichkampf.wire.v1.events_pb2 import EventKind
from support import wait_until_async

pytestmark = pytest.mark.usefixtures("no_pause_between_two_streams")


async def test_a_resumed_table_has_its_whole_history_and_the_same_end(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            untroubled = remote_harness.start("untroubled")
            await bot.play_on()
        async with remote_harness.bot() as bot:
            entry = remote_harness.start("troubled")
            await bot.answer(await bot.question())
            before = await bot.question()
            seen = bot.events(before.table)
            began = bot.tables[before.table][0].start
        async with remote_harness.bot() as bot:
            after = await bot.question()
            assert after.table == before.table
            assert after.start == began
            assert list(after.events)[: len(seen)] == seen
            assert after.question.legal == before.question.legal
            assert after.question.decision > before.question.decision
            stale = bot_pb2.Answer(
                table=before.table, decision=before.question.decision, action=before.question.legal[-1]
            )
            await bot.call.write(bot_pb2.FromBot(answers=bot_pb2.Answers(answers=[stale])))
            await bot.answer(after)
            await bot.play_on()
        one, other = await remote_harness.record(untroubled), await remote_harness.record(entry)
        assert other["deals"][0]["moves"] == one["deals"][0]["moves"]
        assert other["faults"] == []
        (report,) = entry.reports
        assert (report.seat, report.stale_answers) == (0, 1)
        assert "the connection was lost" in report.complaints[0]


async def test_a_bot_away_while_others_play_has_its_whole_time_on_return(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others() as gate:
        async with remote_harness.bot() as bot:
            entry = remote_harness.start()
            update = await bot.question()
            gate.clear()
            await bot.answer(update)
            await wait_until_async(lambda: 0 not in entry.live.adjudicator.open)
        await wait_until_async(lambda: remote_harness.bots.get(NAMES[0]).waiting == 1)
        assert 0 not in entry.live.adjudicator.open
        gate.set()
        await wait_until_async(lambda: 0 in entry.live.adjudicator.open)
        async with remote_harness.bot() as bot:
            update = await bot.question()
            assert update.question.seconds == 20
            assert bot.tables[update.table][0].start.seat == 0
            assert update.events[0].kind == EventKind.EVENT_KIND_DEAL
            await bot.answer(update)
            await bot.play_on()
            assert (await remote_harness.record(entry))["faults"] == []


async def test_after_the_longest_outage_the_bots_part_is_over(short_folder):
    async with open_remote_gateway(short_folder, outage_seconds=0.3) as remote_harness:
        remote_harness.admit(*NAMES)
        async with remote_harness.others():
            async with remote_harness.bot() as bot:
                entry = remote_harness.start()
                await bot.answer(await bot.question())
                await bot.question()
            record = await remote_harness.record(entry)
    assert faults(record) == {(0, "disconnected")}
    own = sum(move[0] == 0 for move in record["deals"][0]["moves"])
    assert len(record["faults"]) == own - 1


async def test_all_outages_of_a_match_together_are_bounded(short_folder, monkeypatch):
    monkeypatch.setattr("stichkampf.limits.REMOTE_OUTAGES", 99)
    async with open_remote_gateway(short_folder, outage_seconds=20, absence_seconds=2.5) as remote_harness:
        remote_harness.admit(*NAMES)
        async with remote_harness.others():
            entry, returns = None, 0
            while entry is None or not entry.status.faults:
                async with remote_harness.bot() as bot:
                    entry = entry or remote_harness.start()
                    returns += 1
                    reading = asyncio.ensure_future(bot.question())
                    await wait_until_async(lambda: reading.done() or entry.status.faults)  # noqa: B023
                    reading.cancel()
                    await asyncio.gather(reading, return_exceptions=True)
                await asyncio.sleep(1.0)
            record = await remote_harness.record(entry)
    assert faults(record) == {(0, "disconnected")}
    assert 2 <= returns <= 4


async def test_going_silent_before_leaving_gains_no_time(short_folder, monkeypatch):
    """A bot that answers no pings is not known to think, so its silence counts as absence."""
    monkeypatch.setattr("stichkampf.limits.REMOTE_OUTAGES", 99)
    async with open_remote_gateway(short_folder, outage_seconds=5, absence_seconds=1.0) as remote_harness:
        remote_harness.admit(*NAMES)
        async with remote_harness.others():
            entry, returns = None, 0
            while entry is None or not entry.status.faults:
                returns += 1
                assert returns < 10
                async with remote_harness.bot() as bot:
                    bot.mute = True
                    entry = entry or remote_harness.start()
                    reading = asyncio.ensure_future(bot.question())
                    await wait_until_async(lambda: reading.done() or entry.status.faults)  # noqa: B023
                    reading.cancel()
                    await asyncio.gather(reading, return_exceptions=True)
                    await asyncio.sleep(0.4)
            assert faults(await remote_harness.record(entry)) == {(0, "disconnected")}


async def test_a_removed_bot_is_not_awaited(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start()
        await bot.question()
        remote_harness.admit(*NAMES[1:])
        record = await remote_harness.record(entry)
    assert faults(record) == {(0, "disconnected")}


async def test_tables_resume_with_a_new_token(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            entry = remote_harness.start()
            await bot.question()
            digests = {name: digest_of(token_of(name)) for name in NAMES}
            remote_harness.bots.admit(digests | {NAMES[0]: digest_of("another")})
            assert (await bot.ending())[0] is grpc.StatusCode.UNAUTHENTICATED
        async with remote_harness.bot("another") as bot:
            await bot.play_on()
        assert (await remote_harness.record(entry))["faults"] == []


async def test_a_half_open_stream_gives_its_tables_to_the_next_one(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others(), remote_harness.bot() as old:
        entry = remote_harness.start()
        await old.question()
        async with remote_harness.bot(resume_token=old.welcome.resume_token) as new:
            await new.play_on()
        assert (await remote_harness.record(entry))["faults"] == []


async def test_a_match_waits_for_a_bot_that_is_not_connected_yet(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others():
        entry = remote_harness.start()
        await wait_until_async(lambda: remote_harness.bots.get(NAMES[0]).waiting == 1)
        assert entry.status.state == pb.MATCH_STATE_WAITING
        async with remote_harness.bot() as bot:
            await bot.play_on()
            assert (await remote_harness.record(entry))["faults"] == []


async def test_a_bot_that_never_comes_is_replaced_from_the_start(short_folder):
    async with open_remote_gateway(short_folder, outage_seconds=0.2) as remote_harness:
        remote_harness.admit(*NAMES)
        async with remote_harness.others():
            record = await remote_harness.record(remote_harness.start())
    assert faults(record) == {(0, "disconnected")}
    assert len(record["faults"]) == sum(move[0] == 0 for move in record["deals"][0]["moves"])
