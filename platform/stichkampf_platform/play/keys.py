"""The keys under which hub and site meet in Redis. Neither Django nor rules are needed to know them.

Of each seat there is a stream of entries. The first holds the start, each further one events, a question, or
the end, as that seat may know them, and nothing else. The moves of whole matches, from which a lost match is
started again, lie under keys of their own, which nothing that makes pages reads.
"""

from __future__ import annotations

from typing import Final

KEEP_SECONDS: Final = 24 * 3600
ANSWERS: Final = "play:answers"
"""The list of answers for the hub: JSON lists of the table, the seat, the decision and the word."""
CONNECTIONS: Final = "play:connections"
"""The stream of the times at which the hub connected with the arbiter, of which the last one is kept."""
RESIGNATION: Final = ""
"""The word of an answer that gives up the match. It is no action of any game."""
FINISHED: Final = 1
"""The reason of the end of a match that was played to its end, as `TableEndReason` of the wire numbers it."""
WITHIN_MILLISECOND: Final = 1_024
"""Entries that Redis may tell apart within a millisecond, for the number of an entry."""


def entries_of(table: str, seat: int) -> str:
    """Return the key of the entries of a seat."""
    return f"play:seat:{table}:{seat}"


def answered_of(table: str, seat: int) -> str:
    """Return the key of the decisions of a seat that are answered, each with its word."""
    return f"play:answered:{table}:{seat}"


def phrases_of(table: str) -> str:
    """Return the key of what was said last at a table: JSON lists of the seat and the phrase."""
    return f"play:phrases:{table}"


def silence_of(table: str, seat: int) -> str:
    """Return the key that is there while a seat may say nothing more."""
    return f"play:silence:{table}:{seat}"


def moves_of(match: str) -> str:
    """Return the key of all moves of a match so far."""
    return f"play:moves:{match}"


def table_of(match: str) -> str:
    """Return the table of a match, whose name is `play/TABLE/START`.

    >>> table_of("play/Xy-3/2")
    'Xy-3'
    """
    return match.split("/")[1]


def version_of(entry: str) -> int:
    """Return the number of an entry, which grows from one to the next, from its name in Redis.

    >>> version_of("1700000000000-2")
    1740800000000002
    """
    milliseconds, _, number = entry.partition("-")
    return int(milliseconds) * WITHIN_MILLISECOND + min(int(number), WITHIN_MILLISECOND - 1)


def entry_of(version: int) -> str:
    """Return the name of the entry of that number.

    >>> entry_of(1740800000000002)
    '1700000000000-2'
    """
    milliseconds, number = divmod(version, WITHIN_MILLISECOND)
    return f"{milliseconds}-{number}"
