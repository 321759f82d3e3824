"""Admission of remote bots: the digests of their tokens, and a limit on wrong tokens."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import unquote

from stichkampf.addresses import network_of
from stichkampf.errors import StichkampfError
from stichkampf.wire.v1 import arbiter_pb2 as pb

NAME_CHARACTERS = 200
REASON_CHARACTERS = 1_000
DIGEST_BYTES = hashlib.sha256().digest_size
SCHEME = "Bearer "
GUESSES = 5
GUESSES_SECONDS = 60.0
ADDRESSES = 4_096


class AdmissionError(StichkampfError):
    """A set of remote bots is invalid."""


def read_bots(bots: Iterable[pb.RemoteBot]) -> dict[str, bytes]:
    """Return the digests of the tokens by name.

    :raises AdmissionError: a name or a digest is invalid, or occurs twice.
    """
    digests: dict[str, bytes] = {}
    for bot in bots:
        name, digest = bot.name, bot.token_sha256
        if not name or len(name) > NAME_CHARACTERS or any(c.isspace() for c in name):
            raise AdmissionError(
                f"the name of a remote bot has 1 to {NAME_CHARACTERS} characters without spaces,"
                f" not {name!r:.220}"
            )
        if len(digest) != DIGEST_BYTES:
            raise AdmissionError(
                f"the SHA-256 of the token of {name!r} has {DIGEST_BYTES} bytes, not {len(digest)}"
            )
        if name in digests:
            raise AdmissionError(f"the remote bot {name!r} is listed twice")
        digests[name] = digest
    if len(set(digests.values())) < len(digests):
        raise AdmissionError("two remote bots have the same token; each needs its own")
    return digests


def read_reasons(bots: Iterable[pb.RemoteBot]) -> dict[str, str]:
    """Return why bots play no more, by name; only of those.

    :raises AdmissionError: a reason is too long.
    """
    reasons = {bot.name: bot.plays_no_more for bot in bots if bot.plays_no_more}
    for name, reason in reasons.items():
        if len(reason) > REASON_CHARACTERS:
            raise AdmissionError(
                f"the reason why {name!r} plays no more has at most {REASON_CHARACTERS} characters,"
                f" not {len(reason)}"
            )
    return reasons


def token_sha256(metadata: Iterable[tuple[str, str | bytes]] | None) -> bytes:
    """Return the digest of the token of a call; b"" if it has none."""
    for key, value in metadata or ():
        if key == "authorization" and isinstance(value, str) and value.startswith(SCHEME):
            return hashlib.sha256(value.removeprefix(SCHEME).encode()).digest()
    return b""


class UnknownTokens:
    """Counts unknown tokens by address, for a minute each; the memory is bounded.

    Tokens are too long to be guessed; this keeps attempts from filling time and log. A known token is
    admitted from any address: many bots share one proxy or router, and the guesses of others must not keep
    them out.
    """

    def __init__(self) -> None:
        self._counts: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def note(self, peer: str, now: float) -> bool:
        """Count one unknown token; return true if it exceeds the limit.

        :param peer: address as gRPC writes it.
        :param now: time on the monotonic clock.
        """
        address = address_of(peer)
        since, count = self._counts.pop(address, (now, 0))
        if now - since > GUESSES_SECONDS:
            since, count = now, 0
        self._counts[address] = (since, count + 1)
        while len(self._counts) > ADDRESSES:
            self._counts.popitem(last=False)
        return count >= GUESSES


def address_of(peer: str) -> str:
    """Return the address of a peer without its port; for IPv6 the network (/64) that one customer usually
    has.
    """
    host_and_port = unquote(peer).partition(":")[2]
    return network_of(host_and_port.rpartition(":")[0].strip("[]"))
