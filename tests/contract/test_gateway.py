"""The gateway of one bot process: admission, and the end of bots that violate the protocol."""

import asyncio
import re
import socket
import stat
import time
from contextlib import suppress
from pathlib import Path

import grpc
import pytest
from stichkampf import limits
from stichkampf.wire.v1 import bot_pb2, bot_pb2_grpc
from stichkampf_arbiter.connection import gateway as gateway_module
from stichkampf_arbiter.connection.answer_limit import SPARE_ANSWERS, SPARE_ANSWERS_A_SECOND


async def refusal(call):
    """Return the status and message with which a stream ended."""
    async with asyncio.timeout(60):
        return await call.code(), await call.details()


def raw_call(channel):
    """Open a stream that sends bytes as they are."""
    return channel.stream_stream("/stichkampf.wire.v1.BotGateway/Play")(wait_for_ready=True)


async def test_hello_is_answered_with_welcome(harness):
    async with harness.bot() as bot:
        welcome = (await bot.hello(games=["mue"], tables_at_once=7)).welcome
        assert (welcome.wire_version, welcome.message_bytes) == (1, limits.MESSAGE_BYTES)
        assert welcome.tables_at_once == 7
        assert (await harness.gateway.stream).plays("mue")
        assert not (await harness.gateway.stream).plays("njet")


