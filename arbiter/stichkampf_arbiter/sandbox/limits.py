"""Limits of one sandboxed bot."""

from __future__ import annotations

from dataclasses import dataclass

import stichkampf.limits as published

MIB = 1024 * 1024
FLOOD_FACTOR = published.FLOOD_FACTOR
WORDS = {
    "memory": f"{published.MEMORY_BYTES // MIB} MiB of memory for all its processes, /tmp included",
    "processes": f"{published.PROCESSES} processes and threads",
    "cores": f"{published.CORES} core",
    "tmp": f"{published.TEMPORARY_BYTES // MIB} MiB in /tmp",
    "output": f"{published.FLOOD_FACTOR * published.OUTPUT_BYTES // MIB} MiB of output",
    "wall": f"a life of {published.LIFE_SECONDS:,} seconds",
}
"""The published limits that end a bot, in words for its owner, by their names in exit reports."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings of one sandbox; the defaults are the published ones.

    A Python bot that has imported gRPC holds 37 MB, so the default memory leaves it some 200 MiB of its own.

    :ivar memory_bytes: resident memory of all processes together, the files in `/tmp` included.
    :ivar processes: processes and threads together.
    :ivar cores: CPU seconds the bot may use in one second.
    :ivar tmp_bytes: size of `/tmp`, the only folder that can be written.
    :ivar open_files: file descriptors of one process.
    :ivar output_bytes: size of the output that is kept. More is thrown away, a flood ends the bot.
    :ivar wall_seconds: life of the process on the wall clock; the last net under every other deadline.
    """

    memory_bytes: int = published.MEMORY_BYTES
    processes: int = published.PROCESSES
    cores: float = published.CORES
    tmp_bytes: int = published.TEMPORARY_BYTES
    open_files: int = published.OPEN_FILES
    output_bytes: int = published.OUTPUT_BYTES
    wall_seconds: float = float(published.LIFE_SECONDS)

    def __post_init__(self) -> None:
        for name, least in (
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
