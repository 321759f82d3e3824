"""The stream of a remote bot: measured by pings, cut off from outside, and taken up again by another."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, count, repeat
from time import monotonic

import grpc
import grpc.aio
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.bots.remote.latency import RemoteAccount, RoundTrip
from stichkampf_arbiter.connection.pending import Asked
from stichkampf_arbiter.connection.stream import BotStream

RESUME_TOKEN_BYTES = 16
PING_SECONDS = 2.0
FIRST_PAUSES_SECONDS = (0.1, 0.1, 0.3, 0.5, 1.0)
# HTTP/2 notices a silent loss of the line after so long at most: a stream that ends now was alive so long
# ago, even if its bot answers no pings.
KEEPALIVE_SECONDS = 5.0
KEEPALIVE_TIMEOUT_SECONDS = 5.0
NOTICED_SECONDS = KEEPALIVE_SECONDS + KEEPALIVE_TIMEOUT_SECONDS + 2.0


class CutOffError(Exception):
    """The arbiter ends the stream of a remote bot.

    :ivar code: the status that the bot is told, with the message.
    """

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class RemoteStream(BotStream):
    """One connection of a remote bot.

    :param numbers: of its tables; they go on over all streams of a bot.
    :ivar resume_token: lets the next stream of the bot take the place of this one while it seems to live.
    :ivar alive: the last sign of life, on the monotonic clock.
    :ivar ended: resolves when its tables have been told that it is gone.
    """

    def __init__(
        self,
        context: grpc.aio.ServicerContext[bytes, bytes],
        hello: pb.Hello,
        arrival: Callable[[], float],
        numbers: Iterator[int],
    ) -> None:
        self._round_trip = RoundTrip()
        super().__init__(context, hello, arrival, RemoteAccount(self._round_trip), numbers)
        self.resume_token = secrets.token_bytes(RESUME_TOKEN_BYTES)
        self.ended = asyncio.Event()
        self.alive = self.since
        self._ping = 0
        self._pinged = 0.0
        self._ponged = asyncio.Event()
        self._hurry = asyncio.Event()
        self._suspect: Asked | None = None
        self._suspected = 0.0

    @property
    def latency_seconds(self) -> float:
        """The round trip, measured; 0 before the first measurement."""
        return self._round_trip.seconds

    async def serve(self) -> None:
        """Carry the stream, and measure it, until either side ends it.

        :raises CutOffError: it was cut off.
        """
        pinging = asyncio.ensure_future(self._keep_pinging())
        try:
            await super().serve()
        finally:
            pinging.cancel()
            self.ended.set()

    def _last_sign(self) -> float:
        """Nobody knows when after the last sign of life the line was lost."""
        self.alive = max(self.alive, monotonic() - NOTICED_SECONDS)
        return self.alive

    async def _keep_pinging(self) -> None:
        """Ping, one at a time: a few quickly, so that the first questions can be charged rightly."""
        pauses = chain(FIRST_PAUSES_SECONDS, repeat(PING_SECONDS))
        for self._ping, pause in zip(count(1), pauses, strict=False):
            self._ponged.clear()
            self._pinged = monotonic()
            self.say(pb.ToBot(ping=pb.Ping(number=self._ping)))
            await self._ponged.wait()
            self._hurry.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._hurry.wait()

    def _line_is_sure(self, overdue: Asked, now: float) -> bool:
        """A question times out only with a sign of life after it was due, or where one is long missing.

        On a line that is lost without a word, the question waits with the table. An answer after its time is
        too late all the same.
        """
        if self._suspect is not overdue:
            self._suspect, self._suspected = overdue, now
            self._hurry.set()
        return self.alive > self._suspected or now - self.alive > NOTICED_SECONDS

    def _heard(self, arrival: float) -> None:
        self.alive = max(self.alive, arrival)

    def _take_pong(self, number: int, arrival: float) -> None:
        if number == self._ping and not self._ponged.is_set():
            self._round_trip.note(max(0.0, arrival - self._pinged))
            self._ponged.set()
