"""Formats of tournaments: one file each, and its line here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Protocol

from stichkampf.errors import StichkampfError

from stichkampf_platform.core.errors import Refused
from stichkampf_platform.tournaments.formats.competition import (
    DECIDED,
    Competition,
    Past,
    Seating,
    Standing,
)
from stichkampf_platform.tournaments.formats.gauntlet import Gauntlet
from stichkampf_platform.tournaments.formats.knock_out import KnockOut
from stichkampf_platform.tournaments.formats.ladder import Ladder
from stichkampf_platform.tournaments.formats.regression import Regression
from stichkampf_platform.tournaments.formats.round_robin import RoundRobin
from stichkampf_platform.tournaments.formats.swiss import Swiss


class Format(Protocol):
    """Who plays whom. Pure: the same competition and past give the same blocks, every time.

    Two entrants of one author never share a table, unless the format says so.

    :cvar takes_rounds: whether the organiser says how many rounds there are.
    :cvar takes_remote: whether it can deal a hand to each entrant once only, as remote ones need it.
    """

    name: str
    title: str
    takes_rounds: bool
    takes_remote: bool

    @property
    def stopping(self) -> tuple[str, ...]:
        """The stopping rules that make sense here."""

    def check(self, competition: Competition) -> None:
        """:raises StichkampfError: such a tournament is not possible; the message says what would be."""


class RoundFormat(Format, Protocol):
    """A format that comes to an end, drawn round by round."""

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        """Block by block, the seatings of its tables, once all before is over; table r is played in lane r.

        The first round is asked for with an empty past; no blocks means that the tournament is over.
        """

    def standings(self, competition: Competition, past: Past) -> list[Standing]:
        """Who stands where after rounds that are all over, first to last; nobody where Elo says it."""

    def outcome(self, competition: Competition, past: Past) -> str:
        """What the end proved, in one sentence; empty where the standings say it all."""


ROUND_FORMATS: dict[str, RoundFormat] = {
    format.name: format for format in (RoundRobin(), Gauntlet(), Regression(), Swiss(), KnockOut())
}
FORMATS: dict[str, Format] = {**ROUND_FORMATS, Ladder.name: Ladder()}


def format_named(name: str) -> Format:
    """:raises Refused: naming the formats there are."""
    if name not in FORMATS:
        raise Refused(f"no format is called {name!r}; there are {', '.join(FORMATS)}")
    return FORMATS[name]


MANY_BLOCKS = 64
"""What is assumed where the number of blocks is wrong: enough for every format."""


def problems(
    name: str, competition: Competition, *, unread: Collection[str] = frozenset()
) -> dict[str, list[str]]:
    """All that makes a competition impossible in this format, by the field of the tournament.

    What is wrong in one field hides nothing else: the rest is checked as if that were right.

    :param unread: fields whose values are not known; nothing is said that hangs on them.
    """
    found: dict[str, list[str]] = {}
    assumed = competition
    if "blocks_planned" in unread:
        assumed = replace(assumed, blocks=MANY_BLOCKS)
    elif competition.blocks < 1:
        found["blocks_planned"] = [f"a plan has one block or more, not {competition.blocks}"]
        assumed = replace(assumed, blocks=MANY_BLOCKS)
    if "format" in unread:
        return found
    try:
        format = format_named(name)
    except Refused as error:
        return {**found, "format": [str(error)]}
    if competition.stopping not in format.stopping:
        if "stopping" not in unread:
            only = "until decided" if format.stopping == (DECIDED,) else "after a fixed number of blocks"
            found["stopping"] = [f"{format.title} ends {only}; choose that stopping rule"]
        assumed = replace(assumed, stopping=format.stopping[0])
    if format.takes_rounds != bool(competition.rounds):
        if "rounds" not in unread:
            found["rounds"] = [
                f"{format.title} needs a number of rounds, at least 1"
                if format.takes_rounds
                else f"{format.title} knows by itself how many rounds it has; leave the rounds empty"
            ]
        assumed = replace(assumed, rounds=1 if format.takes_rounds else None)
    entrants = []
    if competition.remote and not format.takes_remote:
        names = ", ".join(competition.names[one] for one in sorted(competition.remote))
        entrants.append(
            f"{format.title} deals every hand to everybody, and remote entrants would remember it: leave out"
            f" {names}, or choose {RoundRobin.title}"
        )
        assumed = replace(assumed, remote=frozenset())
    if not {"game", "seats", "entrants"} & set(unread):
        try:
            format.check(assumed)
        except StichkampfError as error:
            entrants.append(str(error))
    return {**found, "entrants": entrants} if entrants else found
