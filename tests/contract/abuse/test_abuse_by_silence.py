"""Bots that do not read, stop, vanish, or hold unused connections, while others play."""

import asyncio
import signal
from contextlib import suppress

import pytest
from stichkampf.time_control import TimeControl
from stichkampf_arbiter.connection.gateway import MAX_CONNECTIONS
from support import poll_async

pytestmark = pytest.mark.asyncio(loop_scope="module")

FOR_EVER = 10**9
QUICK = TimeControl(move_seconds=0.15, bank_seconds=0.0, cap_seconds=0.15)
TABLES = 100
KEEPALIVE = {"keepalive_time_ms": 1_000, "keepalive_timeout_ms": 500, "http2.ping_timeout_ms": 500}
PATIENCE_SECONDS = {True: 8.0, False: 1.5 * 1.5}
"""By whether it is to come: what does not is waited for half as long again as the keepalive takes at most."""
WINDOWS = {"not even the welcome": 1, "no more than 64 kB": 65_535}


@pytest.mark.parametrize("window_bytes", WINDOWS.values(), ids=WINDOWS.keys())
async def test_a_bot_that_reads_nothing_is_cut_off_and_its_matches_end(arena, set_limits, window_bytes):
    set_limits(SLOW_READER_SECONDS=1.5)
    before = arena.resident_bytes()
    async with arena.hostile("reads nothing", window_bytes) as hostile:
        matches = [await hostile.play(QUICK) for _ in range(TABLES)]
        assert await poll_async(lambda: all(match.over.is_set() for match in matches))
        assert hostile.stream.closed
        assert {kind for match in matches for kind in match.kinds()} <= {"timeout", "disconnected", "crashed"}
        assert arena.resident_bytes() - before < 64 * 2**20
        hostile.process.stdin.write(b"read now\n")
        assert await hostile.said() in {"RESOURCE_EXHAUSTED", "CANCELLED", "UNAVAILABLE"}


@pytest.mark.parametrize("window_bytes", WINDOWS.values(), ids=WINDOWS.keys())
async def test_without_the_limit_on_slow_readers_the_same_matches_do_not_end(arena, set_limits, window_bytes):
    set_limits(SLOW_READER_SECONDS=FOR_EVER)
    async with arena.hostile("reads nothing", window_bytes) as hostile:
        matches = [await hostile.play(QUICK) for _ in range(TABLES)]
        assert not await poll_async(lambda: all(match.over.is_set() for match in matches), 3.0)
        assert not hostile.stream.closed


async def test_a_bot_that_thinks_may_leave_messages_unread(arena, set_limits):
    set_limits(SLOW_READER_SECONDS=1.0)
    control = TimeControl(move_seconds=3.0, bank_seconds=0.0, cap_seconds=3.0)
    async with arena.hostile("reads nothing", 1_000) as hostile:
        await hostile.play(control)
        # While it has a question it need not read; only then is it a slow reader.
        assert not await poll_async(lambda: hostile.stream.closed, 1.5)
        assert await poll_async(lambda: hostile.stream.closed)


@pytest.mark.parametrize(
    ("limits", "noticed"),
    [(KEEPALIVE, True), ({"keepalive_time_ms": FOR_EVER}, False)],
    ids=["with keepalive", "without"],
)
class TestTheHungPeer:
    async def test_that_is_stopped_is_noticed_by_keepalive_alone(self, arena, set_limits, limits, noticed):
        set_limits(**limits)
        async with arena.hostile("meddles") as hostile:
            hostile.process.send_signal(signal.SIGSTOP)
            assert await poll_async(lambda: hostile.stream.closed, PATIENCE_SECONDS[noticed]) == noticed

    async def test_that_vanished_behind_an_open_connection_is_noticed_too(
        self, arena, set_limits, limits, noticed
    ):
        set_limits(**limits)
        wire = Wire(arena.folder / "wire.sock")
        async with arena.hostile("meddles", through=wire.lay) as hostile:
            wire.cut.set()
            assert await poll_async(lambda: hostile.stream.closed, PATIENCE_SECONDS[noticed]) == noticed
        await wire.take_up()


@pytest.mark.parametrize(
    ("attack", "most", "some_get_in"),
    [("2,500 connections", MAX_CONNECTIONS, False), ("200 connections", FOR_EVER, True)],
    ids=["2,500", "without the limit"],
)
async def test_connections_above_the_limit_cost_no_file(arena, set_limits, attack, most, some_get_in):
    set_limits(max_allowed_incoming_connections=most)
    before = arena.open_files()
    seconds = 30.0 if some_get_in else 1.0
    async with arena.hostile(attack) as hostile:
        assert await poll_async(lambda: arena.open_files() - before > 100, seconds) == some_get_in
        hostile.process.stdin.write(b"enough\n")
        assert await hostile.said() == "OK"


class Wire:
    """A connection that can be cut without a sign to either end."""

    def __init__(self, near):
        self.near = near
        self.cut = asyncio.Event()
        self.tasks = set()

    async def lay(self, far):
        """Connect the near end to this socket; return the near end."""
        self.far = far
        self.server = await asyncio.start_unix_server(self._connect, self.near)
        return self.near

    async def take_up(self):
        self.server.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.near.unlink(missing_ok=True)

    async def _connect(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        far_reader, far_writer = await asyncio.open_unix_connection(self.far)
        try:
            await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))
        finally:
            writer.close()
            far_writer.close()

    async def _carry(self, reader, writer):
        with suppress(ConnectionError):
            while part := await reader.read(65_536):
                if self.cut.is_set():
                    await asyncio.Event().wait()
                writer.write(part)
                await writer.drain()
