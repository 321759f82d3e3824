"""Limits of one sandboxed bot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import stichkampf.limits as published
from stichkampf.limits import LIGHT, WeightClass

MIB = 1024 * 1024
FLOOD_FACTOR = published.FLOOD_FACTOR


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings of one sandbox; the defaults are the published ones of the light weight class.

    A Python bot holds 7 MB and some 14 of pages of the runtime, most of which the kernel can evict, so the
    default memory leaves it some 240 MiB of its own.

    :ivar archive_bytes: size of the archive.
    :ivar memory_bytes: resident memory of all processes together, the files in `/tmp` included.
    :ivar processes: processes and threads together.
    :ivar cores: CPU seconds the bot may use in one second.
    :ivar tmp_bytes: size of `/tmp`, the only folder that can be written.
    :ivar open_files: file descriptors of one process.
    :ivar output_bytes: size of the output that is kept. More is thrown away, a flood ends the bot.
    :ivar wall_seconds: life of the process on the wall clock; the last net under every other deadline.
    """

    archive_bytes: int = LIGHT.archive_bytes
    memory_bytes: int = LIGHT.memory_bytes
    processes: int = published.PROCESSES
    cores: float = published.CORES
    tmp_bytes: int = LIGHT.temporary_bytes
    open_files: int = published.OPEN_FILES
    output_bytes: int = published.OUTPUT_BYTES
    wall_seconds: float = float(published.LIFE_SECONDS)

    @classmethod
    def of(cls, weight: WeightClass) -> Self:
        """Return the published limits of a weight class."""
        return cls(
            archive_bytes=weight.archive_bytes,
            memory_bytes=weight.memory_bytes,
            tmp_bytes=weight.temporary_bytes,
        )

    def in_words(self, name: str) -> str:
        """Describe to a bot's owner the limit that ended it, by the limit's name in exit reports."""
        return {
            "memory": f"{self.memory_bytes // MIB} MiB of memory for all its processes, /tmp included",
            "processes": f"{self.processes} processes and threads",
            "cores": f"{self.cores:g} core",
            "tmp": f"{self.tmp_bytes // MIB} MiB in /tmp",
            "output": f"{FLOOD_FACTOR * self.output_bytes // MIB} MiB of output",
            "wall": f"a life of {self.wall_seconds:,.0f} seconds",
        }[name]

    def __post_init__(self) -> None:
        for name, least in (
            ("archive_bytes", 1),
            ("memory_bytes", 32 * MIB),
            ("processes", 4),
            ("cores", 0.05),
            ("tmp_bytes", 4096),
            ("open_files", 16),
            ("output_bytes", 1024),
            ("wall_seconds", 0.1),
        ):
            if getattr(self, name) < least:
                raise ValueError(f"limit {name}={getattr(self, name)} is too small: at least {least}")
