"""Whole plans: lists of blocks, each with its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Generic, TypeVar

from stichkampf.schedule.designs import balanced_groups
from stichkampf.schedule.errors import ScheduleError
from stichkampf.schedule.meeting_counts import MeetingCounts
from stichkampf.schedule.seatings import entrants_a_block, mirrored, seatings

Entrant = TypeVar("Entrant", bound=Hashable)
Authors = Mapping[Entrant, Hashable]

_ATTEMPTS = 200


@dataclass(frozen=True)
class Block(Generic[Entrant]):
    """One deal and its tables.

    >>> block_of(["ann", "bob"], seats=2)
    Block(entrants=('ann', 'bob'), tables=(('ann', 'bob'), ('bob', 'ann')))

    :ivar entrants: the players.
    :ivar tables: for each table the entrants by seat, seat 0 first.
    """

    entrants: tuple[Entrant, ...]
    tables: tuple[tuple[Entrant, ...], ...]


def block_of(
    entrants: Sequence[Entrant], seats: int, coset: int = 0, *, partners: bool = False
) -> Block[Entrant]:
    """Make the block in which these entrants hold every hand once.

    >>> block_of(["ann", "bob", "cid"], seats=3).tables
    (('ann', 'bob', 'cid'), ('bob', 'cid', 'ann'), ('cid', 'ann', 'bob'))

    :param coset: the number of earlier blocks of the same entrants.
    :raises ScheduleError: when they are not as many as the block needs, or one is named twice.
    """
    needed = entrants_a_block(seats, partners=partners)
    if len(entrants) != needed or len(set(entrants)) != needed:
        given = len(set(entrants))
        raise ScheduleError(f"a block at {seats} seats needs {needed} different entrants, not {given}")
    tables = seatings(seats, coset, partners=partners)
    return Block(tuple(entrants), tuple(tuple(entrants[number] for number in table) for table in tables))


def round_robin_blocks(
    entrants: Sequence[Entrant],
    seats: int,
    blocks: int,
    *,
    seed: int = 0,
    partners: bool = False,
    authors: Authors[Entrant] | None = None,
) -> list[Block[Entrant]]:
    """Plan blocks among all entrants: by a balanced design where there is one, else greedily.

    >>> [block.entrants for block in round_robin_blocks(["ann", "bob", "cid"], seats=2, blocks=3, seed=1)]
    [('ann', 'cid'), ('bob', 'cid'), ('ann', 'bob')]

    Over whole runs of a design every pair meets equally often. At any moment, and in a greedy plan without
    authors, entrants are at most five blocks apart in what they have played, and pairs at most five meetings.

    :param blocks: in all, not for each entrant.
    :param authors: two entrants of one author never share a table.
    :raises ScheduleError: with too few entrants (of different authors), or fewer than one block.
    """
    size = entrants_a_block(seats, partners=partners)
    _check(entrants, size, blocks)
    meetings = MeetingCounts(_shuffled(entrants, seed), seed=seed, authors=authors)
    design = None if _share_authors(entrants, authors) else balanced_groups(len(entrants), size)
    if design is None:
        groups = [meetings.next_group(size) for _ in range(blocks)]
    else:
        order = meetings.entrants
        groups = [tuple(order[number] for number in design[turn % len(design)]) for turn in range(blocks)]
    return _seated(groups, seats, partners, seed)


def gauntlet_blocks(
    challenger: Entrant,
    field: Sequence[Entrant],
    seats: int,
    blocks: int,
    *,
    seed: int = 0,
    partners: bool = False,
    authors: Authors[Entrant] | None = None,
) -> list[Block[Entrant]]:
    """Plan blocks of one entrant against a field, whose members play and meet about equally often.

    >>> plan = gauntlet_blocks("new", ["ann", "bob", "cid"], seats=2, blocks=3, seed=1)
    >>> sorted(sorted(block.entrants) for block in plan)
    [['ann', 'new'], ['bob', 'new'], ['cid', 'new']]

    :raises ScheduleError: with too few entrants (of different authors), or fewer than one block.
    """
    size = entrants_a_block(seats, partners=partners)
    everybody = [challenger, *_shuffled(field, seed)]
    _check(everybody, size, blocks)
    meetings = MeetingCounts(everybody, seed=seed, authors=authors)
    groups = [meetings.next_group(size, start=[challenger]) for _ in range(blocks)]
    return _seated(groups, seats, partners, seed)


def regression_blocks(
    new: Entrant, old: Entrant, seats: int, blocks: int, *, first: int = 0, partners: bool = False
) -> list[Block[Entrant]]:
    """Plan mirrored pairs of tables for `stichkampf.rating.regression_test`: copies of both, then the
    complement.

    >>> regression_blocks("new", "old", seats=4, blocks=1)[0].tables
    (('new', 'new', 'old', 'old'), ('old', 'old', 'new', 'new'))

    :param first: the number of pairs played before; the ways to seat the copies come in turn.
    :raises ScheduleError: for fewer than one block.
    """
    _check([new, old], 2, blocks)
    plan = []
    for turn in range(first, first + blocks):
        tables = seatings(seats, partners=True) if partners else mirrored(seats, turn)
        plan.append(Block((new, old), tuple(tuple((new, old)[n] for n in table) for table in tables)))
    return plan


def remote_blocks(
    entrants: Sequence[Entrant],
    seats: int,
    blocks: int,
    *,
    seed: int = 0,
    partners: bool = False,
    authors: Authors[Entrant] | None = None,
) -> list[Block[Entrant]]:
    """Plan blocks with remote entrants, whose memory cannot be cleared: two or more full tables, each entrant
    seated once.

    Entrants that hold the same hand are compared, so those compared least are chosen. An entrant without a
    seat, since every table must be full, has played least when the next block is filled.

    >>> (block,) = remote_blocks(["ann", "bob", "cid", "dan", "eva"], seats=2, blocks=1, seed=1)
    >>> [len(table) for table in block.tables], len(set(block.entrants))
    ([2, 2], 4)

    :raises ScheduleError: with fewer entrants than two tables hold.
    """
    sides = entrants_a_block(seats, partners=partners)
    tables = len(entrants) // sides
    if tables < 2:
        raise ScheduleError(
            f"remote entrants play two full tables: {2 * sides} entrants, not {len(entrants)}"
        )
    _check(entrants, sides, blocks)
    compared = MeetingCounts(_shuffled(entrants, seed), seed=seed)
    opposed = MeetingCounts(entrants, seed=seed)
    random = Random(seed)
    order = seatings(seats, partners=True)[0] if partners else tuple(range(seats))
    plan = []
    for _ in range(blocks):
        by_play = sorted(compared.entrants, key=compared.played)
        unavailable = by_play[tables * sides :]
        hands: list[Sequence[Entrant]] = []
        for _hand in range(sides):
            hands.append(compared.next_group(tables, without=unavailable))
            unavailable += hands[-1]
        columns = _tables(hands, opposed, authors or {}, random)
        seated = tuple(entrant for hand in hands for entrant in hand)
        plan.append(Block(seated, tuple(tuple(column[side] for side in order) for column in columns)))
    return plan


def _tables(
    hands: Sequence[Sequence[Entrant]],
    opposed: MeetingCounts[Entrant],
    authors: Authors[Entrant],
    random: Random,
) -> list[list[Entrant]]:
    """Seat the holders of each hand with the entrants that they met least, never with one of their author.

    The authors can leave an entrant without a table; then all are seated again with more weight on chance.
    """
    for attempt in range(_ATTEMPTS):
        columns = _dealt(hands, opposed, authors, random, haphazard=attempt)
        if columns:
            for column in columns:
                opposed.add(column)
            return columns
    raise ScheduleError("too many entrants of one author to seat them at different tables")


def _dealt(
    hands: Sequence[Sequence[Entrant]],
    opposed: MeetingCounts[Entrant],
    authors: Authors[Entrant],
    random: Random,
    haphazard: int,
) -> list[list[Entrant]] | None:
    """Try once; None where an entrant finds no table. `haphazard` is the weight of chance, in meetings."""
    columns: list[list[Entrant]] = [[entrant] for entrant in hands[0]]
    for hand in hands[1:]:
        fitting = {
            entrant: [column for column in columns if not _related(entrant, column, authors)]
            for entrant in hand
        }
        filled = len(columns[0]) + 1
        for entrant in sorted(hand, key=lambda holder: len(fitting[holder])):
            free = [column for column in fitting[entrant] if len(column) < filled]
            if not free:
                return None
            meetings = [
                sum(opposed.met(entrant, other) for other in column) + haphazard * random.random()
                for column in free
            ]
            free[meetings.index(min(meetings))].append(entrant)
    return columns


def _related(entrant: Entrant, column: Sequence[Entrant], authors: Authors[Entrant]) -> bool:
    author = authors.get(entrant)
    return author is not None and any(authors.get(other) == author for other in column)


def _seated(
    groups: Sequence[Sequence[Entrant]], seats: int, partners: bool, seed: int
) -> list[Block[Entrant]]:
    """Seat the groups: entrants take the next coset each time they meet; their first order is drawn."""
    random = Random(seed)
    orders: dict[frozenset[Entrant], list[Entrant]] = {}
    times: Counter[frozenset[Entrant]] = Counter()
    plan = []
    for group in groups:
        who = frozenset(group)
        if who not in orders:
            orders[who] = random.sample(group, len(group))
        plan.append(block_of(orders[who], seats, times[who], partners=partners))
        times[who] += 1
    return plan


def _shuffled(entrants: Sequence[Entrant], seed: int) -> list[Entrant]:
    return Random(seed).sample(list(entrants), len(entrants))


def _share_authors(entrants: Sequence[Entrant], authors: Authors[Entrant] | None) -> bool:
    known = [author for entrant in entrants if (author := (authors or {}).get(entrant)) is not None]
    return len(set(known)) < len(known)


def _check(entrants: Sequence[Entrant], size: int, blocks: int) -> None:
    if len(set(entrants)) < len(entrants):
        raise ScheduleError("an entrant is named twice")
    if len(entrants) < size:
        raise ScheduleError(f"a block needs {size} entrants, there are only {len(entrants)}")
    if blocks < 1:
        raise ScheduleError(f"a plan has one block or more, not {blocks}")
