"""Balanced designs: groups of entrants in which every pair meets equally often."""

from __future__ import annotations

from stichkampf.schedule.errors import ScheduleError

Group = tuple[int, ...]

# Perfect difference sets: adding 0, 1, 2, … modulo the number of entrants, every pair meets once.
_DIFFERENCE_SETS: dict[tuple[int, int], Group] = {
    (7, 3): (0, 1, 3),
    (13, 4): (0, 1, 3, 9),
    (21, 5): (0, 1, 4, 14, 16),
    (31, 6): (0, 1, 3, 8, 12, 18),
}
# Twelve at four seats: eleven rounds in which all play, every pair meets three times. None keeps its number.
_TWELVE: tuple[tuple[int | None, ...], ...] = ((4, 9, 0, 3), (5, 2, 6, None), (1, 7, 10, 8))


def balanced_groups(entrants: int, size: int) -> list[Group] | None:
    """Return one run of a design in which every pair of `entrants` meets equally often in groups of `size`.

    The groups come in rounds where the design has any, so that a plan cut short lets all entrants play about
    equally often. None where no design is known here.

    >>> balanced_groups(4, 2)
    [(3, 2), (0, 1), (3, 0), (1, 2), (3, 1), (2, 0)]

    :raises ScheduleError: with fewer entrants than a group holds.
    """
    if size < 2 or entrants < size:
        raise ScheduleError(f"groups of {size} cannot be made of {entrants} entrants")
    if entrants == size:
        return [tuple(range(size))]
    if size == 2:
        return _circle(entrants)
    if entrants == size + 1:
        return [tuple(e for e in range(entrants) if e != out) for out in range(entrants)]
    if (entrants, size) == (12, 4):
        return [
            tuple(11 if point is None else (point + turn) % 11 for point in group)
            for turn in range(11)
            for group in _TWELVE
        ]
    base = _DIFFERENCE_SETS.get((entrants, size))
    if base is None:
        return None
    return [tuple((point + turn) % entrants for point in base) for turn in range(entrants)]


def _circle(entrants: int) -> list[Group]:
    """List every pair once, in rounds: one entrant stays, the others turn; of an odd number one rests."""
    circle = entrants + entrants % 2
    pairs = []
    for turn in range(circle - 1):
        order = [circle - 1, *((turn + k) % (circle - 1) for k in range(circle - 1))]
        pairs += [(order[k], order[-1 - k]) for k in range(circle // 2)]
    return [pair for pair in pairs if max(pair) < entrants]
