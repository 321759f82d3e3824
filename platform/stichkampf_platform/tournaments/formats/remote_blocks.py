"""Blocks with remote entrants, whose memory cannot be cleared: one deal, at which everybody is seated once.

Those who hold the same hand at different tables are compared. With fewer than two full tables none are: then
nothing can be rated.
"""

from __future__ import annotations

from django.utils.translation import gettext as _
from stichkampf.schedule import remote_blocks, round_robin_blocks

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.formats.competition import DECIDED, Competition, Seating


def blocks_dealt_once(competition: Competition) -> list[list[Seating]]:
    """All blocks of a round robin with remote entrants.

    :raises StichkampfError: it is not possible with these entrants.
    """
    check_dealt_once(competition)
    entrants = sorted(competition.authors)
    if len(entrants) >= 2 * competition.group_size:
        plan = remote_blocks(entrants, competition.seats, competition.blocks, authors=competition.authors)
        return [[list(table) for table in block.tables] for block in plan]
    plan = round_robin_blocks(entrants, competition.seats, competition.blocks, authors=competition.authors)
    # a block as it would be, of which each time another one of its tables is played, with cards of its own
    return [[list(block.tables[turn % len(block.tables)])] for turn, block in enumerate(plan)]


def check_dealt_once(competition: Competition) -> None:
    """Check that a round robin with remote entrants is possible.

    :raises StichkampfError: partners, too few entrants to be rated or decided, two remote ones of one author.
    """
    names = [competition.names[one] for one in sorted(competition.remote)]
    if competition.partners:
        raise RequestRefused(
            _(
                "a remote entrant would hold the hands of both partners and see them: leave out {names}"
            ).format(names=", ".join(names))
        )
    least = 2 * competition.group_size
    if competition.rated and len(competition.authors) < least:
        raise RequestRefused(
            _(
                "with remote entrants ({names}) the same cards are dealt at two full tables: {least} "
                "entrants, not {authors}; with fewer it cannot be rated"
            ).format(names=", ".join(names), least=least, authors=len(competition.authors))
        )
    if competition.stopping == DECIDED and len(competition.authors) < least:
        raise RequestRefused(
            _(
                "with remote entrants ({names}) and fewer than {least} in all no two are compared, so "
                "nothing is ever decided: choose a fixed number of blocks"
            ).format(names=", ".join(names), least=least)
        )
    authors = [competition.authors[one] for one in sorted(competition.remote)]
    twice = sorted({str(author) for author in authors if authors.count(author) > 1})
    if twice:
        raise RequestRefused(
            _(
                "{names} has more than one remote entrant: on one machine they could tell each other the "
                "cards of one deal; leave all but one out"
            ).format(names=", ".join(twice))
        )
