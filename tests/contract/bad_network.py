"""A bad network: a TCP proxy that delays, jitters, holds, swallows and cuts its data."""

import asyncio
import random
import socket
import struct
from contextlib import suppress
from threading import Thread

CHUNK_BYTES = 64 * 1024


class Way:
    """One direction of one connection. Chunks keep their order, as in TCP, whatever their delays."""

    def __init__(self, network, reader, writer):
        self.swallows = False
        self._network = network
        self._reader = reader
        self._writer = writer
        self._chunks = asyncio.Queue()

    async def carry(self):
        """Carry data until either end closes its side."""
        reading = asyncio.ensure_future(self._read())
        with suppress(OSError):
            while True:
                due, chunk = await self._chunks.get()
                await asyncio.sleep(due - asyncio.get_running_loop().time())
                self._network.note_lag(asyncio.get_running_loop().time() - due)
                await self._network.flowing.wait()
                if not chunk and not self.swallows:
                    break
                if not self.swallows:
                    self._writer.write(chunk)
                    await self._writer.drain()
        await reading

    async def _read(self):
        chunk = b"x"
        while chunk:
            try:
                chunk = await self._reader.read(CHUNK_BYTES)
            except OSError:
                chunk = b""
            due = asyncio.get_running_loop().time() + self._network.delay()
            await self._chunks.put((due, chunk))


class BadNetwork:
    """A proxy that listens on a port of this machine and passes every connection on to another port.

    :param port: destination port.
    :param seed: seed of its jitter.
    :ivar port: port on which it listens.
    :ivar delay_seconds: delay of every chunk, each way.
    :ivar jitter_seconds: largest further delay of a chunk, uniformly distributed.
    :ivar lag_seconds: longest time by which a busy machine delayed a chunk beyond both.
    """

    def __init__(self, port, seed=1):
        self.delay_seconds = 0.0
        self.jitter_seconds = 0.0
        self.lag_seconds = 0.0
        self.flowing = asyncio.Event()
        self._leads_to = port
        self._chance = random.Random(seed)
        self._ways = []
        self._writers = []
        self._refuses = False
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self._over = asyncio.Event()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._do(self._over.set)
        self._thread.join()
        self._loop.close()

    def delay(self):
        return self.delay_seconds + self._chance.uniform(0, self.jitter_seconds)

    def note_lag(self, seconds):
        self.lag_seconds = max(self.lag_seconds, seconds)

    def cut(self):
        """Reset all connections. New ones are refused until `mend`."""
        self._do(self._cut)

    def mend(self):
        """Accept connections again, and release held data."""
        self._do(self._mend)

    def hold(self):
        """Hold all data back until `mend`."""
        self._do(self.flowing.clear)

    def swallow(self):
        """Silently drop all further data of the existing connections. New ones work."""
        self._do(self._swallow)

    def _do(self, callback):
        self._loop.call_soon_threadsafe(callback)

    def _cut(self):
        self._refuses = True
        for writer in self._writers:
            reset(writer)

    def _mend(self):
        self._refuses = False
        self.flowing.set()

    def _swallow(self):
        for way in self._ways:
            way.swallows = True

    async def _serve(self):
        self.flowing.set()
        carrying = set()

        def connected(reader, writer):
            task = asyncio.ensure_future(self._connect(reader, writer))
            carrying.add(task)
            task.add_done_callback(carrying.discard)

        server = await asyncio.start_server(connected, sock=self._socket)
        await self._over.wait()
        server.close()
        # A connection that the server has just accepted is handed on first.
        for _ in range(5):
            await asyncio.sleep(0)
        self._cut()
        for task in list(carrying):
            task.cancel()
        await asyncio.gather(*carrying, return_exceptions=True)

    async def _connect(self, reader, writer):
        """Carry one connection until either end or the network ends it."""
        ends, carrying = [writer], []
        self._writers.append(writer)
        try:
            if not self._refuses:
                onward, back = await asyncio.open_connection("127.0.0.1", self._leads_to)
                ends.append(back)
                self._writers.append(back)
                ways = [Way(self, reader, back), Way(self, onward, writer)]
                self._ways += ways
                carrying += [asyncio.ensure_future(way.carry()) for way in ways]
                await asyncio.wait(carrying, return_when=asyncio.FIRST_COMPLETED)
            else:
                reset(writer)
        except OSError:
            reset(writer)
        finally:
            for task in carrying:
                task.cancel()
            await asyncio.gather(*carrying, return_exceptions=True)
            for end in ends:
                self._writers.remove(end)
                end.close()
            await asyncio.gather(*(end.wait_closed() for end in ends), return_exceptions=True)


def reset(writer):
    """Reset a connection."""
    end = writer.get_extra_info("socket")
    if end.fileno() != -1:  # else it has ended by itself, just now
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
