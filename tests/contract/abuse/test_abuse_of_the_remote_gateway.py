"""Hostile bots at the gateway for remote bots, while three honest remote bots play on.

Limits shared with hosted bots are tested by removing them in `test_abuse_by_speech.py` and
`test_abuse_by_silence.py`; here only the limits that differ are removed.
"""

import asyncio
import gc
import os
import signal
import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import count
from pathlib import Path

import pytest
from remote_gateway_harness import NAMES, open_remote_gateway, token_of
from stichkampf_arbiter.bots.remote import admitted_bot, entrance
from stichkampf_arbiter.bots.remote import gateway as remote_module
from stichkampf_arbiter.connection import gateway as gateway_module
from stichkampf_arbiter.connection import stream as stream_module

HOSTILE = Path(__file__).parent / "hostile_bots.py"
MALLORY = "mal/lory@1"
SECONDS = 60.0
PAUSE_SECONDS = 0.1
"""Time between two matches of the honest bots, who leave the processor to the attack meanwhile."""
CODES = {
    "answers": "RESOURCE_EXHAUSTED",
    "stuffed answers": "RESOURCE_EXHAUSTED",
    "pongs": "RESOURCE_EXHAUSTED",
    "64 kB and one": "RESOURCE_EXHAUSTED",
    "32 MiB": "RESOURCE_EXHAUSTED",
    "gzip bomb": "RESOURCE_EXHAUSTED",
    "4 MiB of metadata": "RESOURCE_EXHAUSTED",
    "no protobuf": "INVALID_ARGUMENT",
    "hello twice": "INVALID_ARGUMENT",
    "no hello": "INVALID_ARGUMENT",
    "silence": "DEADLINE_EXCEEDED",
    "no HTTP/2": "closed",
    "no word at all": "closed",
    "half a handshake": "closed",
}


def open_files():
    return len(os.listdir("/proc/self/fd"))


async def soon(true, seconds=SECONDS):
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.01)
    return True


