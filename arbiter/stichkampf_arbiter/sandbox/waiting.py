"""For how long a sandbox was kept from a processor core by others.

Time counts in which something of the sandbox was ready to run and nothing of it ran. Version 2 of control
groups measures that (`cpu.pressure`). Elsewhere it is worked out from what the kernel tells of each thread:
for how long it ran and for how long it waited. A thread that waits while another one of its sandbox runs
waits for that one, so of several threads the one counts that waited longest beyond what the others ran. While
a sandbox is stopped at its own quota, it has had its core. All of this says too little rather than too much.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from stichkampf_arbiter.sandbox import cpu

LOOK_SECONDS = 0.1
"""Two looks lie at least so far apart,"""
REST = 50
"""and so many times as long as a look takes: of a sandbox full of threads it takes milliseconds."""


class Thread(NamedTuple):
    """What the kernel tells of a thread.

    :ivar ran: seconds on a core.
    :ivar waited: seconds in which it was ready and waited for one, as of when it last got one.
    :ivar waits: whether it waits, and has not run since the look before. Since when, is not known.
    """

    ran: float
    waited: float
    waits: bool = False


@dataclass(frozen=True)
class CpuSample:
    """A sandbox at one moment; all in seconds since it began.

    :ivar used: CPU time of all that ever ran in it.
    :ivar throttled: for how long its own quota stopped it.
    :ivar threads: those that live, by number.
    :ivar pressure: for how long it was kept from a core, where the kernel says so.
    """

    used: float = 0.0
    throttled: float = 0.0
    threads: Mapping[int, Thread] = field(default_factory=dict)
    pressure: float | None = None


def kept_seconds(before: CpuSample, after: CpuSample, seconds: float) -> float:
    """For how long a sandbox was kept from a core between two looks that lie so far apart."""
    used = after.used - before.used
    if before.pressure is not None and after.pressure is not None:
        kept = after.pressure - before.pressure
    else:
        kept = max(
            (
                _waited(before.threads.get(number), thread, seconds)
                - max(0.0, used - _ran(before.threads.get(number), thread))
                for number, thread in after.threads.items()
            ),
            default=0.0,
        )
    kept -= after.throttled - before.throttled
    return max(0.0, min(kept, seconds - used))


def _waited(before: Thread | None, after: Thread, seconds: float) -> float:
    if after.waits and before is not None and before.waits:
        return seconds
    return min(seconds, after.waited - (before.waited if before else 0.0))


def _ran(before: Thread | None, after: Thread) -> float:
    return after.ran - (before.ran if before else 0.0)


class CoreWaitMeter:
    """Adds up for how long one sandbox was kept from a core.

    :param look: takes a look at the sandbox, given the one before.
    :ivar seconds: as far as it was measured.
    """

    def __init__(self, look: Callable[[CpuSample], CpuSample]) -> None:
        self.seconds = 0.0
        self._look = look
        self._last = CpuSample()
        self._last_at = self._next_at = 0.0

    def measure(self, since: float, now: float) -> float:
        """`seconds`, after a look, where the last one is old enough.

        :param since: when the question was begun that the bot works on, on the monotonic clock. What the
            sandbox waited before that is not counted.
        """
        if now < self._next_at:
            return self.seconds
        begun = monotonic()
        look = self._look(self._last)
        self.seconds += kept_seconds(self._last, look, max(0.0, now - max(since, self._last_at)))
        self._last, self._last_at = look, now
        self._next_at = now + max(LOOK_SECONDS, REST * (monotonic() - begun))
        return self.seconds

    def postpone(self, seconds: float) -> None:
        """The sandbox stood still for so long, by the arbiter's will: it did not wait for a core then."""
        self._last_at += seconds


def take_sample(meter: cpu.Meter, before: CpuSample) -> CpuSample:
    """A look at a sandbox, through the files of its group or, without one, its processes in /proc."""
    throttled, pressure = meter.throttled_seconds(), meter.pressure_seconds()
    threads = {} if pressure is not None else read_threads(meter.pid, before.threads)
    return CpuSample(meter.read(), throttled, threads, pressure)


def read_threads(pid: int, before: Mapping[int, Thread]) -> dict[int, Thread]:
    """The threads of a process and of all below it; what ends meanwhile is left out.

    :param before: as they were found by the look before.
    """
    found: dict[int, Thread] = {}
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


def _thread(task: str, before: Thread | None) -> Thread:
    ran, waited, _ = _read(f"{task}/schedstat").split()
    thread = Thread(int(ran) / 1e9, int(waited) / 1e9)
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
