"""Reasons why a tournament does not go on, as sentences that are stored and told in the reader's language."""

from __future__ import annotations

import re
from typing import Final

from django.utils.translation import gettext_noop

from stichkampf_platform.people.sentences import Sentence

STARTS, ROUNDS, PLAY = "start of a tournament", "next round of a tournament", "play of a tournament"
WORKS: Final = {
    STARTS: gettext_noop("It cannot be started: {error}"),
    ROUNDS: gettext_noop("Its next round cannot be drawn: {error}"),
    PLAY: gettext_noop("A block cannot be played: {error}"),
}
"""Names of work under which `core.machines.failures` keeps tournaments that fail, with words for each."""
CANCELLED: Final = Sentence("The match was cancelled at the arbiter.")
LOST: Final = Sentence("the arbiter lost the match, and its remote bots may have seen cards")
_OF_THE_ARBITER: Final = (
    gettext_noop(
        "the machine is too busy: for most of the longest time that a question may take, a bot was given no"
        " core"
    ),
    gettext_noop("a bot was kept from a core for most of the time that it has for its start ({bot})"),
    gettext_noop("a process of the platform ended"),
    gettext_noop("an error of the arbiter: {error}"),
    gettext_noop("gVisor did not start: {error}"),
    gettext_noop("bubblewrap did not start: {error}"),
)
_OF_THE_MACHINE: Final = re.compile(
    r"bubblewrap did not start|gVisor did not start|the launcher process has ended"
    r"|the launcher does not keep up|all uids for bots on this machine are in use"
    r"|no stranger's bot runs on this machine|cannot open |cannot read "
)
"""Beginnings of what an arbiter says of a match for which its machine has no sandbox."""


def is_outage(reason: str) -> bool:
    """Tell whether a match failed because its machine has no sandbox, or was lost with its arbiter."""
    return reason == LOST or _OF_THE_MACHINE.match(reason) is not None


def of_the_arbiter(reason: str) -> str:
    """Return the reason of a match that failed, which the wire has in English; any other as it is."""
    for template in _OF_THE_ARBITER:
        values = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.*)", re.escape(template))
        if found := re.fullmatch(values, reason, re.DOTALL):
            return Sentence(template, **found.groupdict())
    return reason
