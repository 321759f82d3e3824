"""The permanent ladder: a tournament without an end, drawn a few blocks at a time.

Every block has one entrant for whose sake it is drawn, and the rest of its table is chosen for that one. Of
four blocks in a row two are for newcomers, so that a lone one has its first twenty after forty blocks; one is
for whoever has waited longest, so that with n entrants nobody ever waits for more than 4n + 4 blocks; one is
for whoever is known least. Where there are no newcomers their share goes to those known least.

The others at the table are those from whose meeting most is learnt: near in strength, and met least of late.

A block for the sake of a remote entrant is dealt once, at two tables: each hand has two holders, and they are
compared. Nobody in it has another's author, who could see two hands of one deal.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from math import exp
from random import Random

from stichkampf.rating import ELO_PER_STRENGTH
from stichkampf.schedule import Block, block_of, entrants_a_block

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
    :ivar remote: whether it can hold one hand of a deal only.
    """

    author: str | None = None
    played: int = 0
    last: int = -1
    elo: float = 1500.0
    remote: bool = False


class Lately:
    """Who was compared with whom of late, and which tables there were."""

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
    takes_remote = True

    def check(self, competition: Competition) -> None:
        if not competition.rated:
            raise Refused("a ladder is rated; tick that")
        # remote entrants come and go
        hosted = sorted(set(competition.authors) - competition.remote)
        places = {number: Place(competition.authors[number]) for number in hosted}
        if not draw(places, Lately(), size=competition.group_size, first=0, blocks=1):
            raise Refused(f"a block needs {competition.group_size} entrants of different authors")


def draw(
    places: Mapping[int, Place], lately: Lately, *, size: int, first: int, blocks: int
) -> list[tuple[int, ...]]:
    """Choose who plays the next blocks; fewer or none where too few authors are left for a table.

    Of a block that is dealt once there are twice as many: one after the other the two holders of each hand.

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
        for holders in compared(group, size):
            seen.add(holders)
        for entrant in group:
            now[entrant] = replace(now[entrant], played=now[entrant].played + 1, last=number)
    return groups


def seated(group: tuple[int, ...], lately: Lately, *, number: int, seats: int, partners: bool) -> Block[int]:
    """The tables of the block with this number; the same entrants sit in another order each time."""
    size = entrants_a_block(seats, partners=partners)
    if len(group) == size:
        return block_of(sorted(group), seats, lately.tables[frozenset(group)], partners=partners)
    chance = Random(number)
    hands = [chance.sample(holders, 2) for holders in chance.sample(compared(group, size), size)]
    return Block(group, tuple(zip(*hands, strict=True)))


def compared(group: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """Who is compared with each other in a block: all, or where it is dealt once the holders of each hand."""
    if len(group) == size:
        return [group]
    return list(zip(group[::2], group[1::2], strict=True))


def _group(places: Mapping[int, Place], lately: Lately, size: int, turn: str) -> tuple[int, ...] | None:
    for starter in _starters(places, turn):
        choose = _holders if places[starter].remote else _table
        group = choose(starter, places, lately, size)
        if group is not None:
            return group
    return None


def _table(starter: int, places: Mapping[int, Place], lately: Lately, size: int) -> tuple[int, ...] | None:
    """Who plays a block in which everybody holds every hand."""
    group: list[int] = []
    worth = {entrant: 0.0 for entrant, place in places.items() if not place.remote}
    joining: int | None = starter
    while joining is not None:
        group.append(joining)
        if len(group) == size:
            return tuple(group)
        _take(joining, worth, places, lately)
        joining = _best(worth)
    return None


def _holders(starter: int, places: Mapping[int, Place], lately: Lately, size: int) -> tuple[int, ...] | None:
    """Who plays a block that is dealt once, hand by hand: who is known least, and who tells most about it."""
    group: list[int] = []
    free = dict.fromkeys([starter, *_starters(places, LEAST_KNOWN)])
    while len(group) < 2 * size:
        first = next(iter(free), None)
        if first is None:
            return None
        worth = dict.fromkeys(free, 0.0)
        _take(first, worth, places, lately)
        second = _best(worth)
        if second is None:
            return None
        group += [first, second]
        free = {entrant: None for entrant in worth if not _related(places[entrant], places[second])}
        free.pop(second, None)
    return tuple(group)


def _best(worth: Mapping[int, float]) -> int | None:
    return max(worth, key=lambda entrant: (worth[entrant], -entrant), default=None)


def _related(one: Place, other: Place) -> bool:
    return one.author is not None and one.author == other.author


def _take(joining: int, worth: dict[int, float], places: Mapping[int, Place], lately: Lately) -> None:
    """Leave those that can still join, each with what would be learnt: the variance of its comparison with
    everybody at the table, less the more often they met.
    """
    there, met = places[joining], lately.met[joining]
    for entrant in list(worth):
        place = places[entrant]
        if entrant == joining or _related(there, place):
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
