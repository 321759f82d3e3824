"""The threads on which the bots of a process decide, and the queue of their answers."""

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
from stichkampf.wire.messages import Message
from stichkampf.wire.v1 import bot_pb2 as pb


@dataclass(eq=False)
class Outbox:
    """Messages that wait to be written to one stream.

    :ivar closed: the stream has ended.
    """

    messages: asyncio.Queue[Message] = field(default_factory=asyncio.Queue)
    closed: bool = False

    async def write_all(self, call: Any) -> None:
        """Write every message, until cancelled. A stream takes one writer: gRPC allows no second one."""
        while True:
            await call.write(await self.messages.get())


class DecisionThread:
    """A thread on which bots decide, one after the other.

    :param tables: changed by this thread alone.
    """

    def __init__(self, tables: OpenTables) -> None:
        self._tables = tables
        self._loop = asyncio.get_running_loop()
        self._added = 0
        self._handled = 0
        self._updates: SimpleQueue[tuple[Outbox, Sequence[pb.TableUpdate] | None]] = SimpleQueue()
        # A daemon: a bot that never stops thinking must not keep the program from ending.
        self._thread = Thread(target=self._run, name="bots", daemon=True)
        self._thread.start()

    def add(self, outbox: Outbox, updates: Sequence[pb.TableUpdate] | None) -> None:
        """Let the bots answer these updates on that stream. The first ones of a stream end the one before.

        :param updates: None once the stream takes up no more tables of the one before.
        :raises StichkampfError: the thread has ended by an error, and has printed it.
        """
        if not self._thread.is_alive():
            raise StichkampfError("the thread of the bots has ended by the error above")
        self._added += 1
        self._updates.put((outbox, updates))

    @property
    def idle(self) -> bool:
        """True while the bots have seen, and answered, all updates."""
        return self._handled == self._added

    def _run(self) -> None:
        current = None
        while True:
            outbox, updates = self._updates.get()
            if not outbox.closed:
                if outbox is not current:
                    self._tables.connection_lost()
                    current = outbox
                self._answer(outbox, updates)
            self._handled += 1

    def _answer(self, outbox: Outbox, updates: Sequence[pb.TableUpdate] | None) -> None:
        if updates is None:
            self._tables.give_up_lost()
            return
        for message in self._tables.process_updates(updates):
            with suppress(RuntimeError):  # the loop is closed, the program ends
                self._loop.call_soon_threadsafe(outbox.messages.put_nowait, message)
            if outbox.closed:
                break


class DecisionThreads:
    """The threads on which bots decide. All questions of a table are answered on the same one.

    :param tables: a part for each thread.
    """

    def __init__(self, tables: Sequence[OpenTables]) -> None:
        self._threads = [DecisionThread(part) for part in tables]

    def add(self, outbox: Outbox, updates: Sequence[pb.TableUpdate] | None) -> None:
        """Let the bots answer these updates on that stream. The first ones of a stream end the one before.

        :param updates: None once the stream takes up no more tables of the one before.
        :raises StichkampfError: a thread has ended by an error, and has printed it.
        """
        for number, thread in enumerate(self._threads):
            # A table keeps its number on the next stream, and so its thread, which has its bot.
            own = updates and [one for one in updates if one.table % len(self._threads) == number]
            thread.add(outbox, own)

    @property
    def idle(self) -> bool:
        """True while the bots have seen, and answered, all updates."""
        return all(thread.idle for thread in self._threads)
