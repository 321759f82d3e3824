"""The cheapest way to part sixteen things or fewer into groups of one size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

NO_ROOM = -1
"""The cost of a pair that is never in one group."""

Chosen = tuple[int, ...]


def cheapest_partition(
    costs: Mapping[tuple[int, int], int], rests: Sequence[int], size: int, groups: int
) -> list[Chosen]:
    """Return the groups that cost least in all; those in none of them rest.

    Costs are whole numbers, however great, so that one criterion can outweigh all after it, and every
    machine finds the same groups. By dynamic programming over those that are left: the first of them rests,
    or it is in a group with others.

    :param costs: of two in one group, by the smaller number, then the greater.
    :param rests: the cost of each that is in no group.
    :raises ValueError: there is no room for these groups.
    """
    found = _Search(costs, rests, size).cheapest((1 << len(rests)) - 1, len(rests) - groups * size)
    if found is None:
        raise ValueError(f"there are no {groups} groups of {size}")
    return [group for group in found[1] if len(group) > 1]


class _Search:
    def __init__(self, costs: Mapping[tuple[int, int], int], rests: Sequence[int], size: int) -> None:
        self._rests, self._size = rests, size
        self._known: dict[tuple[int, int], tuple[int, tuple[Chosen, ...]] | None] = {}
        self._groups: list[list[tuple[int, int, Chosen]]] = []
        for first in range(len(rests)):
            with_first = []
            for others in combinations(range(first + 1, len(rests)), size - 1):
                group = (first, *others)
                pairs = [costs[pair] for pair in combinations(group, 2)]
                if NO_ROOM not in pairs:
                    with_first.append((sum(pairs), sum(1 << member for member in group), group))
            self._groups.append(sorted(with_first))

    def cheapest(self, left: int, resting: int) -> tuple[int, tuple[Chosen, ...]] | None:
        """Return the least cost of those in the mask `left`, and their groups; None where there are none.

        :param resting: how many of them rest, each a group of its own.
        """
        if not left:
            return 0, ()
        if (left, resting) in self._known:
            return self._known[left, resting]
        first = (left & -left).bit_length() - 1
        best: tuple[int, tuple[Chosen, ...]] | None = None
        if resting:
            below = self.cheapest(left ^ (1 << first), resting - 1)
            if below is not None:
                best = self._rests[first] + below[0], ((first,), *below[1])
        if left.bit_count() - resting >= self._size:
            for cost, mask, group in self._groups[first]:
                if best is not None and cost >= best[0]:
                    break
                if mask & left == mask:
                    below = self.cheapest(left ^ mask, resting)
                    if below is not None and (best is None or cost + below[0] < best[0]):
                        best = cost + below[0], (group, *below[1])
        self._known[left, resting] = best
        return best
