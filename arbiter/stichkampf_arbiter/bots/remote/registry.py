"""The registry of admitted remote bots."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from stichkampf.wire.agreed import remote_bots_sha256

from stichkampf_arbiter.bots.remote.admitted_bot import AdmittedBot
from stichkampf_arbiter.bots.remote.seat import RemoteSeat
from stichkampf_arbiter.bots.remote.stream import RemoteStream

log = logging.getLogger(__name__)


class RemoteBotRegistry:
    """All remote bots that may connect.

    :param outage_seconds: longest single wait for a bot.
    :param absence_seconds: longest total of all waits for a bot in one match.
    :ivar sha256: digest of the admitted set; empty before there is one.
    """

    def __init__(self, *, outage_seconds: float, absence_seconds: float) -> None:
        self._outage_seconds = outage_seconds
        self._absence_seconds = absence_seconds
        self.sha256 = ""
        self._by_name: dict[str, AdmittedBot] = {}
        self._by_digest: dict[bytes, AdmittedBot] = {}

    def admit(self, digests: Mapping[str, bytes], reasons: Mapping[str, str] | None = None) -> None:
        """Replace the admitted set: the digests of the bots' tokens by name.

        :param reasons: why bots play no more, by name; only of those.
        """
        reasons = reasons or {}
        for name, bot in list(self._by_name.items()):
            if name not in digests:
                bot.remove()
                del self._by_name[name]
            elif bot.digest != digests[name]:
                bot.digest = digests[name]
                bot.disconnect("this bot has a new token; connect with that one")
        for name, digest in digests.items():
            if name not in self._by_name:
                self._by_name[name] = AdmittedBot(name, digest)
        for name, bot in self._by_name.items():
            bot.tell_standing(reasons.get(name, ""))
        self._by_digest = {bot.digest: bot for bot in self._by_name.values()}
        self.sha256 = remote_bots_sha256(digests, reasons)
        log.info("%d remote bots may connect", len(digests))

    def get(self, name: str) -> AdmittedBot | None:
        return self._by_name.get(name)

    def seat(self, name: str) -> RemoteSeat:
        """Return a seat in a match for an admitted bot."""
        return RemoteSeat(
            self._by_name[name],
            outage_seconds=self._outage_seconds,
            absence_seconds=self._absence_seconds,
        )

    def find_by_token(self, digest: bytes) -> AdmittedBot | None:
        """Return the bot whose token has this digest.

        The time of looking up a digest tells nothing about tokens.
        """
        return self._by_digest.get(digest)

    @property
    def connected(self) -> list[tuple[str, RemoteStream]]:
        """The connected bots: names and streams."""
        return [(name, bot.stream) for name, bot in self._by_name.items() if bot.stream is not None]
