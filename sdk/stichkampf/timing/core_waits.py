"""Time for which a sandbox was kept from a processor core by others.

Time counts in which part of the sandbox was ready to run and nothing of it ran. Version 2 of control groups
measures that (`cpu.pressure`). Elsewhere it is worked out from two figures of each thread: for how long it
ran and for how long it waited. A thread that waits while another one of its sandbox runs
waits for that one. So only the thread counts that waited longest, beyond the time that the others ran. While
a sandbox is stopped at its own quota, it has had its core. All these figures err on the low side.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import thread_time
from typing import NamedTuple

SAMPLE_SECONDS = 0.1
"""Least time between two samples."""
REST = 50
"""Least time between two samples, as a multiple of the time that taking one needs."""


class ThreadTimes(NamedTuple):
    """The kernel's account of a thread.

    :ivar ran: seconds on a core.
    :ivar waited: seconds in which it was ready and waited for one, as of when it last got one.
    :ivar waits: True if it waits and has not run since the sample before; unknown since when.
    """

    ran: float
    waited: float
    waits: bool = False


@dataclass(frozen=True)
class CpuSample:
    """Use of a core by a sandbox until one moment, in seconds since it began.

    :ivar used: CPU time of every process that ever ran in it.
    :ivar throttled: time for which its own quota stopped it.
    :ivar threads: its living threads, by number.
    :ivar pressure: time for which it was kept from a core, where the kernel measures it.
    """

    used: float = 0.0
    throttled: float = 0.0
    threads: Mapping[int, ThreadTimes] = field(default_factory=dict)
    pressure: float | None = None


def kept_seconds(before: CpuSample, after: CpuSample, seconds: float, unexplained: float = 0.0) -> float:
    """Return for how long a sandbox was kept from a core between two samples, `seconds` apart.

    :param unexplained: time before the first sample in which it did not run. The kernel counts a wait when it
        ends, so part of one that it counts now may lie there.
    """
    used = after.used - before.used
    if before.pressure is not None and after.pressure is not None:
        kept = after.pressure - before.pressure
    else:
        kept = max(
            (
                _waited(before.threads.get(number), thread, seconds, unexplained)
                - max(0.0, used - _ran(before.threads.get(number), thread))
                for number, thread in after.threads.items()
            ),
            default=0.0,
        )
    kept -= after.throttled - before.throttled
    return max(0.0, min(kept, unexplained + seconds - used))


def _waited(before: ThreadTimes | None, after: ThreadTimes, seconds: float, unexplained: float) -> float:
    if after.waits and before is not None and before.waits:
        return seconds
    return min(unexplained + seconds, after.waited - (before.waited if before else 0.0))


def _ran(before: ThreadTimes | None, after: ThreadTimes) -> float:
    return after.ran - (before.ran if before else 0.0)


class CoreWaitMeter:
    """Adds up for how long one sandbox was kept from a core.

    :param take: takes a sample of the sandbox, given the one before.
    :ivar seconds: the sum so far.
    """

    def __init__(self, take: Callable[[CpuSample], CpuSample]) -> None:
        self.seconds = 0.0
        self._take = take
        self._last = CpuSample()
        self._last_at = self._next_at = 0.0
        self._unexplained = 0.0

    def measure(self, since: float, now: float) -> float:
        """Return `seconds`, after another sample if the last one is old enough.

        :param since: the moment, on the monotonic clock, at which the bot began its present question. Time
            that the sandbox waited before it is not counted.
        """
        if now < self._next_at:
            return self.seconds
        begun = thread_time()  # the meter's own wait for a core costs no processor
        sample = self._take(self._last)
        if since > self._last_at:
            self._unexplained = 0.0
        seconds = max(0.0, now - max(since, self._last_at))
        kept = kept_seconds(self._last, sample, seconds, self._unexplained)
        self.seconds += kept
        ran = sample.used - self._last.used
        self._unexplained = max(0.0, self._unexplained + seconds - ran - kept)
        self._last, self._last_at = sample, now
        self._next_at = now + max(SAMPLE_SECONDS, REST * (thread_time() - begun))
        return self.seconds

    def postpone(self, seconds: float) -> None:
        """Leave out time in which the arbiter kept the sandbox frozen: it did not wait for a core then."""
        self._last_at += seconds


def read_threads(pid: int, before: Mapping[int, ThreadTimes]) -> dict[int, ThreadTimes]:
    """Read the times of the threads of a process and its descendants; one that ends meanwhile is left out.

    :param before: the threads of the sample before.
    """
    found: dict[int, ThreadTimes] = {}
    processes = [pid] if pid else []
    while processes:
        process = f"/proc/{processes.pop()}/task"
        with suppress(OSError):
            for number in os.listdir(process):
                with suppress(OSError):
                    task = f"{process}/{number}"
                    processes += map(int, _read(f"{task}/children").split())
                    thread = _thread(task, before.get(int(number)))
                    found[int(number)] = thread
    return found


def _thread(task: str, before: ThreadTimes | None) -> ThreadTimes:
    ran, waited, _ = _read(f"{task}/schedstat").split()
    thread = ThreadTimes(int(ran) / 1e9, int(waited) / 1e9)
    if before is None or (before.ran, before.waited) != (thread.ran, thread.waited):
        return thread
    # The kernel adds a wait when it ends, so one that goes on is seen by the thread's state only.
    state = _read(f"{task}/stat").rpartition(b")")[2].split()[0]
    return thread._replace(waits=state == b"R")


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)