async def test_the_socket_is_for_its_owner_only(harness):
    path = Path(harness.address.removeprefix("unix:"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_bot_learns_no_path_of_the_machine_from_its_socket(harness):
    path = harness.address.removeprefix("unix:")
    with socket.socket(socket.AF_UNIX) as bot:
        bot.connect(path)
        assert re.fullmatch(rf"/proc/self/fd/\d+/{Path(path).name}", bot.getpeername())


async def test_a_bot_of_another_wire_version_is_told_the_supported_one(harness):
    async with harness.bot() as bot:
        await bot.hello(wire_version_min=2, wire_version_max=3)
        code, words = await refusal(bot.call)
        assert code is grpc.StatusCode.FAILED_PRECONDITION
        assert "speaks wire version 1, the bot speaks 2 to 3" in words


async def test_answers_before_hello_are_refused(harness):
    async with harness.bot() as bot:
        await bot.call.write(bot_pb2.FromBot(answers=bot_pb2.Answers()))
        code, words = await refusal(bot.call)
        assert (code, words) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            "the first message of a stream must be a hello",
        )


async def test_a_second_stream_of_the_same_process_is_refused(harness):
    async with harness.bot() as first, harness.bot() as second:
        await first.hello()
        await second.hello()
        assert (await refusal(second.call))[0] is grpc.StatusCode.ALREADY_EXISTS


async def test_of_many_simultaneous_streams_all_but_one_are_refused(harness):
    """Open as many as fit on one connection, so that their hellos race each other."""
    hello = bot_pb2.FromBot(hello=bot_pb2.Hello(wire_version_min=1, wire_version_max=1))
    options = [("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(harness.address, options=options) as channel:
        calls = [bot_pb2_grpc.BotGatewayStub(channel).Play() for _ in range(4)]

        async def say_hello(call):
            await call.write(hello)
            with suppress(grpc.aio.AioRpcError):
                return await call.read()

        firsts = await asyncio.gather(*map(say_hello, calls))
        refused = [call for call, frame in zip(calls, firsts, strict=True) if frame is None]
        codes = [await call.code() for call in refused]
    assert codes == [grpc.StatusCode.ALREADY_EXISTS] * 3


@pytest.mark.parametrize("garbage", [b"\xff\xff\xff\xff", b"", b"\x0a\x00"])
async def test_garbage_after_hello_ends_the_stream(harness, garbage):
    async with grpc.aio.insecure_channel(harness.address) as channel:
        call = raw_call(channel)
        hello = bot_pb2.Hello(wire_version_min=1, wire_version_max=1)
        await call.write(bot_pb2.FromBot(hello=hello).SerializeToString())
        await call.read()
        await call.write(garbage)
        assert (await refusal(call))[0] is grpc.StatusCode.INVALID_ARGUMENT
        assert (await harness.gateway.stream).violated_protocol


async def test_a_message_above_the_limit_ends_the_stream(harness):
    async with grpc.aio.insecure_channel(harness.address) as channel:
        call = raw_call(channel)
        hello = bot_pb2.Hello(wire_version_min=1, wire_version_max=1)
        await call.write(bot_pb2.FromBot(hello=hello).SerializeToString())
        await call.read()
        await call.write(bytes(limits.MESSAGE_BYTES + 1))
        assert (await refusal(call))[0] is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_flood_is_cut_off(harness):
    async with harness.bot() as bot:
        await bot.hello()
        frame = bot_pb2.FromBot(
            answers=bot_pb2.Answers(answers=[bot_pb2.Answer(table=9, decision=9, action="x")])
        )
        sent = 0
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            while sent < 100 * SPARE_ANSWERS:
                await bot.call.write(frame)
                sent += 1
        assert (await refusal(bot.call))[0] is not grpc.StatusCode.OK
        stream = await harness.gateway.stream
        assert stream.violated_protocol
        refilled = SPARE_ANSWERS_A_SECOND * (time.monotonic() - stream.since)
        assert stream.stale_answers <= SPARE_ANSWERS + refilled + 1


async def test_late_answers_for_many_cancelled_tables_are_no_flood(harness):
    async with harness.bot() as bot:
        await bot.hello()
        tables = int(2 * SPARE_ANSWERS)
        running = []
        for _ in range(tables):
            await harness.start_match()
            running.append(harness.live)
        asked = []
        while len(asked) < tables:
            frame = await asyncio.wait_for(bot.call.read(), 60)
            asked += [update for update in frame.updates.tables if update.HasField("question")]
        for match in running:
            match.cancel()
        # A question in between must not reduce the limit on answers.
        match = await harness.start_match()
        question = await bot.question()
        late = [
            bot_pb2.Answer(table=update.table, decision=update.question.decision, action="bid 0")
            for update in asked
        ]
        await bot.call.write(bot_pb2.FromBot(answers=bot_pb2.Answers(answers=late)))
        await bot.answer(question)
        await bot.question()
        assert len(match.played[0].moves) == 1
        assert harness.gateway.stream.result().stale_answers == tables


async def test_a_connection_without_grpc_disturbs_no_bot(harness):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(harness.address.removeprefix("unix:"))
        client.sendall(b"GET / HTTP/1.0\r\n\r\n" * 100)
        async with harness.bot() as bot:
            assert (await bot.hello()).HasField("welcome")


async def test_an_answer_for_another_bots_table_changes_nothing(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        first = await bot.question()
        other = bot_pb2.Answer(table=first.table + 1, decision=1, action=first.question.legal[0])
        await bot.call.write(bot_pb2.FromBot(answers=bot_pb2.Answers(answers=[other])))
        await bot.answer(first)
        await bot.question()
        assert len(match.played[0].moves) == 1
        assert (await harness.gateway.stream).stale_answers == 1


async def test_many_tables_share_one_message(harness):
    async with harness.bot() as bot:
        await bot.hello()
        for _ in range(20):
            await harness.start_match()
        asked, frames = 0, 0
        while asked < 20:
            frame = await asyncio.wait_for(bot.call.read(), 60)
            asked += sum(update.HasField("question") for update in frame.updates.tables)
            frames += 1
        assert frames <= 3


async def test_thinking_at_one_table_is_not_charged_at_another(harness):
    async with harness.bot() as bot:
        await bot.hello()
        matches = [await harness.start_match() for _ in range(5)]
        asked = []
        while len(asked) < 5:
            frame = await asyncio.wait_for(bot.call.read(), 60)
            asked += [update for update in frame.updates.tables if update.HasField("question")]
        pause, before = 0.2, time.monotonic()
        for update in asked:
            # Not a wait for an event: this is the time to be charged.
            await asyncio.sleep(pause)
            await bot.answer(update)
        async with asyncio.timeout(60):
            while not all(match.played[0].costs for match in matches):
                await asyncio.sleep(0.01)
        spent = time.monotonic() - before
        costs = [match.played[0].costs[0] for match in matches]
        # An answer that is read late takes from the next one, not from the sum.
        assert sum(costs) >= 5 * pause * 0.9, costs
        assert all(cost >= pause / 2 for cost in costs), costs
        # On the wall clock they waited 1, 2, 3, 4 and 5 pauses.
        assert sum(costs) <= spent + pause, costs


async def test_a_bot_is_told_that_the_arbiter_drains(harness):
    async with harness.bot() as bot:
        await bot.hello()
        (await harness.gateway.stream).drain(5.0)
        assert (await bot.call.read()).draining.seconds == 5.0


async def test_a_bot_that_never_says_hello_is_disconnected(harness, monkeypatch):
    monkeypatch.setattr(gateway_module, "HELLO_SECONDS", 0.3)
    async with grpc.aio.insecure_channel(harness.address) as channel:
        code, words = await refusal(raw_call(channel))
        assert (code, words) == (grpc.StatusCode.DEADLINE_EXCEEDED, "say hello within 0.3 seconds")
        assert not harness.gateway.stream.done()


async def test_replayed_answers_count_as_stale_and_do_nothing(harness):
    async with harness.bot() as bot:
        await bot.hello()
        match = await harness.start_match()
        first = await bot.question()
        await bot.answer(first)
        second = await bot.question()
        for _ in range(20):
            await bot.answer(first)
        await bot.answer(second)
        await bot.question()
        assert len(match.played[0].moves) == 2
        assert match.faults == []
        assert (await harness.gateway.stream).stale_answers == 20
