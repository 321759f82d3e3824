"""The stream of a bot process that runs only when it is its turn, and is frozen in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Protocol

import grpc.aio
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.connection.stream import BotStream
from stichkampf_arbiter.connection.time_accounts import Account


class Turn(Protocol):
    """The turn of one process."""

    @property
    def is_on(self) -> bool:
        """Whether the process runs."""

    def request(self) -> None:
        """The process is asked something."""

    def release(self) -> None:
        """The process has answered all that it was asked."""


class HostedStream(BotStream):
    """A stream on which nothing is told while the process stands still.

    The time of a question begins when it is sent, which is when the process runs. What the process missed
    meanwhile goes with it in one frame.
    """

    def __init__(
        self,
        context: grpc.aio.ServicerContext[bytes, bytes],
        hello: pb.Hello,
        arrival: Callable[[], float],
        account: Account,
        turn: Turn,
    ) -> None:
        super().__init__(context, hello, arrival, account)
        self._my_turn = turn
        self._on = asyncio.Event()
        self._since = 0.0
        if turn.is_on:
            self._on.set()
        else:
            self._since = monotonic()

    def resume(self) -> None:
        """The process runs again. What it stood still was nobody's time."""
        now = monotonic()
        self._open.postpone(now - self._since)
        self._busy_until = now
        self._on.set()

    def pause(self) -> None:
        """The process stands still."""
        self._since = monotonic()
        if not self._closing:
            self._on.clear()

    def close(self) -> None:
        super().close()
        self._on.set()

    def sweep(self, now: float, late_seconds: float = 0.0) -> None:
        """As for any stream, but nothing is overdue while the process stands still."""
        if self._on.is_set():
            super().sweep(now, late_seconds)

    async def _turn(self) -> None:
        await self._on.wait()

    def _turn_wanted(self) -> None:
        self._my_turn.request()

    def _note_idle(self) -> None:
        if not self.is_asked and not self.closed:
            self._my_turn.release()
