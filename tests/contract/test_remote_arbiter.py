"""The control service with remote bots: their list, admission and refusals."""

import asyncio

import grpc
import pytest
from remote_gateway_harness import CONTROL, NAMES, SEED, Remote, digest_of, token_of
from stichkampf.wire.agreed import remote_bots_sha256
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import bot_pb2, bot_pb2_grpc


@pytest.fixture(scope="module")
def open_arbiter(new_arbiter):
    """An arbiter that takes remote bots, and has admitted those of `NAMES`."""
    with new_arbiter(STICHKAMPF_ARBITER_REMOTE_LISTEN="127.0.0.1:0") as arbiter:
        assert arbiter.status().remote_bots_sha256 == ""
        admit(arbiter, *NAMES)
        yield arbiter


def admit(arbiter, *names):
    bots = [pb.RemoteBot(name=name, token_sha256=digest_of(token_of(name))) for name in names]
    arbiter.stub.AdmitRemoteBots(pb.AdmitRemoteBotsRequest(bots=bots), timeout=60)


def order(key, *names, control=CONTROL):
    """Return the request of a match of these remote bots and house bots."""
    seats = [pb.Seat(bot=name, version=1, remote=name) for name in names]
    seats += [pb.Seat(bot="house/thumb", version=2, house="thumb")] * (3 - len(names))
    return pb.StartMatchRequest(
        idempotency_key=key,
        game="stiche-raten",
        seats=seats,
        seed=SEED,
        options_json='{"length": "deals:1"}',
        time_control=control,
    )


def refusal(call, request):
    with pytest.raises(grpc.RpcError) as refused:
        call(request, timeout=60)
    return refused.value.code(), refused.value.details()


def dial(address, name):
    """Open a channel and the stream of a bot, without a hello."""
    channel = grpc.aio.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)])
    metadata = [("authorization", f"Bearer {token_of(name)}")]
    return channel, Remote(bot_pb2_grpc.BotGatewayStub(channel).Play(metadata=metadata))


def test_the_status_names_the_address_and_the_admitted_set(open_arbiter):
    status = open_arbiter.status()
    host, _, port = status.remote_address.rpartition(":")
    assert host == "127.0.0.1"
    assert int(port) > 0
    assert status.remote_bots_sha256 == remote_bots_sha256(
        {name: digest_of(token_of(name)) for name in NAMES}
    )


def test_an_invalid_set_changes_nothing(open_arbiter):
    before = open_arbiter.status().remote_bots_sha256
    request = pb.AdmitRemoteBotsRequest(bots=[pb.RemoteBot(name="a/b@1", token_sha256=b"x")])
    code, words = refusal(open_arbiter.stub.AdmitRemoteBots, request)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "'a/b@1' has 32 bytes, not 1" in words
    assert open_arbiter.status().remote_bots_sha256 == before


@pytest.mark.parametrize(
    ("names", "control", "code", "words"),
    [
        (["no/body@1"], CONTROL, grpc.StatusCode.FAILED_PRECONDITION, "'no/body@1' is not admitted"),
        (NAMES[:1] * 2, CONTROL, grpc.StatusCode.INVALID_ARGUMENT, "'ann/karl@1' holds 2 seats"),
        (
            NAMES[:1],
            bot_pb2.TimeControl(move_seconds=0.4, bank_seconds=60, cap_seconds=60),
            grpc.StatusCode.INVALID_ARGUMENT,
            "move_seconds is 0.4; with remote bots it is at least 1",
        ),
    ],
)
def test_an_impossible_match_of_remote_bots_is_refused(open_arbiter, names, control, code, words):
    refused_with, said = refusal(open_arbiter.stub.StartMatch, order("refused", *names, control=control))
    assert refused_with is code
    assert words in said


def test_an_arbiter_without_a_listener_takes_no_remote_bots(arbiter):
    assert arbiter.status().remote_address == ""
    admit(arbiter, *NAMES)
    code, words = refusal(arbiter.stub.StartMatch, order("nowhere", NAMES[0]))
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "STICHKAMPF_ARBITER_REMOTE_LISTEN" in words


async def test_the_list_of_bots_shows_latency_and_tables(open_arbiter):
    channel, bot = dial(open_arbiter.status().remote_address, NAMES[0])
    async with channel:
        await bot.hello()
        open_arbiter.stub.StartMatch(order("present", NAMES[0]), timeout=60)
        question = await bot.question()
        async with asyncio.timeout(60):
            while not (found := present(open_arbiter)).latency_seconds:
                await asyncio.sleep(0.01)
        assert (found.program, found.lane, found.tables) == (f"remote:{NAMES[0]}", "", 1)
        assert found.latency_seconds < 5.0
        await bot.answer(question)
        await bot.play_on()
    record, _ = await asyncio.to_thread(open_arbiter.finished, "present")
    assert record["faults"] == []


def present(arbiter):
    bots = arbiter.stub.ListBots(pb.ListBotsRequest(), timeout=60).bots
    return next(bot for bot in bots if bot.program.startswith("remote:"))


async def test_a_drain_is_announced_and_causes_no_fault(new_arbiter):
    with new_arbiter(STICHKAMPF_ARBITER_REMOTE_LISTEN="127.0.0.1:0") as arbiter:
        admit(arbiter, *NAMES)
        channel, bot = dial(arbiter.status().remote_address, NAMES[0])
        async with channel:
            await bot.hello()
            arbiter.stub.StartMatch(order("drained", NAMES[0]), timeout=60)
            await bot.question()
            watched = arbiter.stub.WatchMatches(pb.WatchMatchesRequest(matches=["drained"]), timeout=60)
            last = asyncio.ensure_future(asyncio.to_thread(lambda: [news.match for news in watched][-1]))
            arbiter.process.terminate()
            reasons, draining = [], False
            async with asyncio.timeout(60):
                while isinstance(frame := await bot.call.read(), bot_pb2.ToBot):
                    draining |= frame.HasField("draining")
                    reasons += [table.end.reason for table in frame.updates.tables if table.HasField("end")]
            assert draining
            assert reasons == [bot_pb2.TABLE_END_REASON_CANCELLED]
            assert await bot.call.code() is grpc.StatusCode.OK
            status = await last
            assert status.state == pb.MATCH_STATE_CANCELLED
            assert not status.faults
