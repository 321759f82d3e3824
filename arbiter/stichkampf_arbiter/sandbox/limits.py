"""What one sandboxed bot process may use of the machine."""

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
"""The published limits that end a bot, by the name that an exit report gives them, in words for its owner."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings of one sandbox; the defaults are the published ones.

    A Python bot that has imported gRPC holds 37 MB, so the default memory leaves it some 200 MiB of its own.
    """

    memory_bytes: int = published.MEMORY_BYTES
    """Resident memory of all processes together, the files in ``/tmp`` included."""
    processes: int = published.PROCESSES
    """Processes and threads together."""
    cores: float = published.CORES
    """CPU seconds the bot may use in one second."""
    tmp_bytes: int = published.TEMPORARY_BYTES
    """Size of ``/tmp``, the only place that can be written."""
    open_files: int = published.OPEN_FILES
    """File descriptors of one process."""
    output_bytes: int = published.OUTPUT_BYTES
    """What is kept of all that the bot prints; more is thrown away, a flood ends the bot."""
    wall_seconds: float = float(published.LIFE_SECONDS)
    """Life of the process on the wall clock; the last net under every other deadline."""

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
