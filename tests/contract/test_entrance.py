"""The entrance of remote bots: a visitor who opens all connections keeps no other out, and ends no bot."""

import asyncio
import gc
import socket
import threading
from contextlib import ExitStack

import pytest
from remote_gateway_harness import NAMES
from stichkampf_arbiter.bots.remote import entrance
from support import wait_until_async

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
SETTINGS_TAKEN = bytes([0, 0, 0, 4, 1, 0, 0, 0, 0])
GREEDY, OTHER = "127.0.0.1", "127.0.0.2"


class Line:
    """A connection of a client that speaks HTTP/2 and never calls."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, address, source=GREEDY):
        host, port = address.rsplit(":", 1)
        reader, writer = await asyncio.open_connection(host, int(port), local_addr=(source, 0))
        writer.write(PREFACE + SETTINGS_TAKEN)
        return cls(reader, writer)

    async def is_answered(self):
        """Tell whether the server speaks; an end says no."""
        try:
            async with asyncio.timeout(30):
                return bool(await self.reader.read(9))
        except ConnectionError:
            return False

    async def ends(self):
        try:
            async with asyncio.timeout(30):
                while await self.reader.read(4096):
                    pass
        except ConnectionError:
            pass

    def close(self):
        self.writer.close()


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(entrance, "PLACES", 24)


async def fill(address, number):
    lines = [await Line.open(address) for _ in range(number)]
    for line in lines[: entrance.PLACES]:
        assert await line.is_answered()
    return lines


async def test_a_guest_with_all_connections_keeps_no_other_address_out(few, remote_harness):
    lines = await fill(remote_harness.gateway.address, 24)
    for _ in range(6):
        other = await Line.open(remote_harness.gateway.address, OTHER)
        assert await other.is_answered()
        other.close()
    await lines[-1].ends()
    for line in lines:
        line.close()


async def test_without_a_count_by_address_a_guest_with_all_keeps_others_out(few, remote_harness, monkeypatch):
    monkeypatch.setattr(entrance, "network_of", lambda host: "everybody")
    lines = await fill(remote_harness.gateway.address, 24)
    other = await Line.open(remote_harness.gateway.address, OTHER)
    await other.ends()
    assert await lines[-1].is_answered()
    for line in (*lines, other):
        line.close()


async def test_a_bot_that_is_connected_stays_and_takes_no_place(few, remote_harness):
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot:
        lines = await fill(remote_harness.gateway.address, 40)
        assert bot.welcome is not None
        ((name, _stream),) = remote_harness.bots.connected
        assert name == NAMES[0]
        for line in lines:
            line.close()
        assert [name for name, _ in remote_harness.bots.connected] == [NAMES[0]]


async def test_connections_without_a_call_end_where_all_places_are_taken(few, remote_harness, monkeypatch):
    monkeypatch.setattr(entrance, "SILENT_SECONDS", 0.5)
    lines = await fill(remote_harness.gateway.address, 24)
    await asyncio.gather(*(line.ends() for line in lines))
    for line in lines:
        line.close()
    remote_harness.admit(*NAMES)
    async with remote_harness.bot() as bot:
        assert bot.welcome is not None


async def test_thirty_five_bots_behind_one_address_are_all_welcome(remote_harness):
    names = [f"ann/bot-{number}@1" for number in range(35)]
    remote_harness.admit(*names)
    async with asyncio.TaskGroup() as group:
        arrived = []

        async def play(name):
            async with remote_harness.bot(name=name) as bot:
                arrived.append(bot.welcome)
                await wait_until_async(lambda: len(arrived) == 35)

        for name in names:
            group.create_task(play(name))
    assert None not in arrived


async def test_refusals_are_counted_by_the_address_of_the_visitor(remote_harness):
    at_the_entrance = remote_harness.gateway._entrance
    line = await Line.open(remote_harness.gateway.address, OTHER)
    assert await line.is_answered()
    assert {at_the_entrance.address_of(f"ipv4:127.0.0.1:{port}") for port in at_the_entrance._by_port} == {
        f"ipv4:{OTHER}:0"
    }
    assert at_the_entrance.address_of("ipv4:192.0.2.1:5") == "ipv4:192.0.2.1:5"
    line.close()


def test_a_taken_address_leaves_no_thread_behind():
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="address"):
        entrance.Entrance().listen("127.0.0.1", taken.getsockname()[1])


def test_connections_that_come_as_the_entrance_ends_leave_no_socket_open():
    at_the_entrance, both = entrance.Entrance(), threading.Barrier(2)

    def stop():
        at_the_entrance._loop.remove_reader(out)
        at_the_entrance._stop()

    def hold_up():
        at_the_entrance._loop.add_reader(out, stop)
        both.wait()
        both.wait()

    with socket.create_server(("127.0.0.1", 0), backlog=64) as inner, ExitStack() as sockets:
        at_the_entrance.inner_port = inner.getsockname()[1]
        port = at_the_entrance.listen("127.0.0.1", 0)
        bell, out = (sockets.enter_context(end) for end in socket.socketpair())
        at_the_entrance._loop.call_soon_threadsafe(hold_up)
        both.wait()
        for _ in range(40):
            sockets.enter_context(socket.create_connection(("127.0.0.1", port)))
        bell.send(b"1")
        both.wait()
        at_the_entrance._thread.join()
    gc.collect()  # pytest fails a test that loses an open socket
