"""Hostile bots on a socket with frames, while others play: as robust as gRPC."""

import asyncio
import socket
import time
from pathlib import Path

import pytest
from stichkampf.faults import FaultKind
from stichkampf.time_control import TimeControl
from stichkampf_arbiter.connection.answer_limit import SPARE_ANSWERS, SPARE_ANSWERS_A_SECOND
from stichkampf_arbiter.connection.frame_gateway import FrameGateway
from support import poll_async

pytestmark = pytest.mark.asyncio(loop_scope="module")

FRAMES = Path(__file__).with_name("hostile_frames.py")
SOON_SECONDS = 30.0
FOR_EVER = 10**9
QUICK = TimeControl(move_seconds=0.15, bank_seconds=0.0, cap_seconds=0.15)
ENDS = {
    "answers": "RESOURCE_EXHAUSTED",
    "stuffed answers": "RESOURCE_EXHAUSTED",
    "pongs": "RESOURCE_EXHAUSTED",
    "empty frames": "INVALID_ARGUMENT",
    "connections": "closed",
    "64 kB and one": "RESOURCE_EXHAUSTED",
    "four gigabytes announced": "RESOURCE_EXHAUSTED",
    "32 MiB": "RESOURCE_EXHAUSTED",
    "no protobuf": "INVALID_ARGUMENT",
    "hello twice": "INVALID_ARGUMENT",
    "no hello": "INVALID_ARGUMENT",
    "no frames": "RESOURCE_EXHAUSTED",
    "half a hello": "DEADLINE_EXCEEDED",
    "another version": "FAILED_PRECONDITION",
}
WEAKENINGS = {
    "answers": ({"SPARE_ANSWERS": FOR_EVER, "UNASKED_PAUSE_SECONDS": 0}, "closed"),
    "pongs": ({"SPARE_ANSWERS": FOR_EVER, "UNASKED_PAUSE_SECONDS": 0}, "closed"),
    "connections": ({"MAX_CALLS": FOR_EVER}, "OK"),
}
"""By attack: without its limit the bot says all that it has to say, and ends the connection itself."""


@pytest.fixture
def hostile(arena):
    def start(attack):
        return arena.hostile(attack, program=FRAMES, kind=FrameGateway)

    return start


@pytest.mark.parametrize("attack", ENDS)
async def test_a_bot_that_violates_the_protocol_is_soon_disconnected(hostile, set_limits, attack):
    set_limits(**{"HELLO_SECONDS": 0.5} if attack == "half a hello" else {})
    before = time.monotonic()
    async with hostile(attack) as bot:
        assert await bot.said(SOON_SECONDS) == ENDS[attack]
    assert time.monotonic() - before < SOON_SECONDS


@pytest.mark.parametrize("attack", WEAKENINGS)
async def test_without_its_limit_the_same_bot_is_not_stopped(hostile, set_limits, attack):
    without, ending = WEAKENINGS[attack]
    set_limits(**without)
    async with hostile(attack) as bot:
        assert await bot.said(SOON_SECONDS) == ending


@pytest.mark.parametrize("attack", ["answers", "stuffed answers", "connections", "32 MiB", "hello twice"])
async def test_the_match_of_a_disconnected_bot_ends_without_it(hostile, attack):
    async with hostile(attack) as bot:
        match = await bot.play()
        await bot.said()
        await match.over.wait()
        assert match.kinds() <= {"malformed", "crashed"}
        assert len(match.match.faults) == sum(len(deal.moves) for deal in match.match.played)


@pytest.mark.parametrize("attack", ["answers", "stuffed answers"])
async def test_only_the_beginning_of_a_flood_is_parsed(hostile, attack):
    async with hostile(attack) as bot:
        await bot.said()
        refilled = SPARE_ANSWERS_A_SECOND * (time.monotonic() - bot.stream.since)
        assert bot.stream.stale_answers <= SPARE_ANSWERS + refilled + 1


async def test_a_bot_that_announces_much_takes_no_memory(arena, hostile):
    before = arena.resident_bytes()
    async with hostile("32 MiB") as bot:
        await bot.said()
        assert arena.resident_bytes() - before < 16 * 2**20


async def test_a_bot_that_reads_nothing_is_cut_off_and_its_matches_end(arena, hostile, set_limits):
    set_limits(SLOW_READER_SECONDS=1.5)
    async with hostile("reads nothing") as bot:
        matches = [await bot.play(QUICK) for _ in range(200)]
        assert await poll_async(lambda: all(match.over.is_set() for match in matches))
        assert bot.stream.closed
        bot.process.stdin.write(b"read now\n")
        assert await bot.said() in {"RESOURCE_EXHAUSTED", "closed"}


async def test_a_bot_that_babbles_only_ends_itself(hostile):
    async with hostile("babbles") as bot:
        assert await bot.said(SOON_SECONDS) == "OK"


async def test_a_bot_that_speaks_grpc_plays_on_the_same_socket(arena):
    async with arena.hostile("meddles", kind=FrameGateway) as bot:
        match = await bot.play()
        await match.over.wait()
        assert match.match.faults == []


@pytest.mark.parametrize(
    ("attack", "ending"),
    [("answers", "RESOURCE_EXHAUSTED"), ("calls", "UNAVAILABLE"), ("32 MiB", "RESOURCE_EXHAUSTED")],
)
async def test_a_bot_that_attacks_the_same_socket_over_grpc_is_disconnected_too(arena, attack, ending):
    async with arena.hostile(attack, kind=FrameGateway) as bot:
        assert await bot.said(SOON_SECONDS) == ending


async def test_a_connection_that_begins_as_grpc_does_and_ends_at_once_leaves_nothing(arena):
    gateway, path = await arena.listen("a hostile bot", FrameGateway)
    for _ in range(20):
        with socket.socket(socket.AF_UNIX) as bot:
            bot.setblocking(False)
            bot.connect(str(path))
            bot.send(b"PRI * HTTP/2.0\r\n")
        await asyncio.sleep(0)
    async with asyncio.timeout(SOON_SECONDS):
        await arena.close(gateway)
    assert not path.exists()
    assert not path.with_suffix(".grpc").exists()


async def test_a_bot_that_sends_byte_by_byte_plays(hostile):
    async with hostile("byte by byte") as bot:
        match = await bot.play()
        await match.over.wait()
        assert match.match.faults == []
        assert await bot.why_lost() is FaultKind.DISCONNECTED
