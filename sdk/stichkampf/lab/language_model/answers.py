"""The choice in what a language model said, however it put it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from stichkampf.whole_numbers import whole_number

_THOUGHTS: Final = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|$)", re.DOTALL | re.IGNORECASE)
_DECORATION: Final = " \t\r\n`*_\"'.,:;!()[]{}<>#"
_FIELD: Final = re.compile(r'"(?:choice|number|answer|action|option)"\s*:\s*"?([^"\n,}]+)', re.IGNORECASE)
_NAMED: Final = re.compile(
    r"\b(?:choice|answer|option|number|choose|pick|select)\b(?: is| would be| number)?"
    r"[\s:=#*`(\"'\[]*(\d+)(?![\w.]*\w)",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"(?<![\w.-])(\d+)(?!\w|\.\d)")


def choice_in(said: str, legal: Sequence[str]) -> str | None:
    """Return the action that a text chooses, None where it cannot be told.

    It understands the number of a choice, counted from 1, the action's own words, and both in JSON or in a
    sentence. Where a text names several, its last word counts only if it says so ("my choice: 2").

    >>> choice_in("2", ["pass", "lay B3"])
    'lay B3'
    >>> choice_in("The others are long in blue.\\n**Choice: 1**", ["pass", "lay B3"])
    'pass'
    >>> choice_in('{"choice": "lay b3"}', ["pass", "lay B3"])
    'lay B3'
    >>> choice_in("Either 1 or 2.", ["pass", "lay B3"]) is None
    True
    """
    text = _THOUGHTS.sub("", said).strip()
    for candidate in _candidates(text):
        if (found := _exact(candidate, legal)) is not None:
            return found
    lines = [line for line in text.splitlines() if line.strip(_DECORATION)]
    for part in (lines[-1] if lines else "", text):
        for found_in in (_mentioned, _numbered):
            named = found_in(part, legal)
            if len(named) == 1:
                return named.pop()
    return None


def _candidates(text: str) -> Iterator[str]:
    """Find the whole text and the places where an answer is announced, the last ones first."""
    yield text
    yield from reversed(_FIELD.findall(text))
    yield from reversed(_NAMED.findall(text))


def _exact(text: str, legal: Sequence[str]) -> str | None:
    bare = text.strip(_DECORATION)
    number = whole_number(bare)
    if number is not None:
        return legal[number - 1] if 1 <= number <= len(legal) else None
    same = [action for action in legal if action.casefold() == " ".join(bare.split()).casefold()]
    return same[0] if same else None


def _mentioned(text: str, legal: Sequence[str]) -> set[str]:
    """Find the actions whose words stand in a text, without those that are part of a longer one there."""
    found: set[str] = set()
    for action in sorted(legal, key=len, reverse=True):
        words = re.compile(rf"(?<!\w){re.escape(action)}(?!\w)", re.IGNORECASE)
        if words.search(text):
            found.add(action)
            text = words.sub(" ", text)
    return found


def _numbered(text: str, legal: Sequence[str]) -> set[str]:
    return {legal[int(n) - 1] for n in _NUMBER.findall(text) if len(n) < 9 and 1 <= int(n) <= len(legal)}
