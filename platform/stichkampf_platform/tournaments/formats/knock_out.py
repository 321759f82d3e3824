from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments.formats import elimination, ranking
from stichkampf_platform.tournaments.formats.base import RoundFormat
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating, Standing
from stichkampf_platform.tournaments.formats.elimination import Elimination, GroupResult
from stichkampf_platform.tournaments.formats.groups import blocks_of, check_block, listed


class KnockOut(RoundFormat):
    """The better half of each group goes on, until one group is left: the final. Blocks are for each group.

    At three seats the first of a group goes on, at five the first two. Entrants are seeded by lot, or by
    their places in the tournament before, then by their last result. Entrants beyond whole groups have a bye,
    the best first; an empty place, and a final that is not full, is filled with the best of those that went
    out last. Ties are settled by further blocks, then by the criteria of `elimination`, at last by lot; a
    final is shared instead.
    """

    name = "knock-out"
    title = gettext_lazy("Knock-out")
    shows_rounds = True
    ranks = True
    knocks_out = True
    unit = gettext_lazy("for each group of a round")

    def check(self, competition: Competition) -> None:
        check_block(competition)
        known = Counter(competition.authors.values())
        twice = [
            competition.names[one]
            for one, author in competition.authors.items()
            if author is not None and known[author] > 1
        ]
        if twice:
            raise RequestRefused(
                _(
                    "a knock-out takes one version of each author, because two could meet; choose among "
                    "{names}"
                ).format(names=", ".join(sorted(twice)))
            )

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        state = elimination.after(competition, past)
        if state.final is not None:
            return []
        field, size = elimination.drawn(competition, state, len(past.rounds)), competition.group_size
        if len(field) <= size:
            return blocks_of(competition, [field] if len(field) == size else [])
        playing = field[len(field) % size :]
        return blocks_of(competition, _snake(playing, len(playing) // size))

    def further_blocks(self, competition: Competition, past: Past) -> list[list[Seating]]:
        plan: list[list[Seating]] = []
        for group in elimination.after(competition, past).results[-1]:
            if group.to_play == group.members:
                played = competition.blocks + group.further
                plan += blocks_of(competition, [group.to_play], first=played, blocks=1)
            elif group.to_play:
                plan += blocks_of(competition, [group.to_play])
        return plan

    def tables_at_most(self, competition: Competition) -> int:
        self.check(competition)
        alive, groups, size = len(competition.authors), 1, competition.group_size
        while alive > size:
            playing = alive // size
            groups += playing
            alive += playing * (size // 2 - size)
        return groups * competition.blocks * competition.tables_a_block

    def outcome(self, competition: Competition, past: Past) -> str:
        lines = self.standings(competition, past)
        first = [competition.names[line.entrant] for line in lines if line.place == 1]
        if not first:
            return ""
        state = elimination.after(competition, past)
        if state.final is None:
            return Sentence("{names} wins the knock-out: no opponent is left.", names=listed(first))
        result = state.results[-1][-1]
        won = {"name": first[0], "blocks": result.further}
        if lines[0].entrant not in result.through:
            return _passed_over(first, is_out=bool(competition.out & set(result.through)))
        if len(first) > 1:
            return _shared(listed(first), result)
        return _won(won, result)

    def standings(self, competition: Competition, past: Past) -> list[Standing]:
        """Rank the remaining entrants by seed, then the eliminated ones, those of the latest round first."""
        number = len(past.rounds)
        state = elimination.after(competition, past)
        alive = [one for one in state.alive if competition.plays(one, number)]
        reached = {
            entrant: at
            for at, blocks in enumerate(past.rounds, start=1)
            for entrant in frozenset().union(*blocks)
        }
        field = elimination.drawn(competition, state, number) if state.final is None else []
        if len(field) > 1:
            reached.update(dict.fromkeys(field, number + 1))
        tiers = (state.final or _last_ones(competition, state, past, alive)) + state.gone
        there = [[one for one in tier if one not in competition.out] for tier in tiers]
        for one, at in state.carried.items():
            if one not in competition.out:
                reached[one] = at + 1
                there = _behind(there, one, reached)
        places = ranking.ranks(there)
        return [
            Standing(entrant, place, round_reached=reached.get(entrant, number))
            for entrant, place in places.items()
        ]


def _behind(tiers: ranking.Tiers, entrant: int, reached: Mapping[int, int]) -> ranking.Tiers:
    """Place an entrant behind all others that reached the same round."""
    rest = [[one for one in tier if one != entrant] for tier in tiers]
    last = max(
        (n for n, tier in enumerate(rest, 1) if any(reached.get(one, 0) >= reached[entrant] for one in tier)),
        default=0,
    )
    return [*rest[:last], [entrant], *rest[last:]]


def _last_ones(competition: Competition, state: Elimination, past: Past, alive: list[int]) -> ranking.Tiers:
    """Return who plays on by seed; where they cannot fill a final, by all that they have played."""
    field = elimination.drawn(competition, state, len(past.rounds))
    if len(field) >= competition.group_size or not alive:
        return [[one] for one in alive]
    tiers = ranking.refined([alive], partial(ranking.known, ranking.mean_shares(past)))
    return ranking.refined(tiers, partial(ranking.direct, past))


def _won(won: dict[str, object], result: GroupResult) -> str:
    if result.how == elimination.LEFT:
        return Sentence("{name} wins the knock-out: who left the final cannot be replaced.", **won)
    if result.how == elimination.STAYED:
        return Sentence("{name} wins the knock-out: who was level with it left.", **won)
    if result.how == elimination.FURTHER:
        if result.further == 1:
            return Sentence("{name} wins the knock-out after 1 further block.", **won)
        return Sentence("{name} wins the knock-out after {blocks} further blocks.", **won)
    if result.how == elimination.DIRECT:
        if result.cut_short:
            return Sentence(
                "{name} wins the knock-out: the tie could not be played on, since a bot had left, and it is"
                " ahead by what the best took from each other in all rounds.",
                **won,
            )
        return Sentence(
            "{name} wins the knock-out: still equal after {blocks} further blocks, and ahead by what the best"
            " took from each other in all rounds.",
            **won,
        )
    if result.how == elimination.OPPONENTS:
        if result.cut_short:
            return Sentence(
                "{name} wins the knock-out: the tie could not be played on, since a bot had left, and it is"
                " ahead by the strength of its opponents in all rounds.",
                **won,
            )
        return Sentence(
            "{name} wins the knock-out: still equal after {blocks} further blocks, and ahead by the strength"
            " of its opponents in all rounds.",
            **won,
        )
    return Sentence("{name} wins the knock-out.", **won)


def _passed_over(first: list[str], *, is_out: bool) -> Sentence:
    """Say who wins where another was better, and forfeited or is out."""
    if len(first) > 1:
        names = listed(first)
        if is_out:
            return Sentence(
                "{names} share the victory: who was better is out, and they are equal.", names=names
            )
        return Sentence(
            "{names} share the victory: who was better forfeited, and they are equal.", names=names
        )
    if is_out:
        return Sentence("{name} wins the knock-out: who was better is out.", name=first[0])
    return Sentence("{name} wins the knock-out: who was better forfeited.", name=first[0])


def _shared(names: str, result: GroupResult) -> str:
    if result.cut_short:
        return Sentence(
            "{names} share the victory: the tie could not be played on, since a bot had left, and they are"
            " equal by their meetings in all rounds and by the strength of their opponents.",
            names=names,
        )
    return Sentence(
        "{names} share the victory: still equal after {blocks} further blocks, by their meetings in all"
        " rounds and by the strength of their opponents.",
        names=names,
        blocks=result.further,
    )


def _snake(entrants: list[int], count: int) -> list[list[int]]:
    """Deal entrants to groups, there and back, so that the groups are equally strong."""
    groups: list[list[int]] = [[] for _ in range(count)]
    for place, entrant in enumerate(entrants):
        row, column = divmod(place, count)
        groups[column if row % 2 == 0 else count - 1 - column].append(entrant)
    return groups
