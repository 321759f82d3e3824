"""What a bot is charged for a reply: how its decision is measured.

Pure: both accounts are told the time, and one reads the CPU meter that it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from stichkampf import limits


class Account(Protocol):
    """The time of one bot process, which decides at many tables."""

    kind: str

    def open(self, now: float) -> None:
        """A table starts. What the process did before its first one is nobody's."""

    def charge(self, sent: float, arrival: float, limit_seconds: float) -> float:
        """The seconds to be charged for a reply.

        :param sent: when the oldest question that it answers was sent, on the monotonic clock.
        :param arrival: when the reply arrived, on the same clock.
        :param limit_seconds: what the decision may take.
        """

    def is_over(self, sent: float, limit_seconds: float, now: float, spent_seconds: float = 0.0) -> bool:
        """Whether the question that has been open longest has taken more than it may.

        :param spent_seconds: what it has taken of that before.
        """

    def give_up(self, sent: float, now: float, limit_seconds: float) -> float:
        """The seconds to be charged for a question that nobody waits for any longer."""

    def begun_seconds(self, sent: float, until: float) -> float:
        """For how long, at most, the bot had been at work on its oldest open question at a moment, as far as
        that is not charged with the next reply in any case.
        """

    def stop_seconds(self, limit_seconds: float) -> float:
        """How long a question of this limit may stay open whatever the bot does."""


class WallAccount:
    """Serial accounting: from the question, or from the reply before, to the reply.

    For bots that share one process. What those on other machines pay is in `remote/latency.py`.
    """

    kind = "wall"

    def __init__(self) -> None:
        self._previous_reply = 0.0

    def open(self, now: float) -> None:
        pass

    def charge(self, sent: float, arrival: float, limit_seconds: float) -> float:
        seconds = max(0.0, arrival - max(sent, self._previous_reply))
        self._previous_reply = max(arrival, self._previous_reply)
        return seconds

    def is_over(self, sent: float, limit_seconds: float, now: float, spent_seconds: float = 0.0) -> bool:
        return spent_seconds + now - max(sent, self._previous_reply) > limit_seconds

    def give_up(self, sent: float, now: float, limit_seconds: float) -> float:
        return self.charge(sent, now, limit_seconds)

    def begun_seconds(self, sent: float, until: float) -> float:
        return max(0.0, until - max(sent, self._previous_reply))

    def stop_seconds(self, limit_seconds: float) -> float:
        return limit_seconds


class CpuAccount:
    """The CPU time of a sandbox, also what it used while no question was open, with a stop on the wall clock.

    A busy machine costs a bot nothing; one that only waits is stopped all the same.

    :param read: the CPU seconds of the sandbox so far.
    """

    kind = "cpu"

    def __init__(self, read: Callable[[], float]) -> None:
        self._read = read
        self._charged: float | None = None
        self._until = 0.0

    def open(self, now: float) -> None:
        if self._charged is None:
            self._charged, self._until = self._read(), now

    def charge(self, sent: float, arrival: float, limit_seconds: float) -> float:
        # A sandbox has one core: what it used beyond the time until the reply, it used after that.
        seconds = min(self._owed(), max(0.0, arrival - self._until))
        self._charged = (self._charged or 0.0) + seconds
        self._until = max(arrival, self._until)
        return seconds

    def is_over(self, sent: float, limit_seconds: float, now: float, spent_seconds: float = 0.0) -> bool:
        return self._owed() > limit_seconds or now - max(sent, self._until) > self.stop_seconds(limit_seconds)

    def give_up(self, sent: float, now: float, limit_seconds: float) -> float:
        return self.charge(sent, now, limit_seconds)

    def begun_seconds(self, sent: float, until: float) -> float:
        return 0.0

    def stop_seconds(self, limit_seconds: float) -> float:
        return limits.WALL_STOP_FACTOR * limit_seconds + limits.WALL_STOP_SECONDS

    def _owed(self) -> float:
        return max(0.0, self._read() - (self._charged or 0.0))
