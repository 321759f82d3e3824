"""CPU time that a running sandbox has used."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from stichkampf.timing.core_waits import CpuSample, read_threads

TICKS = os.sysconf("SC_CLK_TCK")
USAGE, STAT, PRESSURE = "usage", "stat", "pressure"
"""Files of a control group. The first (version 1): CPU time in nanoseconds. The second: the time for which
its own quota has stopped it, in version 2 also CPU time. The third (version 2): the time without a core."""

THROTTLED = {b"throttled_time": 1e9, b"throttled_usec": 1e6}
"""Names in the two versions for the time for which a quota stops a group, and units per second."""


def open_files(paths: Mapping[str, Path]) -> dict[str, int]:
    """Open the files of a group, by the same names. They can be read even when the group is gone: they then
    answer with an error, but nothing else takes their place.

    :raises OSError: one of them cannot be opened; none is left open.
    """
    files: dict[str, int] = {}
    try:
        for name, path in paths.items():
            files[name] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        close_files(files)
        raise
    return files


def close_files(files: dict[str, int]) -> None:
    while files:
        os.close(files.popitem()[1])


class CpuMeter:
    """Reads CPU seconds; cheap enough to be read at every decision."""

    def __init__(self, pid: int, files: dict[str, int]) -> None:
        """
        :param pid: the sandbox's pid 1, seen from outside.
        :param files: those of its control group, open, which are this meter's from now on; empty without
            one, then the processes that live are added up.
        """
        self.pid = pid
        self.files = files
        self._last = 0.0

    def read(self) -> float:
        """Return the CPU seconds so far; never less than the time before."""
        if not self.files:
            self._last = max(self._last, _tree_seconds(self.pid))
            return self._last
        try:
            if USAGE in self.files:
                self._last = int(os.pread(self.files[USAGE], 4096, 0)) / 1e9
            else:
                self._last = int(os.pread(self.files[STAT], 4096, 0).split()[1]) / 1e6
        except OSError:
            return self._last  # the group was removed: the report with the final figure is on its way
        return self._last

    def throttled_seconds(self) -> float:
        """Return for how long the group's own quota has stopped it, on all cores; 0 without a group."""
        for line in self._text(STAT).splitlines():
            name, _, number = line.partition(b" ")
            if name in THROTTLED:
                return int(number) / THROTTLED[name]
        return 0.0

    def pressure_seconds(self) -> float | None:
        """Return for how long part of the group was ready to run and nothing of it ran; None where the kernel
        does not measure it."""
        for line in self._text(PRESSURE).splitlines():
            if line.startswith(b"full "):
                return int(line.rpartition(b"total=")[2]) / 1e6
        return None

    def _text(self, name: str) -> bytes:
        try:
            return os.pread(self.files[name], 4096, 0) if name in self.files else b""
        except OSError:
            return b""

    def close(self) -> None:
        close_files(self.files)


def take_sample(meter: CpuMeter, before: CpuSample) -> CpuSample:
    """Sample a sandbox, through the files of its group or, without one, its processes in /proc."""
    throttled, pressure = meter.throttled_seconds(), meter.pressure_seconds()
    threads = {} if pressure is not None else read_threads(meter.pid, before.threads)
    return CpuSample(meter.read(), throttled, threads, pressure)


def _tree_seconds(pid: int) -> float:
    """Add up a process, the children it has waited for, and its living descendants."""
    proc = Path("/proc") / str(pid)
    try:
        stat = (proc / "stat").read_text().rpartition(")")[2].split()
        # The clock of a whole process, as clock_getcpuclockid(3) makes it: finer than the ticks in stat.
        own = time.clock_gettime((~pid << 3) | 2)
        children = [
            int(child)
            for task in (proc / "task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return 0.0
    waited = (int(stat[13]) + int(stat[14])) / TICKS
    return own + waited + sum(_tree_seconds(child) for child in children)
