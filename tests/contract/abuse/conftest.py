"""Gateways of one arbiter: one for the house bots, which play on and on, the others for hostile bots."""

import asyncio
import os
import sys
import time
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import pytest_asyncio
from stichkampf.bots.practice import entrant, play_match
from stichkampf.bots.substitute import new_adjudicator
from stichkampf.faults import FaultKind
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.table import table_seed
from stichkampf.time_control import TimeControl
from stichkampf_arbiter.connection import answer_limit
from stichkampf_arbiter.connection import gateway as gateway_module
from stichkampf_arbiter.connection import stream as stream_module
from stichkampf_arbiter.connection.gateway import Gateway
from stichkampf_arbiter.matches.live_match import LiveMatch
from stichkampf_arbiter.matches.seating import SeatAssignment
from support import poll_async

SEED = bytes(range(32))
SEEDS = [table_seed(SEED, seat) for seat in range(3)]
RULES = new_game("stiche-raten", 3, {"length": "deals:3"})
HOSTILE = Path(__file__).parent / "hostile_bots.py"
SECONDS = 60.0
PATIENT = TimeControl(move_seconds=60, cap_seconds=60)
"""The time control of the house bots, whom a busy machine may hold up for longer than a match allows."""
PAUSE_SECONDS = 0.1
"""Time between two matches of the house bots, who leave the processor to the attack meanwhile."""


class Played:
    """A match in which one bot has all seats."""

    def __init__(self, program, stream, bot, control):
        self.over = asyncio.Event()
        adjudicator = new_adjudicator(
            Match(RULES, seed=SEED),
            SEEDS,
            fault_allowance=2,
        )
        self.match = adjudicator.match
        self._running = LiveMatch(
            adjudicator, control, changed=self._changed, broken=lambda _: self.over.set()
        )
        self._running.start([SeatAssignment(program=program, stream=stream, bot=bot)] * 3, SEEDS)

    def _changed(self):
        if self.match.over:
            self.over.set()

    def deals(self):
        return self.match.record([{"bot": "a/test", "version": 1}] * 3)["deals"]

    def kinds(self):
        return {fault["kind"] for fault in self.match.faults}


class Hostile:
    """A hostile bot: its process and its gateway."""

    def __init__(self, gateway, process):
        self.gateway = gateway
        self.process = process

    async def why_lost(self):
        return FaultKind.MALFORMED if self.stream.violated_protocol else FaultKind.DISCONNECTED

    @property
    def stream(self):
        return self.gateway.stream.result()

    async def said(self, seconds=SECONDS):
        """Return the next line that it prints; None if none came in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                return (await self.process.stdout.readline()).decode().strip()

    async def play(self, control=None):
        """Play a match on its stream."""
        await asyncio.wait_for(asyncio.shield(self.gateway.stream), SECONDS)
        return Played(self, self.stream, "", control or TimeControl())


def _of_a_stranger(stream):
    """Mark a stream as none of the platform's, whose silence would end it."""
    if not stream.cancelled() and stream.exception() is None:
        stream.result().of_the_platform = False


class Arena:
    """The event loop of an arbiter.

    :ivar played: matches of the house bots so far.
    """

    def __init__(self, folder):
        self.folder = folder
        self.gateways = []
        self.played = []

    @staticmethod
    def open_files():
        return len(os.listdir("/proc/self/fd"))

    @staticmethod
    def resident_bytes():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    async def listen(self, name, kind=Gateway):
        gateway = kind(name, time.monotonic)
        socket = self.folder / f"{os.getpid()}-{time.monotonic_ns()}.sock"
        await gateway.listen(socket)
        self.gateways.append(gateway)
        return gateway, socket

    async def close(self, gateway):
        self.gateways.remove(gateway)
        await gateway.close()

    @asynccontextmanager
    async def hostile(self, attack, *window, through=None, program=HOSTILE, kind=Gateway):
        """Start a hostile bot and wait until its attack has begun.

        :param kind: of the gateway.
        :param through: makes a detour to a socket and returns the path of its beginning.
        """
        gateway, socket = await self.listen("a hostile bot", kind)
        gateway.stream.add_done_callback(_of_a_stranger)
        process = await run(program, await through(socket) if through else socket, attack, *window)
        try:
            hostile = Hostile(gateway, process)
            assert await hostile.said() == "at it"
            yield hostile
        finally:
            await end(process)
            await self.close(gateway)

    async def tick(self):
        while True:
            await asyncio.sleep(0.02)
            for gateway in self.gateways:
                if gateway.stream.done():
                    gateway.stream.result().sweep(time.monotonic())

    async def play_on(self, gateway):
        stream = await gateway.stream
        while True:
            match = Played(self, stream, "thumb", PATIENT)
            await match.over.wait()
            self.played.append(match)
            await asyncio.sleep(PAUSE_SECONDS)

    async def why_lost(self):
        return FaultKind.DISCONNECTED

    async def check_that_the_honest_played_on(self):
        """Wait for one more whole match; every match so far must equal the one played locally."""
        before = len(self.played)
        assert await poll_async(lambda: len(self.played) >= before + 2)
        at_home = play_match(RULES, [entrant("thumb")] * 3, SEED).record["deals"]
        for match in self.played:
            assert match.match.faults == []
            assert match.deals() == at_home


async def run(*command):
    return await asyncio.create_subprocess_exec(
        sys.executable, *map(str, command), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )


async def end(process):
    with suppress(ProcessLookupError):
        process.kill()
    await process.communicate()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lasting_arena(short_folder):
    """An arena for all tests of a module, in which the house bots keep playing."""
    arena = Arena(short_folder)
    gateway, socket = await arena.listen("house")
    house = await run("-I", "-m", "stichkampf.house", "--socket", socket)
    tasks = [asyncio.ensure_future(coroutine) for coroutine in (arena.tick(), arena.play_on(gateway))]
    try:
        assert await poll_async(lambda: arena.played)
        yield arena
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await end(house)
        await arena.close(gateway)


@pytest_asyncio.fixture(loop_scope="module")
async def arena(lasting_arena):
    """An arena in which the house bots play on during the test, and which the test leaves clean."""
    lasting_arena.played.clear()
    files, tasks = lasting_arena.open_files(), len(asyncio.all_tasks())
    yield lasting_arena
    await lasting_arena.check_that_the_honest_played_on()
    assert await poll_async(lambda: lasting_arena.open_files() <= files)
    assert await poll_async(lambda: len(asyncio.all_tasks()) <= tasks)


@pytest.fixture
def set_limits(monkeypatch):
    """Change the limits of gateways made from now on: names in modules, or options of gRPC."""

    def change(**limits):
        options = dict(gateway_module.SERVER_OPTIONS)
        for name, value in limits.items():
            modules = (gateway_module, stream_module, answer_limit)
            module = next((module for module in modules if hasattr(module, name)), None)
            if module is not None:
                monkeypatch.setattr(module, name, value)
            else:
                options[f"grpc.{name}"] = value
        monkeypatch.setattr(gateway_module, "SERVER_OPTIONS", tuple(options.items()))

    return change
