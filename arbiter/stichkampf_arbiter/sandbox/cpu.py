"""How much CPU a running sandbox has used."""

from __future__ import annotations

import os
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


class Meter:
    """Reads CPU seconds; cheap enough to be read at every decision."""

    def __init__(self, pid: int, file: Path | None) -> None:
        """
        :param pid: the sandbox's pid 1, seen from outside.
        :param file: the control group's own account; None: add up the processes that live.
        """
        self._pid = pid
        self._is_v2 = file is not None and file.name == "cpu.stat"
        self._last = 0.0
        self._fd = -1 if file is None else os.open(file, os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> float:
        """CPU seconds so far; never less than the time before."""
        if self._fd < 0:
            self._last = max(self._last, _tree_seconds(self._pid))
            return self._last
        try:
            text = os.pread(self._fd, 4096, 0)
        except OSError:
            return self._last  # the group was removed: the report with the final figure is on its way
        self._last = int(text.split()[1]) / 1e6 if self._is_v2 else int(text) / 1e9
        return self._last

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _tree_seconds(pid: int) -> float:
    """A process, those of its children that it has waited for, and its living descendants."""
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
