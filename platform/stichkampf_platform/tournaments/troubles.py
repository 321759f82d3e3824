"""Reasons why a tournament does not go on, in the reader's language; the database has them in English."""

from __future__ import annotations

import re
from typing import Final

from django.utils.translation import gettext, gettext_noop

STARTS, ROUNDS, PLAY = "start of a tournament", "next round of a tournament", "play of a tournament"
WORKS: Final = {
    STARTS: gettext_noop("It cannot be started: {error}"),
    ROUNDS: gettext_noop("Its next round cannot be drawn: {error}"),
    PLAY: gettext_noop("A block cannot be played: {error}"),
}
"""Names of work under which `core.machines.failures` keeps tournaments that fail, with words for each."""
_TEMPLATES: Final = (
    *WORKS.values(),
    gettext_noop(
        "the machine is too busy: for most of the longest time that a question may take, a bot was given no"
        " core"
    ),
    gettext_noop("a bot was kept from a core for most of the time that it has for its start ({bot})"),
    gettext_noop("a process of the platform ended"),
    gettext_noop("an error of the arbiter: {error}"),
    gettext_noop("gVisor did not start: {error}"),
    gettext_noop("bubblewrap did not start: {error}"),
    gettext_noop("the arbiter lost the match, and its remote bots may have seen cards"),
    gettext_noop("The arbiter cannot be reached or has lost the match ({error})."),
    gettext_noop("The arbiter has no room for the match at the moment ({error})."),
    gettext_noop("The arbiter refuses ({error})."),
    gettext_noop("The arbiter's record is not correct: {error}"),
    gettext_noop("The arbiter's record has {field} {found} where {asked} was asked for."),
    gettext_noop("The archive of {bot} cannot be read: {error}."),
    gettext_noop("The match was cancelled at the arbiter."),
)


def _pattern(template: str) -> re.Pattern[str]:
    """Return what finds the values of a template in a text that was made of it."""
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.*)", re.escape(template)), re.DOTALL)


_PATTERNS: Final = {template: _pattern(template) for template in _TEMPLATES}


def told_trouble(text: str) -> str:
    """Return a reason in the present language; details stay English."""
    for template, pattern in _PATTERNS.items():
        found = pattern.fullmatch(text)
        if found:
            return gettext(template).format(**found.groupdict())
    return text
