"""Time accounts: the measuring of each decision, and the charge for it.

Pure: both accounts are told the time; `CpuAccount` reads the meters that it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from stichkampf import limits

MEASURED_SECONDS = 0.1
"""Decisions that take longer are checked for time without a core. Most are quicker."""


def hard_end_seconds(limit_seconds: float) -> float:
    """Return the longest wait for a hosted bot on the wall clock, however busy the machine is."""
    return limits.HARD_END_FACTOR * limit_seconds + limits.HARD_END_SECONDS


class TimeAccount(Protocol):
    """Measures the time of one bot process, which decides at many tables.

    :ivar kind: "cpu" or "wall".
    """

    kind: str

    def start(self, now: float) -> None:
        """Start metering. CPU time before the first table (start-up) is not charged."""

    def charge(self, sent: float, arrival: float, limit_seconds: float) -> float:
        """Return the seconds to be charged for a reply.

        :param sent: time at which the oldest question that it answers was sent, on the monotonic clock.
        :param arrival: time of the reply's arrival, on the same clock.
        :param limit_seconds: time that the decision may take.
        """

    def wall_seconds(self, sent: float, until: float) -> float:
        """Return the wall-clock time since the bot began with a question: since it was sent, or since the
        reply before. Call it before `charge`.
        """

    def is_over(self, sent: float, limit_seconds: float, now: float, spent_seconds: float = 0.0) -> bool:
        """Tell whether the oldest open question has exceeded its limit.

        :param spent_seconds: part of the limit that was used before.
        """

    def give_up(self, sent: float, now: float, limit_seconds: float) -> float:
        """Return the seconds to be charged for a question whose answer is awaited no longer."""

    def begun_seconds(self, sent: float, until: float) -> float:
        """Return the time, at most, for which the bot had worked on its oldest open question at a moment, as
        far as that is not charged with the next reply in any case.
        """

    def stop_seconds(self, limit_seconds: float) -> float:
        """Return the time for which a question of this limit may stay open, whatever the bot does."""

    def was_kept_from_core(self, sent: float, now: float) -> bool:
        """Tell whether the machine gave the bot no core for most of the time of a question that ends now."""

    def postpone(self, seconds: float) -> None:
        """Leave out a time for which the arbiter froze the process."""

    def credit_lag(self, seconds: float) -> None:
        """Leave out a delay of the arbiter itself, which came while a question was open."""


def _no_allowance(limit_seconds: float) -> float:
    return 0.0


class WallAccount:
    """Serial accounting on the wall clock: from the question, or from the reply before, to the reply.

    Half of the network's allowance is granted to the question's way to the bot, half to the reply's way back.

    :param allowance_seconds: time granted to the network for a decision of a given limit; none by default,
        for bots on this machine. Remote bots: `bots/remote/latency.py`.
    """

    kind = "wall"

    def __init__(self, allowance_seconds: Callable[[float], float] = _no_allowance) -> None:
        self._allowance_seconds = allowance_seconds
        self._previous_reply = 0.0

    def start(self, now: float) -> None:
        pass

    def charge(self, sent: float, arrival: float, limit_seconds: float) -> float:
        seconds = self._used_seconds(sent, arrival, limit_seconds)
        self._previous_reply = max(arrival, self._previous_reply)
        return seconds

    def is_over(self, sent: float, limit_seconds: float, now: float, spent_seconds: float = 0.0) -> bool:
        return spent_seconds + self._used_seconds(sent, now, limit_seconds) > limit_seconds

    def give_up(self, sent: float, now: float, limit_seconds: float) -> float:
        return self.charge(sent, now, limit_seconds)

    def begun_seconds(self, sent: float, until: float) -> float:
        return self.wall_seconds(sent, until)

    def wall_seconds(self, sent: float, until: float) -> float:
        return max(0.0, until - max(sent, self._previous_reply))

    def stop_seconds(self, limit_seconds: float) -> float:
        return limit_seconds + self._allowance_seconds(limit_seconds)

    def was_kept_from_core(self, sent: float, now: float) -> bool:
        return False

    def postpone(self, seconds: float) -> None:
        pass

    def credit_lag(self, seconds: float) -> None:
        pass

    def _used_seconds(self, sent: float, arrival: float, limit_seconds: float) -> float:
        one_way = self._allowance_seconds(limit_seconds) / 2
        return max(0.0, arrival - one_way - max(sent + one_way, self._previous_reply))


class CoreWaits(Protocol):
    """Measures the time for which other processes kept a process from a processor core."""

    @property
    def seconds(self) -> float:
        """The time measured so far, since the process began."""

    def measure(self, since: float, now: float) -> float:
        """Measure again and return `seconds`; waits before `since` are not counted."""

    def postpone(self, seconds: float) -> None:
        """Leave out a time for which the arbiter froze the process."""


class CpuAccount:
    """The CPU time of a sandbox, asked or not, and the time in which it only waited.

    Time in which the machine kept it from a core, or the arbiter itself was late, is not charged. Of the
    rest, waiting beyond twice its CPU time and a second a decision is charged (`FREE_WAIT_FACTOR`,
    `FREE_WAIT_SECONDS`). So a busy machine costs a bot nothing, and a bot that only waits pays.

    :param read: reads the CPU seconds of the sandbox so far.
    :param waits: measures the time without a core.
    """

    kind = "cpu"

    def __init__(self, read: Callable[[], float], waits: CoreWaits) -> None:
        self._read = read
        self._waits = waits
        self._charged: float | None = None
        self._until = 0.0
        self._kept = 0.0
        self._lag = 0.0

    def start(self, now: float) -> None:
        if self._charged is None:
            self._charged, self._until = self._read(), now

    def charge(self, sent: float, arrival: float, limit_seconds: float) -> float:
        cpu = self._cpu_seconds(arrival)
        seconds = cpu + self._waited_seconds(sent, arrival, cpu)
        self._charged = (self._charged or 0.0) + cpu
        self._until = max(arrival, self._until)
        self._kept = self._waits.seconds
        self._lag = 0.0
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

    def was_kept_from_core(self, sent: float, now: float) -> bool:
        begun = max(sent, self._until)
        return self._kept_seconds(begun, now, self._cpu_seconds(now)) > (now - begun) / 2

    def postpone(self, seconds: float) -> None:
        self._waits.postpone(seconds)

    def credit_lag(self, seconds: float) -> None:
        self._lag += seconds

    def wall_seconds(self, sent: float, until: float) -> float:
        return max(0.0, until - max(sent, self._until))

    def _cpu_seconds(self, until: float) -> float:
        """Return the CPU time to be charged up to a moment. A sandbox has one core: CPU time beyond the time
        that has passed was used later.
        """
        owed = max(0.0, self._read() - (self._charged or 0.0))
        return min(owed, max(0.0, until - self._until))

    def _waited_seconds(self, sent: float, until: float, cpu: float) -> float:
        """Return the time in which it only waited, beyond the free part."""
        begun = max(sent, self._until)
        free = limits.FREE_WAIT_FACTOR * cpu + limits.FREE_WAIT_SECONDS
        if until - begun <= free:  # the common case, in which nothing has to be measured
            return 0.0
        return max(0.0, until - begun - self._kept_seconds(begun, until, cpu) - self._lag - free)

    def _kept_seconds(self, begun: float, until: float, cpu: float) -> float:
        return min(self._waits.measure(begun, until) - self._kept, limits.KEPT_FACTOR * cpu)
