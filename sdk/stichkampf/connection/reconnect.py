"""The end of a stream, and the wait before the next one."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

import grpc

FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 5.0
"""The longest wait between two tries. Several tries fit into the time for which lost tables wait."""
FATAL_STATUSES: Final = {
    grpc.StatusCode.UNAUTHENTICATED: "it does not know this token; it takes the latest one that the site"
    " showed for the remote version, and not an API token",
    grpc.StatusCode.PERMISSION_DENIED: "this bot may not connect here",
    grpc.StatusCode.FAILED_PRECONDITION: "its wire version and the bot's do not match",
    grpc.StatusCode.INVALID_ARGUMENT: "it does not understand what this bot says",
    grpc.StatusCode.UNIMPLEMENTED: "this is not where remote bots dial in; ask for the right address",
}
"""Statuses after which another try would not help, with the reason."""


@dataclass(frozen=True)
class StreamEnd:
    """The end of a stream.

    :ivar welcomed: the arbiter had let the bot in.
    :ivar seconds: the time from the beginning of the stream.
    """

    code: grpc.StatusCode
    details: str
    welcomed: bool
    seconds: float

    def __str__(self) -> str:
        if self.code is grpc.StatusCode.OK:
            return "it has ended the stream"
        return f"{self.code.name}: {self.details}" if self.details else self.code.name


class ReconnectBackoff:
    """The wait before the next try: longer every time, and random, so that not all bots come at once."""

    def __init__(self) -> None:
        self._next = FIRST_PAUSE_SECONDS
        self._chance = Random()

    def after(self, ending: StreamEnd) -> float:
        """Return the seconds to wait after this end; after a stream that lasted, the shortest wait."""
        if ending.welcomed and ending.seconds > LONGEST_PAUSE_SECONDS:
            self._next = FIRST_PAUSE_SECONDS
        longest, self._next = self._next, min(2 * self._next, LONGEST_PAUSE_SECONDS)
        return self._chance.uniform(longest / 2, longest)
