"""What a bot is charged for a reply: how its decision is measured.

Pure: both accounts are told the time, and one reads the meters that it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from stichkampf import limits

MEASURED_SECONDS = 0.1
"""From so long on it is measured whether a bot is kept from a core. Most decisions are quicker."""


def hard_end_seconds(limit_seconds: float) -> float:
    """After how long on the wall clock a hosted bot is waited for no longer, however busy the machine is."""
    return limits.HARD_END_FACTOR * limit_seconds + limits.HARD_END_SECONDS


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

    def wall_seconds(self, sent: float, until: float) -> float:
        """What passed on the wall clock since the bot began with a question: when it was sent, or with the
        reply before. To be asked before `charge`."""

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

    def was_kept(self, sent: float, now: float) -> bool:
        """Whether the machine kept the bot from a core for most of the time of a question that ends now."""

    def postpone(self, seconds: float) -> None:
        """The process stood still for so long, by the arbiter's will: that is nobody's time."""


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
        seconds = self.wall_seconds(sent, arrival)
        self._previous_reply = max(arrival, self._previous_reply)
        return seconds

    def is_over(self, sent: float, limit_seconds: float, now: float, spent_seconds: float = 0.0) -> bool:
        return spent_seconds + now - max(sent, self._previous_reply) > limit_seconds

    def give_up(self, sent: float, now: float, limit_seconds: float) -> float:
        return self.charge(sent, now, limit_seconds)

    def begun_seconds(self, sent: float, until: float) -> float:
        return self.wall_seconds(sent, until)

    def wall_seconds(self, sent: float, until: float) -> float:
        return max(0.0, until - max(sent, self._previous_reply))

    def stop_seconds(self, limit_seconds: float) -> float:
        return limit_seconds

    def was_kept(self, sent: float, now: float) -> bool:
        return False

    def postpone(self, seconds: float) -> None:
        pass


class Waits(Protocol):
    """For how long a process was kept from a processor core by others."""

    @property
    def seconds(self) -> float:
        """As far as it has been measured, since the process began."""

    def measure(self, since: float, now: float) -> float:
        """`seconds`, measured again; what was waited before `since` is not counted."""

    def postpone(self, seconds: float) -> None:
        """The process stood still for so long, by the arbiter's will."""


class CpuAccount:
    """The CPU time of a sandbox, asked or not, and the time in which it only waited.

    Time in which the machine kept it from a core is not its own. Of the rest, it is charged with what goes
    beyond twice its CPU time and a second a decision (`FREE_WAIT_FACTOR`, `FREE_WAIT_SECONDS`). So a busy
    machine costs a bot nothing, and one that only waits pays.

    :param read: the CPU seconds of the sandbox so far.
    :param waits: for how long it was kept from a core.
    """

    kind = "cpu"

    def __init__(self, read: Callable[[], float], waits: Waits) -> None:
        self._read = read
        self._waits = waits
        self._charged: float | None = None
        self._until = 0.0
        self._kept = 0.0

    def open(self, now: float) -> None:
        if self._charged is None:
            self._charged, self._until = self._read(), now

    def charge(self, sent: float, arrival: float, limit_seconds: float) -> float:
        cpu = self._cpu_seconds(arrival)
        seconds = cpu + self._waited_seconds(sent, arrival, cpu)
        self._charged = (self._charged or 0.0) + cpu
        self._until = max(arrival, self._until)
        self._kept = self._waits.seconds
        return seconds

    def is_over(self, sent: float, limit_seconds: float, now: float, spent_seconds: float = 0.0) -> bool:
        begun = max(sent, self._until)
        if now - begun > MEASURED_SECONDS:
            self._waits.measure(begun, now)
        cpu = self._cpu_seconds(now)
        return spent_seconds + cpu + self._waited_seconds(sent, now, cpu) > limit_seconds

    def give_up(self, sent: float, now: float, limit_seconds: float) -> float:
        return self.charge(sent, now, limit_seconds)

    def begun_seconds(self, sent: float, until: float) -> float:
        # Its CPU time is charged with the next reply in any case.
        return self._waited_seconds(sent, until, self._cpu_seconds(until))

    def stop_seconds(self, limit_seconds: float) -> float:
        return hard_end_seconds(limit_seconds)

    def was_kept(self, sent: float, now: float) -> bool:
        begun = max(sent, self._until)
        return self._kept_seconds(begun, now, self._cpu_seconds(now)) > (now - begun) / 2

    def postpone(self, seconds: float) -> None:
        self._waits.postpone(seconds)

    def wall_seconds(self, sent: float, until: float) -> float:
        return max(0.0, until - max(sent, self._until))

    def _cpu_seconds(self, until: float) -> float:
        """What is to be charged of its CPU time. A sandbox has one core: what it used beyond the time that
        has passed, it used after that."""
        owed = max(0.0, self._read() - (self._charged or 0.0))
        return min(owed, max(0.0, until - self._until))

    def _waited_seconds(self, sent: float, until: float, cpu: float) -> float:
        """For how long it only waited, beyond what is free."""
        begun = max(sent, self._until)
        free = limits.FREE_WAIT_FACTOR * cpu + limits.FREE_WAIT_SECONDS
        if until - begun <= free:  # mostly so, and then nothing has to be measured
            return 0.0
        return max(0.0, until - begun - self._kept_seconds(begun, until, cpu) - free)

    def _kept_seconds(self, begun: float, until: float, cpu: float) -> float:
        return min(self._waits.measure(begun, until) - self._kept, limits.KEPT_FACTOR * cpu)
