"""The turns of a ladder: each block is drawn for the sake of one entrant, and turns go round the authors.

Among `a` authors, each bot of an author who has `b` of them has one turn in `a·b`: more bots do not give an
author more turns. Every bot of the house counts as an author of its own. Authors may form a group, such as
the accounts of one address, which has the turns of one author.

Of four blocks in a row one is for the entrant that has waited longest for its share, and three are for those
known least: newcomers, which have fewer than twenty blocks, or where there are none those with the fewest
blocks for their share. So each of `k` authors with a newcomer has its first twenty after `27·k + 4` blocks,
and no entrant in the draw waits for more than `4·a·b + 4`.

Seats are rationed by group as well: a group of several authors that has had nearly twice the mean share of
another, and more than its first blocks take, waits as long as others fill the tables. Where fewer than three
groups are in the field, such as a class and its teacher, no group waits, and all may meet.

Of an author one newcomer is in the draw at a time, and it has a limited number of blocks a day for newcomers.
Newcomers of young accounts are known least only where no older account has one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from stichkampf.limits import NEWCOMER_BLOCKS_A_DAY

NEW_BELOW = 20
"""Blocks that make a newcomer an old hand: with fewer it is provisional."""

GROUPS_AT_LEAST = 3
"""With fewer groups in the field, none is rationed or kept apart."""
SHARE_OF_A_GROUP = 1.75
"""As many times the mean share of seats of an author may a group of authors have."""
FIRST_SEATS = 8 * NEW_BELOW
"""Seats that a group may have in any case: those of eight newcomers."""
RELATED_MEET_EVERY = 8
"""In every eighth block two of a group may meet."""

LEAST_KNOWN, LONGEST_WAIT = "least known", "longest wait"
TURNS = (LEAST_KNOWN, LONGEST_WAIT, LEAST_KNOWN, LEAST_KNOWN)


@dataclass(frozen=True)
class Candidate:
    """An entrant as the draw of blocks sees it.

    :ivar author: `None` is the house, whose bots may share a table.
    :ivar group: authors of one group have one author's turns; empty is a group of its own.
    :ivar young: whether its author's account is younger than a day.
    :ivar played: blocks that it has been drawn for.
    :ivar last: the number of the last of them, -1 before the first.
    :ivar elo: its rating now; 1500 before the first.
    :ivar remote: whether it can hold one hand of a deal only.
    :ivar settled: no block is drawn for its sake; it only sits at tables of others.
    """

    author: str | None = None
    group: str = ""
    young: bool = False
    played: int = 0
    last: int = -1
    elo: float = 1500.0
    remote: bool = False
    settled: bool = False

    @property
    def new(self) -> bool:
        return self.played < NEW_BELOW


def in_the_draw(
    candidates: Mapping[int, Candidate], newcomer_blocks: Mapping[str, int]
) -> dict[int, Candidate]:
    """Return the candidates that may be drawn now.

    :param newcomer_blocks: how many blocks of newcomers each author has had within a day.
    """
    foremost: dict[tuple[str | None, bool], int] = {}
    for entrant in sorted(candidates, key=lambda entrant: (-candidates[entrant].played, entrant)):
        candidate = candidates[entrant]
        if candidate.new and candidate.author is not None:
            foremost.setdefault((candidate.author, candidate.remote), entrant)
    return {
        entrant: candidate
        for entrant, candidate in candidates.items()
        if not candidate.new
        or candidate.author is None
        or (
            foremost[candidate.author, candidate.remote] == entrant
            and newcomer_blocks.get(candidate.author, 0) < NEWCOMER_BLOCKS_A_DAY
        )
    }


def starters(candidates: Mapping[int, Candidate], turn: str) -> Iterator[int]:
    """Yield the entrants for whose sake a block may be drawn, in the order of their turns."""
    if turn == LONGEST_WAIT:
        yield from _by_wait(candidates, candidates)
        return
    new = [entrant for entrant, candidate in candidates.items() if candidate.new]
    yield from sorted(_by_wait(candidates, new), key=lambda entrant: candidates[entrant].young)
    share = shares(candidates, candidates)
    known = [entrant for entrant, candidate in candidates.items() if not candidate.new]
    yield from sorted(
        known,
        key=lambda entrant: (candidates[entrant].played * share[entrant], candidates[entrant].last, entrant),
    )


def shares(candidates: Mapping[int, Candidate], among: Collection[int]) -> dict[int, int]:
    """Return for each of these entrants the number of turns of which one is its own."""
    author = {entrant: author_of(candidates, entrant) for entrant in among}
    group = {entrant: candidates[entrant].group or author[entrant] for entrant in among}
    bots = Counter(author.values())
    authors = Counter(dict(zip(author.values(), group.values(), strict=True)).values())
    return {entrant: len(authors) * authors[group[entrant]] * bots[author[entrant]] for entrant in among}


def author_of(candidates: Mapping[int, Candidate], entrant: int) -> str | int:
    """The author, where each bot of the house is one of its own."""
    author = candidates[entrant].author
    return entrant if author is None else author


def group_of(candidate: Candidate) -> str | None:
    """The group of a candidate: that of its accounts, else its author; none for the house."""
    return candidate.group or candidate.author


def groups_in(candidates: Mapping[int, Candidate]) -> int:
    """The number of groups in the field, without the house."""
    return len({group_of(candidate) for candidate in candidates.values()} - {None})


def within_their_share(candidates: Mapping[int, Candidate], seats: Mapping[int, int]) -> dict[int, Candidate]:
    """Return the candidates without those of groups that had more than their share of the seats of late."""
    authors: defaultdict[str | None, set[str | None]] = defaultdict(set)
    had: Counter[str | None] = Counter()
    for entrant, candidate in candidates.items():
        authors[group_of(candidate)].add(candidate.author)
        had[group_of(candidate)] += seats.get(entrant, 0)
    groups = authors.keys() - {None}
    everybody = sum(had[group] for group in groups)
    waiting = {
        group
        for group in groups
        if len(authors[group]) > 1
        and had[group] >= FIRST_SEATS
        and had[group] * (len(groups) - 1) >= SHARE_OF_A_GROUP * (everybody - had[group])
    }
    return {
        entrant: candidate for entrant, candidate in candidates.items() if group_of(candidate) not in waiting
    }


def _by_wait(candidates: Mapping[int, Candidate], among: Collection[int]) -> list[int]:
    """Sort entrants by the block in which their turn is due: a share of all turns after their last one."""
    share = shares(candidates, among)
    return sorted(
        among, key=lambda entrant: (candidates[entrant].last + len(TURNS) * share[entrant], entrant)
    )
