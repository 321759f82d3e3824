"""Text of strangers, made harmless for logs, pages, databases and terminals."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"
LINE_CHARACTERS: Final = 500
"""The longest line of a log."""


def plain(text: str, characters: int) -> str:
    """Cut a text of a stranger to size, and replace the characters that cannot be printed.

    PostgreSQL stores no NUL, terminals obey control characters, and characters that turn the direction of
    writing deceive. Line ends stay.
    """
    shown = (sign if sign.isprintable() or sign == "\n" else UNPRINTABLE for sign in text[:characters])
    return "".join(shown)


def plain_line(text: str, characters: int = LINE_CHARACTERS) -> str:
    """Make a text plain and one line; a longer one ends in an ellipsis."""
    line = plain(" ".join(text.expandtabs(4).splitlines()), characters + 1)
    return line if len(line) <= characters else f"{line[: characters - 1]}…"


def plain_lines(text: str, characters: int = LINE_CHARACTERS) -> list[str]:
    """Split a text into lines, each made plain."""
    return [plain_line(line, characters) for line in text.splitlines()]


def did_you_mean(word: str, possible: Iterable[str]) -> str:
    """Suggest the nearest possible word, as the end of a message; nothing where none is near.

    >>> did_you_mean("thum", ["thumb", "timid"])
    '; did you mean thumb?'
    """
    near = get_close_matches(word, list(possible), n=1)
    return f"; did you mean {near[0]}?" if near else ""
