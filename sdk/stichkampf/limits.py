"""The published limits of a submitted bot: one place for the SDK, the platform and the sandbox."""

from __future__ import annotations

from typing import Final

MIB: Final = 1024 * 1024

ARCHIVE_BYTES: Final = 8 * MIB
"""The largest archive, in bytes."""
UNPACKED_BYTES: Final = 12 * MIB
"""The most bytes that all files of an archive may have together. It fits into the sandbox's /tmp."""
ARCHIVE_FILES: Final = 1_000
"""The most files and folders in an archive."""
PATH_CHARACTERS: Final = 200
"""The longest path inside an archive."""
PATH_DEPTH: Final = 12
"""The most parts of a path inside an archive."""
MANIFEST_BYTES: Final = 16 * 1024
"""The largest `stichkampf.toml`, in bytes."""

MEMORY_BYTES: Final = 256 * MIB
"""Memory of a bot process and its children, shared memory and /tmp included."""
TEMPORARY_BYTES: Final = 16 * MIB
"""The size of the sandbox's /tmp, the only writable place."""
PROCESSES: Final = 64
"""Processes and threads of a bot."""
OPEN_FILES: Final = 64
"""Open files of each process of a bot."""
CORES: Final = 1
"""Processor cores of a bot."""
OUTPUT_BYTES: Final = 1 * MIB
"""What is kept of a bot's standard error; more is thrown away."""

MESSAGE_BYTES: Final = 64 * 1024
"""The largest message that a bot may send."""
