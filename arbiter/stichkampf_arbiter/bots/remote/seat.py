"""The seat of a remote bot in one match, over all the streams on which it plays it."""

from __future__ import annotations

from time import monotonic

from stichkampf import limits
from stichkampf.faults import FaultKind

from stichkampf_arbiter.bots.remote.admitted_bot import AdmittedBot
from stichkampf_arbiter.bots.remote.stream import RemoteStream


class RemoteSeat:
    """Waits for the bot, at the start of the match and after every outage, within a total time.

    :param outage_seconds: longest single wait.
    :param absence_seconds: longest total of all waits. After a loss a wait counts from the last sign of life:
        a silent bot may be gone, and must not gain from its silence.
    :ivar forgiven_outages: outages with a question open that cost it nothing.
    """

    def __init__(
        self,
        bot: AdmittedBot,
        *,
        outage_seconds: float,
        absence_seconds: float,
        forgiven_outages: float | None = None,
    ) -> None:
        self.forgiven_outages = limits.REMOTE_OUTAGES if forgiven_outages is None else forgiven_outages
        self._bot = bot
        self._outage_seconds = outage_seconds
        self._absence_seconds = absence_seconds
        self._stream: RemoteStream | None = None
        self._lost: RemoteStream | None = None

    async def stream(self) -> RemoteStream | None:
        """Wait for the bot and return its stream; None if it does not connect in time."""
        return await self._wait(monotonic())

    async def wait_for_reconnect(self) -> RemoteStream | None:
        """Return the stream on which a table resumes after a loss. A bot that violated the protocol is not
        awaited.
        """
        self._lost = self._stream
        return None if self._violated_protocol or self._lost is None else await self._wait(self._lost.alive)

    async def _wait(self, since: float) -> RemoteStream | None:
        patience = self._absence_seconds - (monotonic() - since)
        self._stream = None
        if patience > 0:
            self._stream = await self._bot.stream_within(min(self._outage_seconds, patience))
        self._absence_seconds -= monotonic() - since
        return self._stream

    async def why_lost(self) -> FaultKind | None:
        return FaultKind.MALFORMED if self._violated_protocol else FaultKind.DISCONNECTED

    @property
    def _violated_protocol(self) -> bool:
        return self._lost is not None and self._lost.violated_protocol
