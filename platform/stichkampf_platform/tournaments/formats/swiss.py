from __future__ import annotations

from collections import Counter
from itertools import combinations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.errors import Refused
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments.formats.base import RoundFormat
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating, Standing
from stichkampf_platform.tournaments.formats.groups import blocks_of, may_meet

REST = 0.5
"""The worth of a round to an entrant without a table: as much as an even result."""


class Swiss(RoundFormat):
    """Rounds in which entrants with like scores meet that have met least. Blocks are counted for each group.

    A round is worth the share of the same-hand points that an entrant took. Where the entrants do not fill
    whole groups, those rest that have rested least, the lowest of them first.
    """

    name = "swiss"
    title = gettext_lazy("Swiss")
    shows_rounds = True
    unit = gettext_lazy("for each group")
    takes_rounds = True

    def check(self, competition: Competition) -> None:
        size = competition.group_size
        if len(competition.authors) < size:
            raise Refused(
                _("a block needs {size} entrants, there are only {authors}").format(
                    size=size, authors=len(competition.authors)
                )
            )
        if not self.next_round(competition, Past()):
            raise Refused(_("a block needs {size} entrants of different authors").format(size=size))

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        if len(past.rounds) >= (competition.rounds or 0):
            return []
        return blocks_of(competition, _groups(competition, past, self.standings(competition, past)))

    def outcome(self, competition: Competition, past: Past) -> str:
        lines = self.standings(competition, past)
        if not lines:
            return ""
        name, points = competition.names[lines[0].entrant], lines[0].points
        return Sentence(
            "{name} wins with {points:.2f} points from {rounds} rounds.",
            name=name,
            points=points or 0.0,
            rounds=len(past.rounds),
        )

    def standings(self, competition: Competition, past: Past) -> list[Standing]:
        """Rank by points; between equals the order of entry decides."""
        points = _points(competition, past)
        order = sorted(points, key=lambda entrant: (-points[entrant], entrant))
        return [Standing(entrant, points=points[entrant]) for entrant in order]


def _points(competition: Competition, past: Past) -> dict[int, float]:
    total = dict.fromkeys(sorted(set(competition.authors) - competition.out), 0.0)
    for number in range(len(past.rounds)):
        shares = past.shares(number)
        for entrant in total:
            total[entrant] += shares.get(entrant, REST)
    return total


def _groups(competition: Competition, past: Past, standings: list[Standing]) -> list[list[int]]:
    size = competition.group_size
    places = {line.entrant: place for place, line in enumerate(standings)}
    played: Counter[int] = Counter()
    met: Counter[tuple[int, int]] = Counter()
    for number in range(len(past.rounds)):
        for met_before in past.groups(number):
            played.update(met_before)
            met.update(combinations(sorted(met_before), 2))
    # those that have played most have rested least
    by_rest = sorted(places, key=lambda entrant: (-played[entrant], -places[entrant]))
    resting = set(by_rest[: len(places) % size])
    order = [entrant for entrant in places if entrant not in resting]
    groups: list[list[int]] = []
    while len(order) >= size:
        group = [order.pop(0)]
        while len(group) < size:
            chosen = _next_member(competition, order, group, met)
            if chosen is None:
                break
            order.remove(chosen)
            group.append(chosen)
        if len(group) == size:
            groups.append(group)
    return groups


def _next_member(
    competition: Competition, order: list[int], group: list[int], met: Counter[tuple[int, int]]
) -> int | None:
    """Return the entrant that met the group least, the first of equals; None if all are kept apart."""
    chosen, fewest = None, 0
    for entrant in order:
        if may_meet(competition, entrant, group):
            meetings = sum(met[_pair(entrant, other)] for other in group)
            if chosen is None or meetings < fewest:
                chosen, fewest = entrant, meetings
            if not meetings:
                break
    return chosen


def _pair(first: int, second: int) -> tuple[int, int]:
    return (first, second) if first < second else (second, first)
