"""The remote bots that may come in, and those who are there."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from stichkampf.wire.agreed import remote_bots_sha256

from stichkampf_arbiter.bots.remote.bot import RemoteBot
from stichkampf_arbiter.bots.remote.seat import RemoteSeat
from stichkampf_arbiter.bots.remote.stream import RemoteStream

log = logging.getLogger(__name__)


class RemoteBots:
    """All remote bots that may come in.

    :param outage_seconds: the longest wait for one of them.
    :param absence_seconds: all waits in one match together.
    :ivar sha256: of the set in force; empty before there is one.
    """

    def __init__(self, *, outage_seconds: float, absence_seconds: float) -> None:
        self._outage_seconds = outage_seconds
        self._absence_seconds = absence_seconds
        self.sha256 = ""
        self._by_name: dict[str, RemoteBot] = {}
        self._by_digest: dict[bytes, RemoteBot] = {}

    def admit(self, digests: Mapping[str, bytes]) -> None:
        """Put a set of bots, with the digests of their tokens, in the place of the one in force."""
        for name, bot in list(self._by_name.items()):
            if name not in digests:
                bot.strike_off()
                del self._by_name[name]
            elif bot.digest != digests[name]:
                bot.digest = digests[name]
                bot.send_away("this bot has a new token; connect with that one")
        for name, digest in digests.items():
            if name not in self._by_name:
                self._by_name[name] = RemoteBot(name, digest)
        self._by_digest = {bot.digest: bot for bot in self._by_name.values()}
        self.sha256 = remote_bots_sha256(digests)
        log.info("%d remote bots may come in", len(digests))

    def get(self, name: str) -> RemoteBot | None:
        return self._by_name.get(name)

    def seat(self, name: str) -> RemoteSeat:
        """A seat in a match for a bot that may come in."""
        return RemoteSeat(
            self._by_name[name],
            outage_seconds=self._outage_seconds,
            absence_seconds=self._absence_seconds,
        )

    def of_token(self, digest: bytes) -> RemoteBot | None:
        """The bot whose token has this digest. Looking up digests tells nothing about tokens by its time."""
        return self._by_digest.get(digest)

    @property
    def connected(self) -> list[tuple[str, RemoteStream]]:
        """The bots that are there, by name."""
        return [(name, bot.stream) for name, bot in self._by_name.items() if bot.stream is not None]
