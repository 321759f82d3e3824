"""Groups that play some blocks together, as Swiss and knock-out do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _
from stichkampf.errors import StichkampfError
from stichkampf.rating import rate
from stichkampf.schedule import MeetingCounts, block_of

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating
from stichkampf_platform.tournaments.formats.drawing import most_groups

EQUAL_DECIMALS = 4
"""Decimals to which the Elo of equals agrees, as in `stichkampf rate`."""
NAMED_AT_MOST = 4
"""Entrants that a sentence names one by one."""


def blocks_of(
    competition: Competition, groups: Iterable[Iterable[int]], *, first: int = 0, blocks: int | None = None
) -> list[list[Seating]]:
    """The blocks of a round: each group plays `competition.blocks` of them, in a new order each time.

    :param first: the number of blocks that each has played before.
    :param blocks: how many it plays, where these are others.
    """
    plan = []
    for group in groups:
        seated = sorted(group)
        for turn in range(first, first + (competition.blocks if blocks is None else blocks)):
            block = block_of(seated, competition.seats, turn, partners=competition.partners)
            plan.append([list(table) for table in block.tables])
    return plan


def missing_blocks(competition: Competition, past: Past) -> int:
    """Count the blocks that were not played because others left, and are still to be replaced."""
    groups = [group for groups in past.rounds for group in groups]
    lost = sum(not competition.out.isdisjoint(groups[number]) for number in past.unplayed)
    return max(0, lost - max(0, len(groups) - competition.blocks))


def replacement_blocks(
    competition: Competition, past: Past, start: Sequence[int] = ()
) -> list[list[Seating]]:
    """Draw blocks of those that stay in place of the missing ones: who has played least comes first.

    :param start: who is in each of them.
    """
    staying, size = competition.staying, competition.group_size
    groups = [group for groups in past.rounds for group in groups]
    played = [group for number, group in enumerate(groups) if number not in past.unplayed]
    meetings = MeetingCounts(sorted(staying.authors), authors=staying.authors)
    for group in played:
        meetings.add(group)
    plan: list[list[Seating]] = []
    for _turn in range(missing_blocks(competition, past)):
        try:
            group = frozenset(meetings.next_group(size, start=start))
        except StichkampfError:  # of too few that are left
            break
        plan += blocks_of(competition, [group], first=played.count(group), blocks=1)
        played.append(group)
    return plan


def check_block(competition: Competition) -> None:
    """Check that a block can be filled.

    :raises RequestRefused: there are too few entrants, or too few of different authors.
    """
    size = competition.group_size
    if len(competition.authors) < size:
        raise RequestRefused(
            _("a block needs {size} entrants, there are only {authors}").format(
                size=size, authors=len(competition.authors)
            )
        )
    if not most_groups(list(competition.authors.values()), size):
        raise RequestRefused(_("a block needs {size} entrants of different authors").format(size=size))


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words, in English or in German; of many only their number."""
    if len(names) == 1:
        return names[0]
    if len(names) > NAMED_AT_MOST:
        return Sentence("{count} bots", count=len(names))
    return Sentence("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])


def shared_first(competition: Competition, past: Past) -> str:
    """Say in a `Sentence` which entrants share the first place by Elo; empty where one stands alone."""
    if past.comparisons is None or not len(past.comparisons):
        return ""
    ratings = [each for each in rate(past.comparisons).ratings if each.entrant not in competition.out]
    best = max((round(each.elo, EQUAL_DECIMALS) for each in ratings), default=0.0)
    first = [competition.names[each.entrant] for each in ratings if round(each.elo, EQUAL_DECIMALS) == best]
    if len(first) < 2:
        return ""
    return Sentence("{names} share the first place: their results are equal.", names=listed(first))