class Scene:
    """Three honest bots and the matches that they play.

    :ivar records: records of their matches."""

    def __init__(self, remote_harness):
        self.remote_harness = remote_harness
        self.records = []

    async def play_on(self):
        for number in count():
            self.records.append(
                await self.remote_harness.record(self.remote_harness.start(f"honest-{number}"))
            )
            await asyncio.sleep(PAUSE_SECONDS)

    @asynccontextmanager
    async def hostile(self, attack, window_bytes=65_535, token=None):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, HOSTILE, self.remote_harness.gateway.address, attack),
            *(str(window_bytes), token or token_of(MALLORY)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            assert await said(process) == "at it"
            yield process
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()

    async def is_welcome(self, name):
        async with self.remote_harness.bot(name=name) as bot:
            return bot.welcome is not None

    def present(self):
        return MALLORY in {name for name, _ in self.remote_harness.bots.connected}


async def play_for_ever(bot):
    while True:
        await bot.play_on()


async def end(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def said(process, seconds=SECONDS):
    """Return the next line that it prints; None if none came in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return (await process.stdout.readline()).decode().strip()


@pytest.fixture
def quick(monkeypatch):
    """Shorten limits of time so that a test can wait for them."""
    monkeypatch.setattr(gateway_module, "HELLO_SECONDS", 2.0)
    monkeypatch.setattr(stream_module, "SLOW_READER_SECONDS", 1.5)
    options = {
        "grpc.server_handshake_timeout_ms": 2_000,
        "grpc.keepalive_time_ms": 1_000,
        "grpc.keepalive_timeout_ms": 2_000,
        "grpc.http2.ping_timeout_ms": 2_000,
    }
    monkeypatch.setattr(remote_module, "OPTIONS", remote_module.OPTIONS | options)


@pytest.fixture
async def scene(quick, short_folder):
    """Three honest bots that play on during the test, which leaves nothing behind."""
    async with open_remote_gateway(short_folder) as remote_harness, AsyncExitStack() as bots:
        remote_harness.admit(*NAMES, MALLORY)
        scene = Scene(remote_harness)
        honest = [await bots.enter_async_context(remote_harness.bot(name=name)) for name in NAMES]
        tasks = [asyncio.ensure_future(play_for_ever(bot)) for bot in honest]
        tasks.append(asyncio.ensure_future(scene.play_on()))
        bots.push_async_callback(end, tasks)
        assert await soon(lambda: scene.records)
        files, tasks = open_files(), len(asyncio.all_tasks())
        yield scene
        before = len(scene.records)
        assert await soon(lambda: len(scene.records) >= before + 2)
        for record in scene.records:
            assert record["faults"] == []
            assert record["deals"] == scene.records[0]["deals"]
        # The error of a refused client refers to its call, in a cycle that keeps the client's own end open.
        gc.collect()
        assert await soon(lambda: open_files() <= files)
        # One match more or less is being played.
        assert await soon(lambda: len(asyncio.all_tasks()) <= tasks + 2)


@pytest.mark.parametrize("attack", CODES)
async def test_a_bot_that_violates_the_protocol_is_soon_disconnected(scene, attack):
    async with scene.hostile(attack) as process:
        assert await said(process) == CODES[attack]
        assert await soon(lambda: not scene.present())


async def test_a_client_that_guesses_tokens_is_refused_and_slowed_down(scene):
    since = time.monotonic()
    async with scene.hostile("guesses") as process:
        assert await said(process) == "RESOURCE_EXHAUSTED"
        # Two of its seven guesses exceeded the free refusals.
        assert time.monotonic() - since >= 2 * remote_module.REFUSAL_PAUSE_SECONDS


async def test_a_bot_that_reads_nothing_is_cut_off(scene):
    async with scene.hostile("reads nothing", 1):
        assert await soon(scene.present)
        assert await soon(lambda: not scene.present(), 8.0)


async def test_a_bot_that_is_stopped_is_noticed(scene):
    async with scene.hostile("meddles") as process:
        assert await soon(scene.present)
        process.send_signal(signal.SIGSTOP)
        assert await soon(lambda: not scene.present(), 8.0)


@pytest.mark.parametrize("most", [50, 10**9], ids=["with a limit", "without"])
async def test_connections_cost_files_only_up_to_a_limit(quick, short_folder, monkeypatch, most):
    monkeypatch.setattr(entrance, "PLACES", most)
    patient = {"grpc.server_handshake_timeout_ms": 10**9}
    monkeypatch.setattr(remote_module, "OPTIONS", remote_module.OPTIONS | patient)
    async with open_remote_gateway(short_folder) as remote_harness:
        before = open_files()
        seconds = SECONDS if most > 50 else 1.0
        async with Scene(remote_harness).hostile("200 connections"):
            assert await soon(lambda: open_files() - before > 8 * 50, seconds) == (most > 50)


async def test_thousands_of_silent_connections_keep_no_bot_out_for_long(scene):
    before = open_files()
    async with scene.hostile("2,500 connections"):
        assert open_files() - before <= 6 * entrance.PLACES  # three each, and some that are just ending
        # They are still open on the other side, but closed here.
        assert await soon(lambda: open_files() - before <= 20)
        # A connection that was made among them may be closed with them.
        async with asyncio.timeout(SECONDS):
            while not await scene.is_welcome(MALLORY):
                await asyncio.sleep(0.1)


async def test_a_client_with_many_calls_is_answered_slowly(scene):
    since = time.monotonic()
    async with scene.hostile("4 calls") as process:
        assert await said(process) == "OK"
        assert time.monotonic() - since >= 3 * remote_module.REFUSAL_PAUSE_SECONDS


@pytest.mark.parametrize(
    ("most", "ending"),
    [(admitted_bot.MAX_CALLS, "RESOURCE_EXHAUSTED"), (10**9, "OK")],
    ids=["with a limit", "without"],
)
async def test_a_client_that_cancels_call_after_call_is_cut_off(scene, monkeypatch, most, ending):
    monkeypatch.setattr(admitted_bot, "MAX_CALLS", most)
    async with scene.hostile("1,000 calls given up") as process:
        assert await said(process) == ending
        assert await soon(lambda: not scene.present())


@pytest.mark.parametrize(
    ("seconds", "refused"), [(admitted_bot.BAN_SECONDS, True), (0.0, False)], ids=["banned", "not banned"]
)
async def test_a_bot_that_flooded_may_not_reconnect_at_once(scene, monkeypatch, seconds, refused):
    monkeypatch.setattr(admitted_bot, "BAN_SECONDS", seconds)
    async with scene.hostile("answers") as process:
        assert await said(process) == "RESOURCE_EXHAUSTED"
    assert await soon(lambda: not scene.present())
    async with scene.remote_harness.bot(name=MALLORY) as bot:
        assert (bot.welcome is None) == refused
        if refused:
            code, words = await bot.ending()
            assert (code.name, "try again in a minute" in words) == ("RESOURCE_EXHAUSTED", True)
