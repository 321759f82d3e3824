"""The stream of a bot process that runs only in its turns and is frozen in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Protocol

from stichkampf.timing.time_accounts import TimeAccount
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.connection.stream import BotStream, StreamContext


class ProcessTurn(Protocol):
    """The turn of one process."""

    @property
    def is_on(self) -> bool:
        """True while the process runs."""

    def request(self) -> None:
        """Ask for a turn: the process is asked a question."""

    def release(self) -> None:
        """End the turn: the process has answered all its questions."""


class HostedStream(BotStream):
    """A stream on which nothing is sent while the process is frozen.

    The time of a question begins when it is sent, which happens while the process runs. Updates that were
    held back meanwhile go with it in one frame.
    """

    def __init__(
        self,
        context: StreamContext,
        hello: pb.Hello,
        arrival: Callable[[], float],
        account: TimeAccount,
        turn: ProcessTurn,
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
        """Go on after a pause. The time for which the process was frozen is not charged."""
        now = monotonic()
        self._open.postpone(now - self._since)
        self._busy_until = now
        self._on.set()

    def pause(self) -> None:
        """Hold back messages: the process is frozen."""
        self._since = monotonic()
        if not self._closing:
            self._on.clear()

    def close(self) -> None:
        super().close()
        self._on.set()

    def sweep(self, now: float, late_seconds: float = 0.0) -> None:
        """Fail every question past its deadline, unless the process is frozen."""
        if self._on.is_set():
            super().sweep(now, late_seconds)

    async def _wait_for_turn(self) -> None:
        await self._on.wait()

    def _request_turn(self) -> None:
        self._my_turn.request()

    def _release_turn_if_idle(self) -> None:
        if not self.is_asked and not self.closed:
            self._my_turn.release()
