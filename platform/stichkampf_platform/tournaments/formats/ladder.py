"""The permanent ladder: a tournament without an end, drawn a few blocks at a time.

Every block is drawn for one entrant (see `ladder_turns`), and the rest of its table is chosen for that one:
those from whose meeting most is learnt, near in strength, and whose authors it met least of late. Of a group
of accounts, such as those of one address, two meet in a stated share of the blocks at most, and a group that
had more than its share of the seats waits, as long as the others fill the tables.

A block for the sake of a remote entrant is dealt once, at two tables: each hand has two holders, and they are
compared. No two in it have one author, who could see two hands of one deal.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from math import exp
from random import Random

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.rating import ELO_PER_STRENGTH
from stichkampf.schedule import Block, block_of, entrants_a_block

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.formats.base import Format
from stichkampf_platform.tournaments.formats.competition import Competition
from stichkampf_platform.tournaments.formats.ladder_turns import (
    GROUPS_AT_LEAST,
    LEAST_KNOWN,
    RELATED_MEET_EVERY,
    TURNS,
    Candidate,
    author_of,
    group_of,
    groups_in,
    in_the_draw,
    starters,
    within_their_share,
)


class RecentBlocks:
    """The blocks that were played lately.

    :ivar met: who was compared with whom, and how often.
    :ivar tables: which tables there were.
    :ivar seats: in how many blocks each entrant was; those of older versions count for a present one.
    :ivar newcomer_blocks: how many blocks the newcomers of each author had within a day.
    """

    def __init__(self) -> None:
        self.met: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self.tables: Counter[frozenset[int]] = Counter()
        self.seats: Counter[int] = Counter()
        self.newcomer_blocks: Counter[str] = Counter()

    def copy(self) -> RecentBlocks:
        """Return a copy that can be added to without changing this one."""
        copied = RecentBlocks()
        copied.met.update((entrant, others.copy()) for entrant, others in self.met.items())
        copied.tables, copied.seats = self.tables.copy(), self.seats.copy()
        copied.newcomer_blocks = self.newcomer_blocks.copy()
        return copied

    def add(self, group: Collection[int]) -> None:
        self.tables[frozenset(group)] += 1
        self.seats.update(group)
        for entrant in group:
            self.met[entrant].update(other for other in group if other != entrant)


class PermanentLadder(Format):
    """All against all without an end; versions enter by themselves. `blocks` says how many are kept ready."""

    name = "ladder"
    title = gettext_lazy("Ladder without an end")
    endless = True
    why_closed = "every version that may play enters by itself, of a private one those of its members"
    takes_remote = True

    def check(self, competition: Competition) -> None:
        if not competition.rated:
            raise RequestRefused(_("a ladder must be rated; tick “rated”"))
        if not competition.authors:  # versions enter by themselves
            return
        # remote entrants come and go
        hosted = sorted(set(competition.authors) - competition.remote)
        candidates = {number: Candidate(competition.authors[number]) for number in hosted}
        if not draw(candidates, RecentBlocks(), size=competition.group_size, first=0, blocks=1):
            raise RequestRefused(
                _("a block needs {group_size} entrants of different authors").format(
                    group_size=competition.group_size
                )
            )


def draw(
    candidates: Mapping[int, Candidate],
    lately: RecentBlocks,
    *,
    size: int,
    first: int,
    blocks: int,
    apart: Collection[frozenset[int]] = (),
) -> list[tuple[int, ...]]:
    """Choose the entrants of the next blocks; fewer or none where too few authors are left for a table.

    None is drawn for the sake of a settled candidate. A block that is dealt once has twice as many entrants:
    the two holders of each hand follow one another.

    :param lately: what was played last; the blocks that are drawn are not counted here.
    :param first: the number of the first of these blocks.
    :param apart: pairs that share no table in every second round of turns, where a table can be filled so: of
        each of the two there are then blocks with the other and without.
    """
    now, seen = dict(candidates), lately.copy()
    groups = []
    for number in range(first, first + blocks):
        drawn = in_the_draw(now, seen.newcomer_blocks)
        turn = TURNS[number % len(TURNS)]
        separated = apart if number // len(TURNS) % 2 else ()
        many = groups_in(drawn) >= GROUPS_AT_LEAST
        rationed = within_their_share(drawn, seen.seats) if many else drawn
        unrelated = many and number % RELATED_MEET_EVERY > 0
        found = (
            _group(among, _Choice(among, seen, kept_apart, unrelated=strangers), size, turn)
            for among, kept_apart, strangers in (
                (rationed, separated, unrelated),
                (rationed, (), unrelated),
                (drawn, (), False),
            )
        )
        group = next(filter(None, found), None)
        if group is None:
            break
        groups.append(group)
        for holders in compared(group, size):
            seen.add(holders)
        for entrant in group:
            candidate = now[entrant]
            if candidate.new and candidate.author is not None:
                seen.newcomer_blocks[candidate.author] += 1
            now[entrant] = replace(candidate, played=candidate.played + 1, last=number)
    return groups


def seated(
    group: tuple[int, ...], lately: RecentBlocks, *, number: int, seats: int, partners: bool
) -> Block[int]:
    """The tables of the block with this number; the same entrants sit in another order each time."""
    size = entrants_a_block(seats, partners=partners)
    if len(group) == size:
        return block_of(sorted(group), seats, lately.tables[frozenset(group)], partners=partners)
    chance = Random(number)
    hands = [chance.sample(holders, 2) for holders in chance.sample(compared(group, size), size)]
    return Block(group, tuple(zip(*hands, strict=True)))


def compared(group: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """Return the sets of compared entrants: all, or of a block dealt once the holders of each hand."""
    if len(group) == size:
        return [group]
    return list(zip(group[::2], group[1::2], strict=True))


def _group(
    candidates: Mapping[int, Candidate], choice: _Choice, size: int, turn: str
) -> tuple[int, ...] | None:
    for starter in starters(candidates, turn):
        if candidates[starter].settled:
            continue
        choose = _holders if candidates[starter].remote else _table
        group = choose(starter, candidates, choice, size)
        if group is not None:
            return group
    return None


def _table(
    starter: int, candidates: Mapping[int, Candidate], choice: _Choice, size: int
) -> tuple[int, ...] | None:
    """Choose the entrants of a block in which each holds every hand."""
    group: list[int] = []
    worth = {entrant: 0.0 for entrant, candidate in candidates.items() if not candidate.remote}
    joining: int | None = starter
    while joining is not None:
        group.append(joining)
        if len(group) == size:
            return tuple(group)
        choice.take(joining, worth)
        joining = _best(worth)
    return None


def _holders(
    starter: int, candidates: Mapping[int, Candidate], choice: _Choice, size: int
) -> tuple[int, ...] | None:
    """Choose the entrants of a block that is dealt once: by hand, the least known and its best comparison."""
    group: list[int] = []
    free = dict.fromkeys([starter, *starters(candidates, LEAST_KNOWN)])
    while len(group) < 2 * size:
        first = next(iter(free), None)
        if first is None:
            return None
        worth = dict.fromkeys(free, 0.0)
        choice.take(first, worth)
        second = _best(worth)
        if second is None:
            return None
        group += [first, second]
        free = {entrant: None for entrant in worth if not choice.bars(second, entrant)}
        free.pop(second, None)
    return tuple(group)


def _best(worth: Mapping[int, float]) -> int | None:
    return max(worth, key=lambda entrant: (worth[entrant], -entrant), default=None)


class _Choice:
    """The entrants that may join a table, and the information gained by each."""

    def __init__(
        self,
        candidates: Mapping[int, Candidate],
        lately: RecentBlocks,
        apart: Collection[frozenset[int]] = (),
        *,
        unrelated: bool = False,
    ) -> None:
        """Prepare a choice.

        :param unrelated: no two of one group share the table.
        """
        self._candidates, self._lately, self._apart = candidates, lately, set(apart)
        self._unrelated = unrelated

    def take(self, joining: int, worth: dict[int, float]) -> None:
        """Leave those that can still join, each with what would be learnt.

        That is the variance of its comparison with everybody at the table, less the more often these met its
        author's bots.
        """
        there, met = self._candidates[joining], self._authors_met(joining)
        for entrant in list(worth):
            if entrant == joining or self.bars(joining, entrant):
                del worth[entrant]
                continue
            better = 1 / (1 + exp((there.elo - self._candidates[entrant].elo) / ELO_PER_STRENGTH))
            worth[entrant] += better * (1 - better) / (1 + met[author_of(self._candidates, entrant)])

    def bars(self, one: int, other: int) -> bool:
        """Tell whether two cannot share a table: of one author, or kept apart in this block."""
        there, joining = self._candidates[one], self._candidates[other]
        related = there.author is not None and there.author == joining.author
        if self._unrelated and there.author is not None:
            related = group_of(there) == group_of(joining)
        return related or (bool(self._apart) and frozenset((one, other)) in self._apart)

    def _authors_met(self, entrant: int) -> Counter[str | int]:
        met: Counter[str | int] = Counter()
        for other, times in self._lately.met[entrant].items():
            if other in self._candidates:
                met[author_of(self._candidates, other)] += times
        return met
