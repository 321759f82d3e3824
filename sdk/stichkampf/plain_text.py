"""Text of strangers, made harmless for logs, pages, databases and terminals."""

from __future__ import annotations

from typing import Final

UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"
LINE_CHARACTERS: Final = 500
"""The longest line of a log."""


def plain(text: str, characters: int) -> str:
    """What a stranger says, cut to size, with signs for what cannot be printed.

    PostgreSQL stores no NUL, terminals obey control characters, and signs that turn the direction of writing
    show what is not there. Line ends stay.
    """
    shown = (sign if sign.isprintable() or sign == "\n" else UNPRINTABLE for sign in text[:characters])
    return "".join(shown)


def plain_line(text: str, characters: int = LINE_CHARACTERS) -> str:
    """The same as one line; of a longer one the end is left out, and said to be."""
    line = plain(" ".join(text.expandtabs(4).splitlines()), characters + 1)
    return line if len(line) <= characters else f"{line[: characters - 1]}…"


def plain_lines(text: str, characters: int = LINE_CHARACTERS) -> list[str]:
    """The lines of a text, each of them `plain_line`."""
    return [plain_line(line, characters) for line in text.splitlines()]
