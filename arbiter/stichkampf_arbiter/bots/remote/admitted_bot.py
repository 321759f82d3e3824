"""An admitted remote bot, connected or awaited."""

from __future__ import annotations

import asyncio
import logging
from itertools import count
from math import inf
from time import monotonic

import grpc
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.bots.remote.stream import CutOffError, RemoteStream

log = logging.getLogger(__name__)

# Several times the calls that a bot with the SDK can make while it reconnects, even with a second process.
MAX_CALLS = 100
CALLS_SECONDS = 60.0
BAN_SECONDS = 60.0


class AdmittedBot:
    """A remote bot that may connect.

    :ivar numbers: numbers for its tables, over all its streams, so that an old answer never meets a new
        table.
    :ivar arrived: start of its last stream, on the monotonic clock.
    :ivar admitted: false once it may not connect any more.
    :ivar waiting: number of matches that wait for it.
    """

    def __init__(self, name: str, digest: bytes) -> None:
        self.name = name
        self.digest = digest
        self.numbers = count(1)
        self.arrived = -inf
        self.admitted = True
        self.waiting = 0
        self._plays_no_more = ""
        self._calls = 0
        self._calls_since = -inf
        self._banned_until = -inf
        self._stream: RemoteStream | None = None
        self._changed = asyncio.Event()

    @property
    def stream(self) -> RemoteStream | None:
        """Its open stream; None while the bot is not connected."""
        return None if self._stream is None or self._stream.closed else self._stream

    @property
    def has_tables(self) -> bool:
        """True if it plays, or a match waits for it."""
        return self.waiting > 0 or (self.stream is not None and bool(self.stream.tables))

    def arrive(self, stream: RemoteStream) -> None:
        """Note its new stream, and wake the matches that wait for it."""
        self._stream, self.arrived = stream, stream.since
        if self._plays_no_more:
            self._send_standing(stream)
        self._changed.set()

    def tell_standing(self, plays_no_more: str) -> None:
        """Tell it why it gets no further tables, now and on its next streams; empty once it does again."""
        if plays_no_more != self._plays_no_more:
            self._plays_no_more = plays_no_more
            if self.stream is not None:
                self._send_standing(self.stream)

    def _send_standing(self, stream: RemoteStream) -> None:
        stream.send(pb.ToBot(standing=pb.Standing(plays_no_more=self._plays_no_more)))

    @property
    def is_banned(self) -> bool:
        """True if it violated the protocol less than a minute ago, so that it may not connect."""
        return monotonic() < self._banned_until

    def note_call(self) -> None:
        """Count a call with its token, and ban the bot if it makes too many within a minute."""
        now = monotonic()
        if now - self._calls_since > CALLS_SECONDS:
            self._calls, self._calls_since = 0, now
        self._calls += 1
        if self._calls == MAX_CALLS + 1:
            log.warning("%s makes more than %d calls within %g seconds", self.name, MAX_CALLS, CALLS_SECONDS)
            self.ban(f"more than {MAX_CALLS} calls within {CALLS_SECONDS:g} seconds; one is enough")

    def ban(self, reason: str) -> None:
        """End its stream, if it has one, and refuse it for a minute: it violated the protocol."""
        self._banned_until = monotonic() + BAN_SECONDS
        if self.stream is not None:
            self.stream.violated_protocol = True
            self.stream.cut(CutOffError(grpc.StatusCode.RESOURCE_EXHAUSTED, reason))

    def disconnect(self, reason: str) -> None:
        """End its stream, if it has one."""
        if self.stream is not None:
            self.stream.cut(CutOffError(grpc.StatusCode.UNAUTHENTICATED, reason))

    def remove(self) -> None:
        """Disconnect it for good, and stop all waits for it."""
        self.admitted = False
        self.disconnect("this bot may play no longer; its author can make a new token")
        self._changed.set()

    async def stream_within(self, seconds: float) -> RemoteStream | None:
        """Return its stream as soon as it is connected; None if that takes too long, or it was removed."""
        self.waiting += 1
        try:
            async with asyncio.timeout(seconds):
                while self.admitted:
                    if self.stream is not None:
                        return self.stream
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            pass
        finally:
            self.waiting -= 1
        return None
