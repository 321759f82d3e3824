"""Admission at the gateway for remote bots: tokens, second streams, bans, draining, the listener."""

import asyncio
import time

import grpc
import pytest
from remote_gateway_harness import (
    NAMES,
    digest_of,
    faults,
    token_of,
)
from stichkampf import limits
from stichkampf.connection.reconnect import ReconnectBackoff, StreamEnd
from stichkampf.wire.v1 import bot_pb2
from stichkampf_arbiter.bots.remote import admitted_bot
from stichkampf_arbiter.bots.remote import gateway as gateway_module
from stichkampf_arbiter.bots.remote.admission import GUESSES
from stichkampf_arbiter.bots.remote.gateway import RemoteGateway
from stichkampf_arbiter.bots.remote.settings import ListenError, RemoteSettings
from support import wait_until_async

pytestmark = pytest.mark.usefixtures("no_pause_between_two_streams")


async def test_an_admitted_bot_is_welcome(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot(tables_at_once=3) as bot:
        assert bot.welcome.message_bytes == limits.MESSAGE_BYTES
        assert bot.welcome.tables_at_once == 3
        assert len(bot.welcome.resume_token) == 16
        ((name, stream),) = remote_harness.bots.connected
        assert (name, stream.charged) == (NAMES[0], "wall")


async def test_bots_are_asked_to_wait_until_the_platform_has_sent_its_list(remote_harness):
    async with remote_harness.bot() as bot:
        assert (await bot.ending())[0] is grpc.StatusCode.UNAVAILABLE
        remote_harness.admit()
    async with remote_harness.bot() as bot:
        assert (await bot.ending())[0] is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize("token", ["guess", token_of(NAMES[0]) + "x", digest_of(token_of(NAMES[0])).hex()])
async def test_an_unknown_token_is_refused(remote_harness, token):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot(token) as bot:
        code, words = await bot.ending()
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert token not in words


async def test_only_a_client_that_guesses_tokens_is_slowed_down(remote_harness, monkeypatch, caplog):
    monkeypatch.setattr(gateway_module, "REFUSAL_PAUSE_SECONDS", 0.1)
    remote_harness.admit(*NAMES)
    codes = []
    for guess in range(GUESSES + 2):
        async with remote_harness.bot(f"guess-{guess}") as bot:
            codes.append((await bot.ending())[0])
    assert codes[:GUESSES] == [grpc.StatusCode.UNAUTHENTICATED] * GUESSES
    assert set(codes[GUESSES:]) == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    async with remote_harness.bot() as bot:
        assert bot.welcome
    assert "guess" not in caplog.text


async def test_another_method_is_refused(remote_harness):
    remote_harness.admit(*NAMES)
    async with grpc.aio.insecure_channel(remote_harness.gateway.address) as channel:
        call = channel.unary_unary("/stichkampf.wire.v1.Arbiter/GetStatus")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call(b"", timeout=10)
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_second_stream_is_refused_while_the_first_one_lives(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as first, remote_harness.bot(resume_token=bytes(16)) as second:
        code, words = await second.ending()
        assert code is grpc.StatusCode.ALREADY_EXISTS
        assert "already connected" in words
        assert not first.call.done()


async def test_a_stream_with_the_resume_token_replaces_the_first(remote_harness):
    remote_harness.admit(*NAMES)
    async with (
        remote_harness.bot() as first,
        remote_harness.bot(resume_token=first.welcome.resume_token) as second,
    ):
        assert (await first.ending())[0] is grpc.StatusCode.ABORTED
        assert second.welcome.resume_token != first.welcome.resume_token
        assert len(remote_harness.bots.connected) == 1


async def test_a_removed_bot_is_disconnected_and_refused(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot:
        remote_harness.admit(*NAMES[1:])
        assert (await bot.ending())[0] is grpc.StatusCode.UNAUTHENTICATED
    async with remote_harness.bot() as bot:
        assert (await bot.ending())[0] is grpc.StatusCode.UNAUTHENTICATED


async def test_admitting_the_same_set_again_disturbs_no_bot(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot:
        remote_harness.admit(*reversed(NAMES))
        remote_harness.admit(*NAMES, "new/one@1")
        assert [name for name, _ in remote_harness.bots.connected] == [NAMES[0]]
        assert not bot.call.done()


async def test_a_flood_ends_all_tables_of_the_bot_at_once(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start()
        question = await bot.question()
        answer = bot_pb2.Answer(table=question.table, decision=99, action="x")
        frame = bot_pb2.FromBot(answers=bot_pb2.Answers(answers=[answer] * 300))
        await bot.call.write(frame)
        assert (await bot.ending())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
        record = await remote_harness.record(entry)
    assert faults(record) == {(0, "malformed")}


async def test_too_many_calls_end_all_tables_of_the_bot_at_once(remote_harness, monkeypatch):
    monkeypatch.setattr(admitted_bot, "MAX_CALLS", 5)
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot, remote_harness.others():
        entry = remote_harness.start()
        await bot.question()
        for _ in range(5):
            async with remote_harness.bot() as other:
                pass
        assert other.welcome is None
        assert (await bot.ending())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
        record = await remote_harness.record(entry)
    assert faults(record) == {(0, "malformed")}


def test_two_reconnecting_processes_are_never_banned_for_their_calls():
    failed = StreamEnd(grpc.StatusCode.UNAVAILABLE, "", welcomed=False, seconds=0.0)
    backoff = ReconnectBackoff()
    assert sum(backoff.after(failed) for _ in range(admitted_bot.MAX_CALLS // 2)) > admitted_bot.CALLS_SECONDS


async def test_a_draining_arbiter_announces_it_and_admits_only_bots_with_tables(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            entry = remote_harness.start()
            await bot.question()
            remote_harness.bots.connected[0][1].drain(5.0)
            remote_harness.gateway.draining = True
            frame = await asyncio.wait_for(bot.call.read(), 10)
            while not frame.HasField("draining"):
                frame = await asyncio.wait_for(bot.call.read(), 10)
            assert frame.draining.seconds == 5.0
        await wait_until_async(lambda: remote_harness.bots.get(NAMES[0]).waiting == 1)
        async with remote_harness.bot() as bot:
            await bot.play_on()
        assert (await remote_harness.record(entry))["faults"] == []
        async with remote_harness.bot() as bot:
            assert (await bot.ending())[0] is grpc.StatusCode.UNAVAILABLE


async def test_a_bot_that_leaves_plays_its_table_to_the_end_and_is_given_no_other(remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.others():
        async with remote_harness.bot() as bot:
            first = remote_harness.start("first")
            asked = await bot.question()
            await bot.call.write(bot_pb2.FromBot(leave=bot_pb2.Leave()))
            frame = await asyncio.wait_for(bot.call.read(), 10)
            while not frame.HasField("draining"):
                frame = await asyncio.wait_for(bot.call.read(), 10)
            ((_, stream),) = [there for there in remote_harness.bots.connected if there[0] == NAMES[0]]
            assert (frame.draining.seconds, stream.leaving, stream.full) == (0.0, True, True)
            second = remote_harness.start("second")
            await bot.answer(asked)
            await bot.play_on()
            assert (await remote_harness.record(first))["faults"] == []
            assert second.live is None
        async with remote_harness.bot() as bot:
            await bot.play_on()
            assert (await remote_harness.record(second))["faults"] == []


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "cannot read .*pem: No such file"),
        ({"certificate.pem": b"x", "key.pem": b"y"}, "is the certificate its key's"),
    ],
)
async def test_a_listener_with_a_bad_certificate_does_not_start(remote_harness, tmp_path, files, words):
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    settings = RemoteSettings(
        listen="127.0.0.1:0", certificate=tmp_path / "certificate.pem", key=tmp_path / "key.pem"
    )
    with pytest.raises(ListenError, match=words):
        await RemoteGateway(settings, remote_harness.bots, time.monotonic).listen()


async def test_an_address_that_is_taken_is_named(remote_harness):
    with pytest.raises(
        ListenError, match=f"cannot listen on {remote_harness.gateway.address} .*is the address taken"
    ):
        await RemoteGateway(
            RemoteSettings(listen=remote_harness.gateway.address), remote_harness.bots, time.monotonic
        ).listen()
