"""The tables of one block: every entrant holds every hand once.

Each base block is a group that moves every seat to every other in exactly one way. Where the same entrants
meet again, the next coset of that group seats them in another order. Over all cosets each entrant sits at
every distance from each other one equally often, and with two to five seats every pair of entrants holds
every pair of hands equally often (no ten such base blocks do that for six).

| seats | base block                 | tables | cosets |
|-------|----------------------------|--------|--------|
| 2     | swap                       | 2      | 1      |
| 3     | rotations                  | 3      | 2      |
| 4     | Klein four-group           | 4      | 3      |
| 5     | rotations                  | 5      | 4      |
| 6     | symmetric group S3         | 6      | 10     |
"""

from __future__ import annotations

from stichkampf.schedule.errors import ScheduleError

Seating = tuple[int, ...]

# Coset 1 of five seats is the mirror image of coset 0: both together seat each entrant before and behind each
# other equally often.
_COSETS: dict[int, tuple[Seating, ...]] = {
    2: ((0, 1),),
    3: ((0, 1, 2), (0, 2, 1)),
    4: ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2)),
    5: ((0, 1, 2, 3, 4), (0, 4, 3, 2, 1), (0, 2, 4, 1, 3), (0, 3, 1, 4, 2)),
    6: (
        (0, 1, 2, 4, 5, 3),
        (0, 1, 2, 5, 3, 4),
        (0, 1, 4, 2, 3, 5),
        (0, 1, 4, 3, 2, 5),
        (0, 2, 1, 3, 4, 5),
        (0, 2, 3, 1, 5, 4),
        (0, 2, 3, 4, 1, 5),
        (0, 2, 4, 1, 5, 3),
        (0, 3, 1, 2, 5, 4),
        (0, 3, 1, 5, 2, 4),
    ),
}


def seatings(seats: int, coset: int = 0, *, partners: bool = False) -> list[Seating]:
    """Return the tables of a block: at each, the number of the entrant that holds each seat, seat 0 first.

    :param coset: the number of the order, modulo `cosets(seats)`.
    :param partners: seats 0 and 2 are one side, seats 1 and 3 the other, and two copies of an entrant are a
        side: two entrants, two tables.
    :raises ScheduleError: for a number of seats that no game has, and for partners not at four seats.

    >>> seatings(4)
    [(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)]
    """
    if partners:
        _check_partners(seats)
        return [(0, 1, 0, 1), (1, 0, 1, 0)]
    orders = _COSETS[_checked(seats)]
    order = orders[coset % len(orders)]
    return [tuple(order[position] for position in table) for table in _group(seats)]


def cosets(seats: int, *, partners: bool = False) -> int:
    """Count the different base blocks that the same entrants can play before they are fully balanced.

    >>> cosets(4)
    3
    """
    if partners:
        _check_partners(seats)
        return 1
    return len(_COSETS[_checked(seats)])


def entrants_a_block(seats: int, *, partners: bool = False) -> int:
    """Count the entrants of a block.

    >>> entrants_a_block(4), entrants_a_block(4, partners=True)
    (4, 2)
    """
    if partners:
        _check_partners(seats)
        return 2
    return _checked(seats)


def mirrored(seats: int, turn: int = 0) -> list[Seating]:
    """Return two tables for a regression test of entrants 0 and 1: copies of both, then the complementary
    seating.

    :param turn: the number of the block in the test; takes the ways to seat the copies in turn.

    >>> mirrored(4)
    [(0, 0, 1, 1), (1, 1, 0, 0)]
    """
    half = _checked(seats) // 2
    ways = [table for table in _halves(seats, half) if table[0] == 0 or 2 * half < seats]
    table = ways[turn % len(ways)]
    return [table, tuple(1 - entrant for entrant in table)]


def _halves(seats: int, half: int) -> list[Seating]:
    """List every table with `half` seats for entrant 1."""
    return [
        tuple(mask >> (seats - 1 - seat) & 1 for seat in range(seats))
        for mask in range(1 << seats)
        if mask.bit_count() == half
    ]


def _group(seats: int) -> list[Seating]:
    """Return for each table the position of each seat in the order of the block."""
    if seats == 4:
        return [tuple(seat ^ table for seat in range(4)) for table in range(4)]
    if seats == 6:
        # Neighbouring seats differ by a reflection, so each neighbour sits before as often as behind.
        turns = [tuple((seat + 2 * turn) % 6 for seat in range(6)) for turn in range(3)]
        reflections = [tuple((2 * turn + 1 - seat) % 6 for seat in range(6)) for turn in range(3)]
        return turns + reflections
    return [tuple((seat + table) % seats for seat in range(seats)) for table in range(seats)]


def _checked(seats: int) -> int:
    if seats not in _COSETS:
        raise ScheduleError(f"a table has two to six seats, not {seats}")
    return seats


def _check_partners(seats: int) -> None:
    if seats != 4:
        raise ScheduleError(f"partners sit at tables of four, not of {seats}")
