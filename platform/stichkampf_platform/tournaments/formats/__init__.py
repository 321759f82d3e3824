"""Formats of tournaments: one file each, registered here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from django.utils.translation import gettext as _
from stichkampf.errors import StichkampfError

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.formats.base import Format, GoneFormat, RoundFormat
from stichkampf_platform.tournaments.formats.competition import DECIDED, Competition
from stichkampf_platform.tournaments.formats.gauntlet import Gauntlet
from stichkampf_platform.tournaments.formats.knock_out import KnockOut
from stichkampf_platform.tournaments.formats.ladder import PermanentLadder
from stichkampf_platform.tournaments.formats.mirrored_pairs import MirroredPairs
from stichkampf_platform.tournaments.formats.past_seats import PastSeats
from stichkampf_platform.tournaments.formats.regression import Regression
from stichkampf_platform.tournaments.formats.round_robin import RoundRobin
from stichkampf_platform.tournaments.formats.swiss import Swiss

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (RoundRobin(), Gauntlet(), Regression(), Swiss(), KnockOut(), PermanentLadder())
}
"""Every format that organisers choose from, by its name: the one registry."""
EXPERIMENT_FORMATS: dict[str, RoundFormat] = {
    format.name: format for format in (MirroredPairs(), PastSeats())
}
"""The formats that only experiments of authors have."""
ROUND_FORMATS = {name: format for name, format in FORMATS.items() if isinstance(format, RoundFormat)}
ENDLESS_FORMATS = tuple(name for name, format in FORMATS.items() if format.endless)


def format_named(name: str) -> Format:
    """Return a format.

    :raises RequestRefused: there is none of this name; the message names all.
    """
    known = FORMATS | EXPERIMENT_FORMATS
    if name not in known:
        raise RequestRefused(
            _("no format is called {name!r}; there are {names}").format(name=name, names=", ".join(FORMATS))
        )
    return known[name]


def shown_format(name: str) -> Format:
    """Return a format for pages: of one that no longer exists they show the name."""
    return (FORMATS | EXPERIMENT_FORMATS).get(name) or GoneFormat(name)


def round_format(name: str) -> RoundFormat:
    """Return a format that comes to an end, by its name."""
    found = EXPERIMENT_FORMATS.get(name) or ROUND_FORMATS.get(name)
    return found or GoneFormat(name)


def is_endless(name: str) -> bool:
    """Tell whether a format never ends; false for a name that no format has."""
    return name in ENDLESS_FORMATS


def names_first(name: str | None) -> bool:
    """Tell whether a format has to know its first entrant; false for a name that no format has."""
    return name in FORMATS and FORMATS[name].names_first


MANY_BLOCKS = 64
"""The number of blocks assumed while it is wrong: enough for every format."""


def problems(
    name: str, competition: Competition, *, unparsed_fields: Collection[str] = frozenset()
) -> dict[str, list[str]]:
    """All that makes a competition impossible in this format, by the field of the tournament.

    What is wrong in one field hides nothing else: the rest is checked as if that were right.

    :param unparsed_fields: fields whose values are not known; nothing is said that hangs on them.
    """
    found: dict[str, list[str]] = {}
    assumed = competition
    if "blocks_planned" in unparsed_fields:
        assumed = replace(assumed, blocks=MANY_BLOCKS)
    elif competition.blocks < 1:
        found["blocks_planned"] = [
            _("a plan has one block or more, not {blocks}").format(blocks=competition.blocks)
        ]
        assumed = replace(assumed, blocks=MANY_BLOCKS)
    if "format" in unparsed_fields:
        return found
    try:
        format = format_named(name)
    except RequestRefused as error:
        return {**found, "format": [str(error)]}
    if competition.stopping not in format.stopping:
        if "stopping" not in unparsed_fields:
            only = (
                _("until decided") if format.stopping == (DECIDED,) else _("after a fixed number of blocks")
            )
            found["stopping"] = [
                _("{title} ends {only}; choose that stopping rule").format(title=format.title, only=only)
            ]
        assumed = replace(assumed, stopping=format.stopping[0])
    if format.takes_rounds != bool(competition.rounds):
        if "rounds" not in unparsed_fields:
            found["rounds"] = [
                _("{title} needs a number of rounds, at least 1").format(title=format.title)
                if format.takes_rounds
                else _("{title} knows by itself how many rounds it has; leave the rounds empty").format(
                    title=format.title
                )
            ]
        assumed = replace(assumed, rounds=1 if format.takes_rounds else None)
    entrants = []
    if competition.remote and not format.takes_remote:
        names = ", ".join(competition.names[one] for one in sorted(competition.remote))
        entrants.append(
            _(
                "{title} deals every hand to everybody, and remote entrants would remember it: leave out "
                "{names}, or choose {title_2}"
            ).format(title=format.title, names=names, title_2=RoundRobin.title)
        )
        assumed = replace(assumed, remote=frozenset())
    if not {"game", "seats", "entrants"} & set(unparsed_fields):
        try:
            format.check(assumed)
        except StichkampfError as error:
            entrants.append(str(error))
    return {**found, "entrants": entrants} if entrants else found
