"""The published limits of bots and their authors, for SDK, platform and sandbox alike."""

from __future__ import annotations

from typing import Final

from stichkampf.values import Value

MIB: Final = 1024 * 1024


class WeightClass(Value, kw_only=False):
    """The limits that differ between bots: a manifest names a class by `weight`, or has the light one.

    :ivar archive_bytes: the largest archive.
    :ivar unpacked_bytes: the most bytes of all files of an archive together. They fit into /tmp.
    :ivar memory_bytes: memory of a bot process and its children, shared memory and /tmp included.
    :ivar temporary_bytes: the size of the sandbox's /tmp, the only writable folder.
    :ivar parts: the parts of the sandbox's runtime that only bots of this class are shown.
    """

    name: str
    archive_bytes: int
    unpacked_bytes: int
    memory_bytes: int
    temporary_bytes: int
    parts: tuple[str, ...] = ()


LIGHT: Final = WeightClass("light", 8 * MIB, 16 * MIB, 256 * MIB, 24 * MIB)
"""The class of a bot whose manifest names none."""
NET: Final = WeightClass("net", 64 * MIB, 72 * MIB, 512 * MIB, 80 * MIB, ("onnxruntime",))
"""The class of bots with a trained network."""
WEIGHT_CLASSES: Final = {weight.name: weight for weight in (LIGHT, NET)}
ARCHIVE_BYTES: Final = max(weight.archive_bytes for weight in WEIGHT_CLASSES.values())
"""The largest archive of any class, in bytes: beyond it nothing is even read."""
UNPACKED_BYTES: Final = max(weight.unpacked_bytes for weight in WEIGHT_CLASSES.values())
"""The most bytes that the files of an archive of any class may have together."""
ARCHIVE_FILES: Final = 1_000
"""The most files and folders in an archive."""
PATH_CHARACTERS: Final = 200
"""The longest path inside an archive."""
PATH_DEPTH: Final = 12
"""The most parts of a path inside an archive."""
NAME_BYTES: Final = 255
"""The most bytes of one part of a path in UTF-8, which is what file systems of Linux take."""
MANIFEST_BYTES: Final = 16 * 1024
"""The largest `stichkampf.toml`, in bytes."""

MODEL_NODES: Final = 5_000
"""The most nodes of an ONNX model, those of its functions and inner graphs included."""
MODEL_DEPTH: Final = 8
"""The most graphs inside one another in an ONNX model."""
MODEL_FIELDS: Final = 200_000
"""The most fields of an ONNX file that are read; weights as raw data are one field a tensor."""

SUBMISSIONS_PER_HOUR: Final = 30
"""Archives that one account may submit in an hour, those that are refused included."""
TOKENS_PER_HOUR: Final = 30
"""Tokens that one account may make in an hour, of the API and of remote bots together."""

CHALLENGE_BLOCKS: Final = 200
"""The most blocks of one challenge."""
CHALLENGE_BLOCKS_PER_DAY: Final = 1_000
"""Blocks of challenges that one account may ask for in a day."""
COMPARISON_BLOCKS: Final = 500
"""The most mirrored pairs of one comparison of two versions."""
COMPARED_AT_ONCE: Final = 6
"""The most versions that one comparison tests against the same one."""
COMPARISON_BLOCKS_PER_DAY: Final = 2_000
"""Blocks of comparisons that one account may ask for in a day."""
COUNTERFACTUAL_BLOCKS_PER_DAY: Final = 500
"""Past blocks in which one version may take the seat of an older one in a day, and at once."""
ACCOUNT_COUNTERFACTUAL_BLOCKS_PER_DAY: Final = 1_000
"""Past blocks of all versions of one account together in a day."""
EXPERIMENTS_AT_ONCE: Final = 4
"""Challenges, comparisons and counterfactuals of one account that are played at a time."""

ACCOUNT_BYTES: Final = 1024 * MIB
"""The most bytes that all stored archives of one account may have together."""
REJECTED_DAYS: Final = 7
"""Days after which the archive of a rejected version is deleted."""

PROCESSES: Final = 64
"""Processes and threads of a bot."""
OPEN_FILES: Final = 64
"""Open files of each process of a bot."""
CORES: Final = 1
"""Processor cores of a bot."""
OUTPUT_BYTES: Final = 1 * MIB
"""Bytes kept of a bot's standard output and standard error; more is thrown away."""
FLOOD_FACTOR: Final = 64
"""A bot that prints this many times the bytes that are kept is ended."""
START_SECONDS: Final = 30
"""Seconds from the start of a bot until its hello, unpacking and importing included."""
LIFE_SECONDS: Final = 3600
"""The longest life of a bot process, behind every other limit."""

FREE_WAIT_FACTOR: Final = 2
FREE_WAIT_SECONDS: Final = 1
"""A hosted bot is charged its CPU time. Time in which it could run but only waited is charged as well, beyond
this many times its CPU time and this many seconds a decision."""
KEPT_FACTOR: Final = 100
"""Time for which a busy machine gave a hosted bot no core is not charged, up to this many times the CPU time
that it used: a bot that only wakes for moments would otherwise seem to be without a core all the time."""
HARD_END_FACTOR: Final = 20
HARD_END_SECONDS: Final = 20
"""On a busy machine a question of a hosted bot ends at the latest after this many times its limit and this
many seconds on the wall clock; so does the wait for its hello."""

MESSAGE_BYTES: Final = 64 * 1024
"""The largest message that a bot may send."""

NEWCOMER_BLOCKS_A_DAY: Final = 60
"""Blocks of a ladder that an author gets in a day for versions with fewer than 20 blocks; then these wait."""

REMOTE_OUTAGE_SECONDS: Final = 20
"""Seconds for which the tables of a remote bot wait for it after a lost connection, and a match to begin."""
REMOTE_ABSENCE_SECONDS: Final = 60
"""Seconds of all its outages in one match together, each counted from its last sign of life."""
REMOTE_OUTAGES: Final = 1
"""Outages in a match with a question open that are forgiven; with each further one the decision is late."""
REMOTE_MOVE_SECONDS_MIN: Final = 1.0
"""The least `move_seconds` of a time control under which remote bots play.

With less, the allowance for the network, which is smaller than the limit, would not cover the jitter of both
directions and a busy machine."""
PERSON_SECONDS: Final = 1_800
"""Seconds that a person has for each decision. Whoever takes longer has left, and a bot plays on."""
PERSON_OUTAGE_SECONDS: Final = 120
"""Seconds for which people's tables wait for the process that plays for them, each time that it is away."""
PEOPLE_TABLES: Final = 128
"""Matches with persons that an arbiter has open at once, beside its other tables."""

REMOTE_JITTER_SECONDS: Final = 0.2
"""Seconds by which the network may delay any message, in either direction, at no cost to a remote bot."""
REMOTE_ALLOWANCE_SECONDS: Final = 0.8
"""The most seconds that are taken off a remote bot's decision for the way over the network."""
