"""English that is left on pages of another language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

from stichkampf.games import GAMES

ENGLISH = re.compile(
    r"\b(?:the|and|of|with|is|are|were|not|yet|for|from|this|that|has|have|when|its|it|no|none|new|by|to|or"
    r"|seats?|deals?|tricks?|tables?|scores?|ranks?|faults?|match|matches|submit|ladders?|rules?|games?|decision"
    r"|decisions|hands?|cards?|points?|versions|page|next|previous|first|last|sign|your|you|rated|dealer)\b",
    re.IGNORECASE,
)
UNREAD = {"code", "pre", "script", "style", "kbd"}
"""Elements whose text is the same in every language."""
READ_ALOUD = ("aria-label", "title", "placeholder", "alt", "content")
NAMES = [
    *(game.title for game in GAMES.values()),
    *GAMES,
    "deals:N",
    "points:N",
    "English",
    "None",
]


class TextFinder(HTMLParser):
    """Collects the texts of a page that people read or hear, but for links that say they are English."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._unread = 0
        self._in_english_link = False

    def handle_starttag(self, tag, attrs):
        self._unread += tag in UNREAD
        found = dict(attrs)
        if tag == "a":
            self._in_english_link = found.get("lang") == "en"
        if tag == "meta" and found.get("name") != "description":
            return
        if tag != "button" or "lang" not in found:
            self.texts += [value for name, value in attrs if name in READ_ALOUD and value]

    def handle_endtag(self, tag):
        self._unread -= tag in UNREAD
        self._in_english_link &= tag != "a"

    def handle_data(self, data):
        if not self._unread and not self._in_english_link and data.strip():
            self.texts.append(" ".join(data.split()))


def english_in(html: str, names: Iterable[str]) -> list[str]:
    """List the texts of a page with an English word, names left out."""
    finder = TextFinder()
    finder.feed(html)
    known = re.compile("|".join(re.escape(name) for name in sorted([*names, *NAMES], key=len, reverse=True)))
    return [text for text in finder.texts if ENGLISH.search(known.sub("", text))]
