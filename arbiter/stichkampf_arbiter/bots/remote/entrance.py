"""The entrance of remote bots: their connections, before and while gRPC serves them.

gRPC closes each new connection where it has as many as it may, and tells a program nothing of those on which
no call comes. So a thread of the arbiter accepts connections and passes their bytes on. A connection without
the stream of a bot holds one of a fixed number of places; where all are taken, the newest of the address that
has most ends, and so do those that have had no stream for some seconds.
"""

from __future__ import annotations

import asyncio
import resource
import threading
from collections import defaultdict
from typing import Any, cast

from stichkampf.addresses import greediest, network_of

from stichkampf_arbiter.connection.passing import Passing

PLACES = 512
"""Connections without a bot's stream."""
SILENT_SECONDS = 5.0
LOOK_SECONDS = 1.0
LAST_WORDS_SECONDS = 1.0
FILES = 8192
"""Open files that the process may need: three a connection."""


class Entrance:
    """A listener in a thread of its own, which passes connections on to a port of this machine."""

    def __init__(self) -> None:
        self._thread = threading.Thread(target=self._run, name="entrance", daemon=True)
        self._server: asyncio.Server | None = None
        self.ends: set[Passing] = set()
        """Both ends of every connection that is open."""
        self._by_port: dict[int, Arrival] = {}
        self._waiting: defaultdict[str, dict[Arrival, None]] = defaultdict(dict)  # oldest first
        self.inner_port = 0

    _loop: asyncio.AbstractEventLoop

    def listen(self, host: str, port: int) -> int:
        """Open the socket; return its port.

        :raises OSError: the address is taken, or none of this machine.
        """
        _allow_files()
        self._loop = asyncio.new_event_loop()
        self._thread.start()
        opened = asyncio.run_coroutine_threadsafe(self._listen(host, port), self._loop)
        try:
            return opened.result()
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close the socket, and end all connections after a moment in which they pass on their last words."""
        if not self._thread.is_alive():
            return
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join()

    def address_of(self, peer: str) -> str:
        """Return the peer of a call, as gRPC writes it, with the address from which it really comes."""
        arrival = self._by_port.get(_port_of(peer))
        if arrival is None:
            return peer
        return f"ipv6:[{arrival.host}]:0" if ":" in arrival.host else f"ipv4:{arrival.host}:0"

    def serves_bot(self, peer: str, serves: bool) -> None:
        """Say of the connection of a call whether a bot has its stream there."""
        self._loop.call_soon_threadsafe(self._set_served, _port_of(peer), serves)

    def add(self, arrival: Arrival) -> None:
        """Give a connection a place, and end who has to go for it."""
        self._waiting[arrival.network][arrival] = None
        if self._taken > PLACES:
            counts = {name: len(held) for name, held in self._waiting.items() if held}
            most = greediest(counts, arrival.network)
            next(reversed(self._waiting[most])).end()

    def leave(self, arrival: Arrival) -> None:
        held = self._waiting[arrival.network]
        held.pop(arrival, None)
        if not held:
            del self._waiting[arrival.network]

    def passed_on(self, arrival: Arrival, port: int) -> None:
        self._by_port[port] = arrival

    def ended(self, port: int) -> None:
        self._by_port.pop(port, None)

    @property
    def _taken(self) -> int:
        return sum(map(len, self._waiting.values()))

    def _set_served(self, port: int, serves: bool) -> None:
        arrival = self._by_port.get(port)
        if arrival is None:
            return
        if serves:
            self.leave(arrival)
        else:
            arrival.since = self._loop.time()
            self.add(arrival)

    def _look(self) -> None:
        if self._taken >= PLACES:
            before = self._loop.time() - SILENT_SECONDS
            for arrival in [each for held in self._waiting.values() for each in held if each.since < before]:
                arrival.end()
        self._loop.call_later(LOOK_SECONDS, self._look)

    async def _listen(self, host: str, port: int) -> int:
        self._server = await self._loop.create_server(
            lambda: Arrival(self), host or None, port, backlog=PLACES
        )
        self._look()
        return cast("int", self._server.sockets[0].getsockname()[1])

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.run_until_complete(self._end_all())
        self._loop.close()

    async def _end_all(self) -> None:
        """Break off all connections, and wait until their sockets are closed."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        while self.ends or len(asyncio.all_tasks()) > 1:
            for end in self.ends:
                end.transport.abort()
            await asyncio.sleep(0)

    def _stop(self) -> None:
        if self._server is not None:
            for listener in self._server.sockets:
                self._loop.remove_reader(listener.fileno())
        # asyncio never closes a connection whose server closed between its acceptance and its first task
        self._loop.call_soon(self._close_server)

    def _close_server(self) -> None:
        if self._server is not None:
            self._server.close()
        self._finish(self._loop.time() + LAST_WORDS_SECONDS)

    def _finish(self, until: float) -> None:
        """End with the last connection, each of which ends with gRPC's own, or when the time is over."""
        left = [*self._by_port.values(), *(each for held in self._waiting.values() for each in held)]
        if left and self._loop.time() < until:
            self._loop.call_later(0.02, self._finish, until)
            return
        self._loop.stop()


class Arrival(Passing):
    """A connection from outside.

    :ivar host: from which it comes.
    :ivar since: when it came, or last lost the stream of a bot.
    """

    def __init__(self, entrance: Entrance) -> None:
        super().__init__(entrance.ends)
        self._entrance = entrance
        self._port = 0
        self._task: asyncio.Task[Any] | None = None
        self._early = b""

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self._early += data
            self.transport.pause_reading()
        else:
            super().data_received(data)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        loop = asyncio.get_running_loop()
        peer = transport.get_extra_info("peername")
        self.host = str(peer[0]) if peer else ""
        self.network, self.since = network_of(self.host), loop.time()
        self._task = loop.create_task(self._pass_on(loop))
        self._entrance.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._task is not None:
            self._task.cancel()
        self._entrance.leave(self)
        self._entrance.ended(self._port)

    def end(self) -> None:
        self._entrance.leave(self)
        self.transport.abort()

    async def _pass_on(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            transport, _ = await loop.create_connection(
                lambda: _Inner(self._entrance, self), "127.0.0.1", self._entrance.inner_port
            )
        except OSError:
            self.transport.abort()
            return
        if self.transport.is_closing():
            transport.close()
            return
        self._port = transport.get_extra_info("sockname")[1]
        self._entrance.passed_on(self, self._port)
        if self._early:
            transport.write(self._early)
            self._early = b""
            self.transport.resume_reading()


class _Inner(Passing):
    """A connection to gRPC, which may speak first."""

    def __init__(self, entrance: Entrance, arrival: Arrival) -> None:
        super().__init__(entrance.ends)
        self.other = arrival

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert self.other is not None
        self.other.other = self


def _port_of(peer: str) -> int:
    port = peer.rpartition(":")[2]
    return int(port) if port.isdigit() else 0


def _allow_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
