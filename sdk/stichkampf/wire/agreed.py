"""Everything that the arbiter and its callers must spell or compute alike, beside the messages themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from stichkampf.wire import WIRE_VERSION
from stichkampf.wire.v1 import arbiter_pb2 as pb

__all__ = ["MATCH_OVER", "PEOPLE", "REMOTE_PREFIX", "WIRE_VERSION", "remote_bots_sha256"]

MATCH_OVER: Final = frozenset({pb.MATCH_STATE_FINISHED, pb.MATCH_STATE_CANCELLED, pb.MATCH_STATE_FAILED})
"""The states in which a match stays."""

REMOTE_PREFIX: Final = "remote:"
"""Stands before the name of a remote bot where the arbiter lists programs (`ConnectedBot.program`)."""


PEOPLE: Final = "people"
"""The program on the stream of people's seats where the arbiter lists programs."""


def remote_bots_sha256(digests: Mapping[str, bytes], reasons: Mapping[str, str] | None = None) -> str:
    """The digest of a set of admitted remote bots (`GetStatusResponse.remote_bots_sha256`).

    :param digests: by name, the SHA-256 of each bot's token.
    :param reasons: by name, why a bot plays no more; only of those.

    >>> remote_bots_sha256({})[:16]
    'e3b0c44298fc1c14'
    """
    told = {name: f"{reason}\n" for name, reason in (reasons or {}).items() if reason}
    lines = "".join(f"{name}\n{digests[name].hex()}\n{told.get(name, '')}" for name in sorted(digests))
    return hashlib.sha256(lines.encode()).hexdigest()
