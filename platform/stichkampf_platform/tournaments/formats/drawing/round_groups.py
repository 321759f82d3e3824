"""The draw of a round in groups: who meets whom, and who rests.

Entrants of one author never meet. Of all other draws one is chosen by these, each only among draws that are
equal in all before: the most groups; those rest who have rested least; the fewest pairs meet again, and of
them those that met least; a lot says who rests; the least differences of points in groups; a lot.

The first two always hold. Up to `EXACT` entrants all of them do, by `partition`; beyond, groups are filled
one after the other and then exchange members.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from stichkampf.engine.seeds import Chance

from stichkampf_platform.tournaments.formats.drawing.partition import NO_ROOM, cheapest_partition

EXACT = {2: 18, 3: 18, 4: 18, 5: 16, 6: 16}
"""By size of a group, the most entrants of which the best draw is found by looking at all draws."""
WINDOW = 12
"""Entrants of groups that are drawn again together, where exchanges mend no more."""
WINDOWS = 6
"""Attempts in vain after which groups in which entrants meet again stay as they are."""
POINT = 10_000
"""Units of a point, to whose nearest a difference is rounded."""
AGAIN, ONCE_MORE = 1 << 44, 1 << 34
"""The costs of a pair that meets again, and of each time that it did so before; points cost less."""
MOST_TIMES = 99


@dataclass(frozen=True)
class RoundField:
    """The entrants of a round.

    :ivar entrants: all that may play, the best first.
    :ivar size: of a group.
    :ivar authors: `None` is the house, whose bots may meet.
    :ivar points: by which like meets like.
    :ivar rested: how often each has rested.
    :ivar met: how often two have met, by the smaller number, then the greater.
    :ivar lot: a place for each, by chance.
    :ivar chance: of the rest of the draw.
    """

    entrants: Sequence[int]
    size: int
    authors: Mapping[int, Hashable]
    points: Mapping[int, float]
    rested: Mapping[int, int]
    met: Mapping[tuple[int, int], int]
    lot: Mapping[int, int]
    chance: Chance

    def times(self, one: int, other: int) -> int:
        return self.met.get((one, other) if one < other else (other, one), 0)


def most_groups(authors: Sequence[Hashable], size: int) -> int:
    """Count the groups that there can be at once, given the authors of all; `None` is the house."""
    bots = Counter(author for author in authors if author is not None)
    free = len(authors) - bots.total()
    groups = len(authors) // size
    while groups and free + sum(min(groups, count) for count in bots.values()) < groups * size:
        groups -= 1
    return groups


def draw_groups(field: RoundField) -> list[list[int]]:
    """Draw the groups of a round; the members of each, and the groups, stand by their best entrant."""
    groups = most_groups([field.authors[entrant] for entrant in field.entrants], field.size)
    if not groups:
        return []
    equal = not field.met and len(set(field.points.values())) < 2 and not any(field.rested.values())
    if len(field.entrants) <= EXACT[field.size] and not equal:
        found = _exactly(field, groups)
    else:
        playing = _playing(field, groups)
        found = _one_after_the_other(field, playing, groups)
        if not equal:
            found = _Exchange(field, found).improved()
            while _exchange_rests(field, found):
                found = _Exchange(field, found).improved()
    place = {entrant: place for place, entrant in enumerate(field.entrants)}
    return sorted((sorted(group, key=place.__getitem__) for group in found), key=lambda one: place[one[0]])


def _exactly(field: RoundField, groups: int) -> list[list[int]]:
    entrants, count = list(field.entrants), len(field.entrants)
    kinds = sorted({field.rested[entrant] for entrant in entrants})
    weight = {kind: (count + 1) ** at for at, kind in enumerate(kinds)}
    top = 1 << 20  # more than all lots of pairs
    above = top * POINT * MOST_TIMES * count**2  # more than all differences of points
    places = {entrant: at for at, entrant in enumerate(sorted(entrants, key=field.lot.__getitem__))}
    one_lot = {entrant: above << places[entrant] for entrant in entrants}
    more = above << count
    again = more * MOST_TIMES * count**2
    rest_twice = again * count**2
    costs = {}
    for one, other in combinations(range(len(entrants)), 2):
        first, second = entrants[one], entrants[other]
        if _apart(field, first, second):
            costs[one, other] = NO_ROOM
            continue
        times = field.times(first, second)
        costs[one, other] = (
            again * (times > 0)
            + more * max(0, min(times, MOST_TIMES) - 1)
            + top * _difference(field, first, second)
            + field.chance.below(top // count**2)
        )
    rests = [rest_twice * weight[field.rested[entrant]] + one_lot[entrant] for entrant in entrants]
    chosen = cheapest_partition(costs, rests, field.size, groups)
    return [[entrants[at] for at in group] for group in chosen]


def _playing(field: RoundField, groups: int) -> list[int]:
    """Choose who plays, the best first: who has rested most, then by lot; of an author one for each group."""
    chosen: set[int] = set()
    seated: Counter[Hashable] = Counter()
    for entrant in sorted(field.entrants, key=lambda one: (-field.rested[one], field.lot[one])):
        author = field.authors[entrant]
        if len(chosen) < groups * field.size and (author is None or seated[author] < groups):
            chosen.add(entrant)
            seated[author] += 1
    return [entrant for entrant in field.entrants if entrant in chosen]


def _one_after_the_other(field: RoundField, playing: list[int], groups: int) -> list[list[int]]:
    """Fill group after group with those who met it least, the best first, so that all can be filled.

    That is possible as long as no author has more bots left than groups are left: an author with as many has
    one in each.
    """
    left = list(playing)
    bots = Counter(field.authors[entrant] for entrant in playing)
    bots.pop(None, None)
    found = []
    for to_fill in range(groups, 0, -1):
        group: list[int] = []
        needed = {author for author, count in bots.items() if count == to_fill}
        while len(group) < field.size:
            forced = len(needed) == field.size - len(group)
            chosen = _least_met(field, left, group, needed if forced else None)
            left.remove(chosen)
            group.append(chosen)
            author = field.authors[chosen]
            needed.discard(author)
            if author is not None:
                bots[author] -= 1
        found.append(group)
    return found


def _least_met(field: RoundField, left: list[int], group: list[int], only: set[Hashable] | None) -> int:
    chosen, fewest = -1, (1, 0)
    authors = {field.authors[member] for member in group} - {None}
    for entrant in left:
        author = field.authors[entrant]
        if author in authors or (only is not None and author not in only):
            continue
        times = [field.times(entrant, other) for other in group]
        met = (sum(time > 0 for time in times), sum(times))
        if chosen < 0 or met < fewest:
            chosen, fewest = entrant, met
        if met == (0, 0):
            break
    return chosen


def _exchange_rests(field: RoundField, groups: list[list[int]]) -> bool:
    """Let somebody rest instead of another that has rested as often, where fewer pairs meet again then."""
    seated = {entrant for group in groups for entrant in group}
    resting = sorted(set(field.entrants) - seated, key=field.lot.__getitem__)
    for group in groups:
        for at, member in enumerate(group):
            others = [mate for mate in group if mate != member]
            again = _meet_again(field, member, others)
            for entrant in resting if again else ():
                if (
                    field.rested[entrant] == field.rested[member]
                    and not any(_apart(field, entrant, mate) for mate in others)
                    and _meet_again(field, entrant, others) < again
                ):
                    group[at] = entrant
                    return True
    return False


def _meet_again(field: RoundField, entrant: int, others: list[int]) -> int:
    return sum(field.times(entrant, other) > 0 for other in others)


class _Exchange:
    """Groups that exchange members as long as that makes them better, by one cost for each pair."""

    def __init__(self, field: RoundField, groups: list[list[int]]) -> None:
        self._chance = field.chance
        self._names = [entrant for group in groups for entrant in group]
        count, self._size = len(self._names), field.size
        at = {entrant: number for number, entrant in enumerate(self._names)}
        points = np.array([round(POINT * field.points[entrant]) for entrant in self._names], dtype=np.int64)
        self._cost = np.abs(points[:, None] - points[None, :])
        for (one, other), times in field.met.items():
            if one in at and other in at and times:
                cost = AGAIN + ONCE_MORE * (min(times, MOST_TIMES) - 1)
                self._cost[at[one], at[other]] += cost
                self._cost[at[other], at[one]] += cost
        owners: dict[Hashable, int] = {}
        self._author = np.array(
            [
                -1 if (author := field.authors[entrant]) is None else owners.setdefault(author, len(owners))
                for entrant in self._names
            ]
        )
        self._groups = np.arange(count).reshape(-1, field.size)
        self._group_of = np.arange(count) // field.size

    def improved(self) -> list[list[int]]:
        self._exchange()
        idle = 0
        for _ in range(WINDOWS * WINDOW):
            again = [number for number in range(len(self._groups)) if self._price([number]) >= AGAIN]
            if not again or len(self._groups) < 2 or idle == WINDOWS:
                break
            better = [number for number in again if self._draw_again(number)]
            idle = 0 if better else idle + 1
            if better:
                self._exchange()
        return [[self._names[number] for number in group] for group in self._groups.tolist()]

    def _exchange(self) -> None:
        """Exchange two members wherever that is cheaper, until it is so nowhere."""
        for _ in range(self._size * 4):
            better = [one for one in range(len(self._names)) if self._exchange_one(one)]
            if not better:
                return

    def _exchange_one(self, one: int) -> bool:
        own, author = int(self._group_of[one]), self._author[one]
        mates = self._groups[own][self._groups[own] != one]
        to_group = self._cost[one][self._groups].sum(axis=1)[self._group_of]
        to_mates = self._cost[:, mates].sum(axis=1)
        inside = self._cost[np.arange(len(self._names))[:, None], self._groups[self._group_of]].sum(axis=1)
        gain = inside[one] + inside - to_mates - (to_group - self._cost[one])
        allowed = self._group_of != own
        known = self._author[mates]
        allowed &= ~np.isin(self._author, known[known >= 0])
        if author >= 0:
            holder = (self._author[self._groups] == author).any(axis=1)[self._group_of]
            allowed &= ~holder | (self._author == author)
        gain = np.where(allowed, gain, 0)
        other = int(gain.argmax())
        if gain[other] <= 0:
            return False
        theirs = int(self._group_of[other])
        self._groups[own][self._groups[own] == one] = other
        self._groups[theirs][self._groups[theirs] == other] = one
        self._group_of[one], self._group_of[other] = theirs, own
        return True

    def _draw_again(self, number: int) -> bool:
        """Draw a group again with some others, in the best way; tell whether it made them better."""
        others = [other for other in range(len(self._groups)) if other != number]
        drawn = self._chance.shuffled(others)[: max(1, WINDOW // self._size - 1)]
        window = [number, *drawn]
        members = self._groups[window].ravel().tolist()
        costs = {}
        for one, other in combinations(range(len(members)), 2):
            first, second = members[one], members[other]
            apart = self._author[first] >= 0 and self._author[first] == self._author[second]
            costs[one, other] = NO_ROOM if apart else int(self._cost[first, second])
        before = self._price(window)
        chosen = cheapest_partition(costs, [0] * len(members), self._size, len(window))
        for place, group in zip(window, chosen, strict=True):
            self._groups[place] = [members[at] for at in group]
            self._group_of[self._groups[place]] = place
        return self._price(window) < before

    def _price(self, window: list[int]) -> int:
        return sum(
            int(self._cost[np.ix_(self._groups[number], self._groups[number])].sum()) // 2
            for number in window
        )


def _apart(field: RoundField, one: int, other: int) -> bool:
    return field.authors[one] is not None and field.authors[one] == field.authors[other]


def _difference(field: RoundField, one: int, other: int) -> int:
    return abs(round(POINT * field.points[one]) - round(POINT * field.points[other]))
