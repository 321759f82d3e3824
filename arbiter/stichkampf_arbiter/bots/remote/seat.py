"""The seat of a remote bot in one match, over all the streams on which it plays it."""

from __future__ import annotations

from time import monotonic

from stichkampf.faults import FaultKind

from stichkampf_arbiter.bots.remote.bot import RemoteBot
from stichkampf_arbiter.bots.remote.stream import RemoteStream


class RemoteSeat:
    """Waits for the bot, at the start of the match and after every outage, until its patience is used up.

    :param outage_seconds: the longest wait.
    :param absence_seconds: all waits together. After a loss they count from the last sign of life: a bot that
        says nothing may be gone, and must not gain from saying nothing.
    """

    def __init__(self, bot: RemoteBot, *, outage_seconds: float, absence_seconds: float) -> None:
        self._bot = bot
        self._outage_seconds = outage_seconds
        self._absence_seconds = absence_seconds
        self._stream: RemoteStream | None = None
        self._lost: RemoteStream | None = None

    async def stream(self) -> RemoteStream | None:
        """The stream of the bot; waits for it, and is None if it does not come in time."""
        return await self._wait(monotonic())

    async def come_back(self) -> RemoteStream | None:
        """The stream that takes up a table after a loss. Nobody waits for a bot that broke the rules."""
        self._lost = self._stream
        return None if self._broke_rules or self._lost is None else await self._wait(self._lost.alive)

    async def _wait(self, since: float) -> RemoteStream | None:
        patience = self._absence_seconds - (monotonic() - since)
        self._stream = None
        if patience > 0:
            self._stream = await self._bot.stream_within(min(self._outage_seconds, patience))
        self._absence_seconds -= monotonic() - since
        return self._stream

    async def why_lost(self) -> FaultKind | None:
        return FaultKind.MALFORMED if self._broke_rules else FaultKind.DISCONNECTED

    @property
    def _broke_rules(self) -> bool:
        return self._lost is not None and self._lost.broke_rules
