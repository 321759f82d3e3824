from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import combinations

from django.utils.translation import gettext_lazy
from stichkampf.engine.seeds import Chance

from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments.formats import ranking
from stichkampf_platform.tournaments.formats.base import RoundFormat, TieBreak
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating, Standing
from stichkampf_platform.tournaments.formats.drawing import RoundField, draw_groups, most_groups
from stichkampf_platform.tournaments.formats.groups import blocks_of, check_block, listed

DIRECT = TieBreak(
    "direct",
    gettext_lazy("Direct"),
    gettext_lazy(
        "Direct encounter: the share that it took from those with equal points, where each of them has met"
        " each."
    ),
)
BUCHHOLZ = TieBreak(
    "buchholz",
    gettext_lazy("Buchholz"),
    gettext_lazy(
        "Buchholz, the strength of the opponents: the mean of the points of those at its table, added up"
        " over the rounds; a rest counts as its own points."
    ),
)
SONNEBORN_BERGER = TieBreak(
    "sonneborn_berger",
    gettext_lazy("Sonneborn-Berger"),
    gettext_lazy(
        "Sonneborn-Berger: the same, but of each opponent's points only the share that it took from that"
        " opponent: it pays to beat the strong."
    ),
)


class Swiss(RoundFormat):
    """Rounds in which entrants with like scores meet that have not met. Blocks are counted for each group.

    A round is worth the share of the same-hand points that an entrant took, and a rest as much as its own
    mean over the rounds that it played, so that it neither gains nor loses by it. `drawing` says who meets,
    by what was played: a forfeit costs points, and gives no other entrant weaker or stronger opponents.
    """

    name = "swiss"
    title = gettext_lazy("Swiss")
    shows_rounds = True
    ranks = True
    unit = gettext_lazy("for each group")
    takes_rounds = True
    tie_breaks = (DIRECT, BUCHHOLZ, SONNEBORN_BERGER)

    def check(self, competition: Competition) -> None:
        check_block(competition)

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        if len(past.rounds) >= (competition.rounds or 0):
            return []
        return blocks_of(competition, draw_groups(_field(competition, past)))

    def tables_at_most(self, competition: Competition) -> int:
        self.check(competition)
        groups = most_groups(list(competition.authors.values()), competition.group_size)
        return groups * competition.blocks * competition.tables_a_block * (competition.rounds or 1)

    def outcome(self, competition: Competition, past: Past) -> str:
        lines = self.standings(competition, past)
        if not lines:
            return ""
        first = [competition.names[line.entrant] for line in lines if line.place == 1]
        won = {"name": first[0], "points": lines[0].points or 0.0, "rounds": _counted(len(past.rounds))}
        if len(first) > 1:
            return Sentence(
                "{names} share the first place with {points:.2f} points from {rounds}: the direct"
                " encounter and the strength of their opponents part them no more.",
                **won | {"names": listed(first)},
            )
        equal = [line for line in lines if _equal(line.points, lines[0].points)]
        if len(equal) < 2:
            return Sentence("{name} wins with {points:.2f} points from {rounds}.", **won)
        told = won | {"names": listed([competition.names[line.entrant] for line in equal[1:]])}
        second = lines[1].tie_breaks or {}
        parting = next(
            each.name
            for each in self.tie_breaks
            if not _equal((lines[0].tie_breaks or {})[each.name], second[each.name])
        )
        if parting == DIRECT.name:
            return Sentence(
                "{name} wins with {points:.2f} points from {rounds}: {names} took as many, and the"
                " direct encounter decides.",
                **told,
            )
        if parting == BUCHHOLZ.name:
            return Sentence(
                "{name} wins with {points:.2f} points from {rounds}: {names} took as many, and the"
                " strength of the opponents decides (Buchholz).",
                **told,
            )
        return Sentence(
            "{name} wins with {points:.2f} points from {rounds}: {names} took as many, and the"
            " strength of those that it beat decides (Sonneborn-Berger).",
            **told,
        )

    def standings(self, competition: Competition, past: Past) -> list[Standing]:
        """Rank by points, then by the tie-breaks; those that nothing parts share a place."""
        points = _points(competition, past)
        of_opponents = _points(competition, past.as_played)
        values: dict[str, Mapping[int, float]] = {
            BUCHHOLZ.name: ranking.opponents(past, of_opponents),
            SONNEBORN_BERGER.name: ranking.beaten(past, of_opponents),
        }
        lot = competition.lot("standings")
        tiers = [[one for one in sorted(lot, key=lot.__getitem__) if one not in competition.out]]
        tiers = ranking.refined(tiers, partial(ranking.known, points))
        direct: dict[int, float] = {}
        for tier in tiers:
            if len(tier) > 1:
                direct |= ranking.direct(past, tier)
        values[DIRECT.name] = direct
        for each in self.tie_breaks:
            tiers = ranking.refined(tiers, partial(ranking.known, values[each.name]))
        places = ranking.ranks(tiers)
        return [
            Standing(
                entrant,
                place,
                points=points[entrant],
                tie_breaks={each.name: values[each.name].get(entrant) for each in self.tie_breaks},
            )
            for entrant, place in places.items()
        ]

    def rest_worth(self, competition: Competition, past: Past, entrant: int) -> float:
        return ranking.mean_shares(past).get(entrant, ranking.EVEN)


def _points(competition: Competition, past: Past) -> dict[int, float]:
    """Return the points of all entrants, those that are out too; a rest is worth the mean of the rounds."""
    means = ranking.mean_shares(past)
    return {entrant: len(past.rounds) * means.get(entrant, ranking.EVEN) for entrant in competition.authors}


def _field(competition: Competition, past: Past) -> RoundField:
    number = len(past.rounds)
    points = _points(competition, past.as_played)
    met: Counter[tuple[int, int]] = Counter()
    played: Counter[int] = Counter()
    for before in range(number):
        for group in past.groups(before):
            played.update(group)
            met.update(combinations(sorted(group), 2))
    lot = competition.lot(f"round {number + 1}")
    present = [entrant for entrant in competition.authors if competition.plays(entrant, number)]
    return RoundField(
        entrants=sorted(present, key=lambda one: (-round(points[one], ranking.DIGITS), lot[one])),
        size=competition.group_size,
        authors=competition.authors,
        points=points,
        rested={entrant: number - played[entrant] for entrant in competition.authors},
        met=met,
        lot=lot,
        chance=Chance(competition.seed, f"draw round {number + 1}"),
    )


def _counted(rounds: int) -> Sentence:
    return Sentence("1 round") if rounds == 1 else Sentence("{count} rounds", count=rounds)


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return round(one, ranking.DIGITS) == round(other, ranking.DIGITS)
