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

SUBMISSIONS_PER_HOUR: Final = 30
"""Archives that one account may submit in an hour, those that are refused included."""
TOKENS_PER_HOUR: Final = 30
"""Tokens that one account may make in an hour, of the API and of remote bots together."""

ACCOUNT_BYTES: Final = 256 * MIB
"""The most bytes that all stored archives of one account may have together."""
REJECTED_DAYS: Final = 7
"""Days after which the archive of a rejected version is deleted."""

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
"""What is kept of a bot's standard output and standard error; more is thrown away."""
FLOOD_FACTOR: Final = 64
"""A bot that prints this many times what is kept of it is ended."""
START_SECONDS: Final = 30
"""From its start until its hello: unpacking, and importing the bot, happen in this time."""
LIFE_SECONDS: Final = 3600
"""The life of a bot process, the last net under every other limit."""

FREE_WAIT_FACTOR: Final = 2
FREE_WAIT_SECONDS: Final = 1
"""A hosted bot pays in CPU time. Of the time that passes while it could run, what goes beyond this many times
its CPU time and so many seconds a decision is charged as well: it only waited."""
KEPT_FACTOR: Final = 100
"""What a hosted bot was kept from a core is not its time, up to this many times the CPU time that it used: on
a busy machine one that wakes for a moment again and again would otherwise seem to be kept all the time."""
HARD_END_FACTOR: Final = 20
HARD_END_SECONDS: Final = 20
"""However long a busy machine keeps a hosted bot from a core, its question ends after this many times its
limit and so many seconds on the wall clock; so does the time until its hello."""

MESSAGE_BYTES: Final = 64 * 1024
"""The largest message that a bot may send."""

NEWCOMER_BLOCKS_A_DAY: Final = 60
"""So many blocks of a ladder a day has one author for versions with fewer than 20 blocks; then these wait."""

REMOTE_OUTAGE_SECONDS: Final = 20
"""So long the tables of a remote bot wait for it when its line is lost, and a match for it to begin."""
REMOTE_ABSENCE_SECONDS: Final = 60
"""How long all its outages in one match may take together, each counted from its last sign of life."""
REMOTE_OUTAGES: Final = 1
"""So many outages in a match with a question open are borne; with each further one the decision is late."""
REMOTE_MOVE_SECONDS_MIN: Final = 1.0
"""The least `move_seconds` of a time control under which remote bots play.

With less, the allowance for the way, which is smaller than the limit, could not bear the jitter of both ways
beside a busy machine."""
REMOTE_JITTER_SECONDS: Final = 0.2
"""By so much the network may delay any message, either way, without cost to a remote bot."""
REMOTE_ALLOWANCE_SECONDS: Final = 0.8
"""The most that is taken off the time of a remote bot's decision for its way over the network."""
