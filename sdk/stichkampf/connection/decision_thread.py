"""The thread on which the bots of a process decide, and what it has to say to the arbiter."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import Any

from stichkampf.connection.open_tables import OpenTables
from stichkampf.errors import StichkampfError
from stichkampf.wire.v1 import bot_pb2 as pb


@dataclass(eq=False)
class Stream:
    """What is still to be said on one stream.

    :ivar closed: nobody listens any more.
    """

    outbox: asyncio.Queue[pb.FromBot] = field(default_factory=asyncio.Queue)
    closed: bool = False

    async def say_all(self, call: Any) -> None:
        """The only writer of the stream: gRPC bears no second one."""
        while True:
            await call.write(await self.outbox.get())


class Thinker:
    """The one thread on which bots decide.

    :param tables: changed by this thread alone.
    """

    def __init__(self, tables: OpenTables) -> None:
        self._tables = tables
        self._loop = asyncio.get_running_loop()
        self._heard: SimpleQueue[tuple[Stream, Sequence[pb.TableUpdate]]] = SimpleQueue()
        # A daemon: a bot that never stops thinking must not keep the program from ending.
        self._thread = Thread(target=self._run, name="bots", daemon=True)
        self._thread.start()

    def hear(self, stream: Stream, updates: Sequence[pb.TableUpdate]) -> None:
        """Let the bots answer these on that stream. With its first ones the stream before is done with.

        :raises StichkampfError: the thread has ended by an error, and has printed it.
        """
        if not self._thread.is_alive():
            raise StichkampfError("the thread of the bots has ended by the error above")
        self._heard.put((stream, updates))

    def _run(self) -> None:
        current = None
        while True:
            stream, updates = self._heard.get()
            if stream.closed:
                continue
            if stream is not current:
                self._tables.lose()
                current = stream
            for message in self._tables.work_off(updates):
                with suppress(RuntimeError):  # the loop is closed, the program ends
                    self._loop.call_soon_threadsafe(stream.outbox.put_nowait, message)
                if stream.closed:
                    break
