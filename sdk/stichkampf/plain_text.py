"""Text of strangers, made harmless for logs, pages, databases and terminals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"
LINE_CHARACTERS: Final = 500
"""The longest line of a log."""

_CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    r"\ufff9-\ufffb\U000e0000-\U000e007f]|\r(?!\n)"
)
"""Characters that terminals obey, that turn the direction of writing, or that cannot be seen; no joiners."""
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def without_controls(text: str) -> str:
    """Replace the characters of a text that a terminal would obey; line ends and tabs stay.

    >>> without_controls("Karl\\x1b[2J\\n")
    'Karl�[2J\\n'
    """
    return _CONTROLS.sub(UNPRINTABLE, text)


def escaped(text: str) -> str:
    """Write each character of a text as JSON can, by its number.

    >>> print(escaped("\\x9b"))
    \\u009b
    """
    return "".join(json.dumps(sign)[1:-1] if ord(sign) > 0x7F else f"\\u{ord(sign):04x}" for sign in text)


def json_text(value: Any, indent: int | None = 2) -> str:
    """Write JSON for a terminal or a pipe: what a terminal would obey is escaped, so nothing is lost.

    >>> json_text({"bot": "K\\x9bü"}, indent=None)
    '{"bot":"K\\\\u009bü"}'
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=False)
    for signs in (_CONTROLS, _SURROGATE):
        text = signs.sub(lambda found: escaped(found[0]), text)
    return text


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
