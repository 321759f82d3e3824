"""Matches of remote bots: their course, and failures of the arbiter."""

import asyncio

import pytest
from remote_gateway_harness import (
    NAMES,
    faults,
)
from stichkampf.limits import LIGHT
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_arbiter.bots import hosted as hosted_module
from stichkampf_arbiter.bots.archive_store import ArchiveNeeds
from support import wait_until_async

pytestmark = pytest.mark.usefixtures("no_pause_between_two_streams")


async def test_remote_bots_play_a_match(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start()
        await bot.play_on()
        record = await remote_harness.record(entry)
        assert record["faults"] == []
        assert record["time_control"]["charged"] == ["wall"] * 3


async def test_a_bot_that_says_it_does_not_play_the_game_is_replaced(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot(games=["mue"]), remote_harness.others():
        entry = remote_harness.start()
        record = await remote_harness.record(entry)
    assert faults(record) == {(0, "crashed")}
    assert "says that it does not play stiche-raten" in entry.reports[0].complaints[0]


async def test_no_more_tables_are_open_than_the_bot_wants(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot(tables_at_once=1) as bot, remote_harness.others():
        first = remote_harness.start("first")
        question = await bot.question()
        second = remote_harness.start("second")
        for _ in range(20):
            await asyncio.sleep(0)
        assert second.status.state == pb.MATCH_STATE_WAITING
        assert len(remote_harness.bots.connected[0][1].tables) == 1
        await bot.answer(question)
        await bot.play_on()
        await remote_harness.record(first)
        await wait_until_async(lambda: second.status.state == pb.MATCH_STATE_RUNNING)


async def test_a_match_without_its_archive_fails_with_the_reason(remote_harness):
    remote_harness.admit(*NAMES)
    hosted = pb.Seat(bot="ann/karl", archive_sha256="0" * 64)
    seats = [hosted, *(pb.Seat(bot=name.split("@")[0], version=1, remote=name) for name in NAMES[1:])]
    entry = remote_harness.start(seats=seats)
    await wait_until_async(lambda: entry.status.state == pb.MATCH_STATE_FAILED)
    assert entry.status.reason.endswith("for a bot: No such file or directory")


async def test_an_error_of_the_arbiter_fails_the_match(remote_harness, caplog, monkeypatch):
    """The harness has no launcher, so a hosted bot breaks the start of the match."""
    monkeypatch.setattr(hosted_module, "needs_of_archive", lambda archive: ArchiveNeeds(LIGHT, ()))
    remote_harness.admit(*NAMES)
    hosted = pb.Seat(bot="ann/karl", archive_sha256="0" * 64)
    seats = [hosted, *(pb.Seat(bot=name.split("@")[0], version=1, remote=name) for name in NAMES[1:])]
    entry = remote_harness.start(seats=seats)
    await wait_until_async(lambda: entry.status.state == pb.MATCH_STATE_FAILED)
    assert "an error of the arbiter: AttributeError" in entry.status.reason
    assert "match m: an error of the arbiter" in caplog.text
