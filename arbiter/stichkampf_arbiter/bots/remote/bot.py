"""A remote bot: there, or away and awaited."""

from __future__ import annotations

import asyncio
import logging
from itertools import count
from math import inf
from time import monotonic

import grpc

from stichkampf_arbiter.bots.remote.stream import CutOffError, RemoteStream

log = logging.getLogger(__name__)

# Several times what a bot that comes back as the SDK does can make, even beside a second process of it.
MAX_CALLS = 100
CALLS_SECONDS = 60.0
BARRED_SECONDS = 60.0


class RemoteBot:
    """A remote bot that may come in.

    :ivar numbers: of its tables, over all its streams, so that an old answer never meets a new table.
    :ivar arrived: when its last stream began, on the monotonic clock.
    :ivar admitted: false once it may come in no more.
    :ivar waiting: matches that wait for it.
    """

    def __init__(self, name: str, digest: bytes) -> None:
        self.name = name
        self.digest = digest
        self.numbers = count(1)
        self.arrived = -inf
        self.admitted = True
        self.waiting = 0
        self._calls = 0
        self._calls_since = -inf
        self._barred_until = -inf
        self._stream: RemoteStream | None = None
        self._news = asyncio.Event()

    @property
    def stream(self) -> RemoteStream | None:
        """The stream that lives; None while the bot is away."""
        return None if self._stream is None or self._stream.closed else self._stream

    @property
    def has_tables(self) -> bool:
        """Whether it plays, or a match waits for it."""
        return self.waiting > 0 or (self.stream is not None and bool(self.stream.tables))

    def arrive(self, stream: RemoteStream) -> None:
        """It is there, on a new stream. Those who wait for it go on."""
        self._stream, self.arrived = stream, stream.since
        self._news.set()

    @property
    def barred(self) -> bool:
        """Whether it broke the rules so lately that it is not let in."""
        return monotonic() < self._barred_until

    def note_call(self) -> None:
        """Count a call with its token. A bot that makes one too many within a minute is barred."""
        now = monotonic()
        if now - self._calls_since > CALLS_SECONDS:
            self._calls, self._calls_since = 0, now
        self._calls += 1
        if self._calls == MAX_CALLS + 1:
            log.warning("%s makes call after call", self.name)
            self.bar(f"more than {MAX_CALLS} calls within {CALLS_SECONDS:g} seconds; one is enough")

    def bar(self, reason: str) -> None:
        """It broke the rules: end its stream, if it has one, and let it in no more for a minute."""
        self._barred_until = monotonic() + BARRED_SECONDS
        if self.stream is not None:
            self.stream.broke_rules = True
            self.stream.cut(CutOffError(grpc.StatusCode.RESOURCE_EXHAUSTED, reason))

    def send_away(self, reason: str) -> None:
        """End its stream, if it has one."""
        if self.stream is not None:
            self.stream.cut(CutOffError(grpc.StatusCode.UNAUTHENTICATED, reason))

    def strike_off(self) -> None:
        """It may come in no more. Nobody waits for it any longer."""
        self.admitted = False
        self.send_away("this bot may play no longer; its author can make a new token")
        self._news.set()

    async def stream_within(self, seconds: float) -> RemoteStream | None:
        """Its stream as soon as it is there; None if that takes too long, or it may come in no more."""
        self.waiting += 1
        try:
            async with asyncio.timeout(seconds):
                while self.admitted:
                    if self.stream is not None:
                        return self.stream
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            pass
        finally:
            self.waiting -= 1
        return None
