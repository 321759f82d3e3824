"""The permanent ladder: a tournament without an end, drawn a few blocks at a time.

Every block has one entrant for whose sake it is drawn, and the rest of its table is chosen for that one. Of
four blocks in a row two are for newcomers, so that a lone one has its first twenty after forty blocks; one is
for whoever has waited longest, so that with n entrants nobody ever waits for more than 4n + 4 blocks; one is
for whoever is known least. Where there are no newcomers their share goes to those known least.

The others at the table are those from whose meeting most is learnt: near in strength, and met least of late.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from math import exp

from stichkampf.rating import ELO_PER_STRENGTH
from stichkampf.schedule import Block, block_of

from stichkampf_platform.errors import Refused
from stichkampf_platform.tournaments.formats.competition import FIXED, Competition

NEW_BELOW = 20
"""Blocks that make a newcomer an old hand: with fewer it is provisional."""

NEWCOMER, LONGEST_WAIT, LEAST_KNOWN = "newcomer", "longest wait", "least known"
TURNS = (NEWCOMER, LONGEST_WAIT, NEWCOMER, LEAST_KNOWN)


@dataclass(frozen=True)
class Place:
    """Where an entrant stands when blocks are drawn.

    :ivar author: `None` is the house, whose bots may share a table.
    :ivar played: blocks that it has been drawn for.
    :ivar last: the number of the last of them, -1 before the first.
    :ivar elo: its rating now; 1500 before the first.
    """

    author: str | None = None
    played: int = 0
    last: int = -1
    elo: float = 1500.0


class Lately:
    """Who met whom of late, and which tables there were."""

    def __init__(self) -> None:
        self.met: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self.tables: Counter[frozenset[int]] = Counter()

    def add(self, group: Collection[int]) -> None:
        self.tables[frozenset(group)] += 1
        for entrant in group:
            self.met[entrant].update(other for other in group if other != entrant)


class Ladder:
    """Everybody against everybody for ever; versions enter by themselves. Blocks say how many are ready."""

    name = "ladder"
    title = "Ladder without an end"
    stopping = (FIXED,)
    takes_rounds = False

    def check(self, competition: Competition) -> None:
        if not competition.rated:
            raise Refused("a ladder is rated; tick that")
        places = {number: Place(author) for number, author in competition.authors.items()}
        if not draw(places, Lately(), size=competition.group_size, first=0, blocks=1):
            raise Refused(f"a block needs {competition.group_size} entrants of different authors")


def draw(
    places: Mapping[int, Place], lately: Lately, *, size: int, first: int, blocks: int
) -> list[tuple[int, ...]]:
    """Choose who plays the next blocks; fewer or none where too few authors are left for a table.

    :param lately: what was played last; the blocks that are drawn are not counted here.
    :param first: the number of the first of these blocks.
    """
    now, seen = dict(places), deepcopy(lately)
    groups = []
    for number in range(first, first + blocks):
        group = _group(now, seen, size, TURNS[number % len(TURNS)])
        if group is None:
            break
        groups.append(group)
        seen.add(group)
        for entrant in group:
            now[entrant] = replace(now[entrant], played=now[entrant].played + 1, last=number)
    return groups


def seated(group: tuple[int, ...], lately: Lately, *, seats: int, partners: bool) -> Block[int]:
    """The tables of a block; the same entrants sit in another order each time."""
    return block_of(sorted(group), seats, lately.tables[frozenset(group)], partners=partners)


def _group(places: Mapping[int, Place], lately: Lately, size: int, turn: str) -> tuple[int, ...] | None:
    for starter in _starters(places, turn):
        group: list[int] = []
        worth = dict.fromkeys(places, 0.0)
        joining: int | None = starter
        while joining is not None:
            group.append(joining)
            if len(group) == size:
                return tuple(group)
            _take(joining, worth, places, lately)
            joining = max(worth, key=lambda entrant: (worth[entrant], -entrant), default=None)
    return None


def _take(joining: int, worth: dict[int, float], places: Mapping[int, Place], lately: Lately) -> None:
    """Leave those that can still join, each with what would be learnt: the variance of its comparison with
    everybody at the table, less the more often they met.
    """
    there, met = places[joining], lately.met[joining]
    for entrant in list(worth):
        place = places[entrant]
        if entrant == joining or (there.author is not None and place.author == there.author):
            del worth[entrant]
            continue
        better = 1 / (1 + exp((there.elo - place.elo) / ELO_PER_STRENGTH))
        worth[entrant] += better * (1 - better) / (1 + met[entrant])


def _starters(places: Mapping[int, Place], turn: str) -> list[int]:
    """For whose sake the block is drawn: the first for whom a table can be filled."""
    if turn == LONGEST_WAIT:
        return sorted(places, key=lambda entrant: (places[entrant].last, entrant))
    # who is known least comes first, so a newcomer whom nobody has met does before all others
    known = sorted(places, key=lambda entrant: (places[entrant].played, places[entrant].last, entrant))
    if turn == NEWCOMER:
        # one after the other: shared out, everybody's first rating would come as late as the last one's
        new = [entrant for entrant in known if places[entrant].played < NEW_BELOW]
        return sorted(new, key=lambda entrant: (-places[entrant].played, entrant)) + known
    return known
