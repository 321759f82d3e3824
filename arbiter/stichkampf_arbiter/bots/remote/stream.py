"""The stream of a remote bot: measured by pings, ended from outside, and resumed by another stream."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, count, repeat
from time import monotonic

import grpc
import grpc.aio
from stichkampf.timing.pending import PendingDecision
from stichkampf.timing.time_accounts import WallAccount
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.bots.remote.latency import RoundTrip
from stichkampf_arbiter.connection.stream import BotStream

RESUME_TOKEN_BYTES = 16
FIRST_PAUSES_SECONDS = (0.1, 0.1, 0.3, 0.5, 1.0)
# HTTP/2 notices a silent loss of the connection within this time: a stream that ends now was alive that long
# ago, even if its bot answers no pings.
KEEPALIVE_SECONDS = 5.0
KEEPALIVE_TIMEOUT_SECONDS = 5.0
NOTICED_SECONDS = KEEPALIVE_SECONDS + KEEPALIVE_TIMEOUT_SECONDS + 2.0


class CutOffError(Exception):
    """The arbiter ends the stream of a remote bot.

    :ivar code: status that is sent to the bot, with the message.
    """

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class RemoteStream(BotStream):
    """One connection of a remote bot.

    :param numbers: numbers for its tables, which continue over all streams of a bot.
    :ivar resume_token: lets the next stream of the bot replace this one while it seems to be alive.
    :ivar alive: last sign of life, on the monotonic clock.
    :ivar ended: set once its listeners know that it is lost.
    :ivar leaving: the bot ends as soon as its open tables have ended, and wants no further one.
    """

    ping_seconds = 2.0
    """The pause from one measurement to the next."""
    pong_seconds: float | None = None
    """The most that an answer to a ping may take; None where the connection's own keepalive is enough."""

    def __init__(
        self,
        context: grpc.aio.ServicerContext[bytes, bytes],
        hello: pb.Hello,
        arrival: Callable[[], float],
        numbers: Iterator[int],
    ) -> None:
        self._round_trip = RoundTrip()
        account = WallAccount(self._round_trip.allowance_seconds)
        super().__init__(context, hello, arrival, account, numbers)
        self.resume_token = secrets.token_bytes(RESUME_TOKEN_BYTES)
        self.ended = asyncio.Event()
        self.leaving = False
        self.alive = self.since
        self._ping = 0
        self._pinged = 0.0
        self._ponged = asyncio.Event()
        self._ping_now = asyncio.Event()
        self._suspect: PendingDecision | None = None
        self._suspected = 0.0

    @property
    def latency_seconds(self) -> float:
        """The measured round trip; 0 before the first measurement."""
        return self._round_trip.seconds

    async def serve(self) -> None:
        """Run the stream, and measure it, until either side ends it.

        :raises CutOffError: it was cut off.
        """
        pinging = asyncio.ensure_future(self._keep_pinging())
        try:
            await super().serve()
        finally:
            pinging.cancel()
            self.ended.set()

    def _last_sign_of_life(self) -> float:
        # The connection was lost at an unknown moment after this.
        self.alive = max(self.alive, monotonic() - NOTICED_SECONDS)
        return self.alive

    async def _keep_pinging(self) -> None:
        """Send one ping at a time: the first ones quickly, so that first questions are charged correctly."""
        pauses = chain(FIRST_PAUSES_SECONDS, repeat(self.ping_seconds))
        for self._ping, pause in zip(count(1), pauses, strict=False):
            self._ponged.clear()
            self._pinged = monotonic()
            self.send(pb.ToBot(ping=pb.Ping(number=self._ping)))
            try:
                async with asyncio.timeout(self.pong_seconds):
                    await self._ponged.wait()
            except TimeoutError:
                told = f"no sign of life for {self.pong_seconds:.0f} s"
                self.cut(CutOffError(grpc.StatusCode.ABORTED, told))
                return
            self._ping_now.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._ping_now.wait()

    def _connection_is_alive(self, overdue: PendingDecision, now: float) -> bool:
        """Tell whether the bot gave a sign of life after the deadline, or gave none for long.

        Otherwise the connection may be lost, and the question waits with the table. A late answer is too late
        all the same.
        """
        if self._suspect is not overdue:
            self._suspect, self._suspected = overdue, now
            self._ping_now.set()
        return self.alive > self._suspected or now - self.alive > NOTICED_SECONDS

    def _note_sign_of_life(self, arrival: float) -> None:
        self.alive = max(self.alive, arrival)

    def _take_leave(self) -> None:
        self.leaving = True
        self.tables_at_once = 0
        self.drain(0.0)

    def _take_pong(self, number: int, arrival: float) -> None:
        if number == self._ping and not self._ponged.is_set():
            self._round_trip.note(max(0.0, arrival - self._pinged))
            self._ponged.set()
