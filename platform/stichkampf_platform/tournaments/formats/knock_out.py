from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.errors import Refused
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments.formats.base import RoundFormat
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating, Standing
from stichkampf_platform.tournaments.formats.groups import blocks_of


class KnockOut(RoundFormat):
    """The better half of each group goes on, until one group is left: the final. Blocks are for each group.

    At three seats the first of a group goes on, at five the first two. Entrants are seeded in the order of
    entry, then by their last result. Entrants beyond whole groups have a bye, the best first; a final
    that is not full is filled with the best of those that went out last. Ties go to the better seed.
    """

    name = "knock-out"
    title = gettext_lazy("Knock-out")
    shows_rounds = True
    unit = gettext_lazy("for each group of a round")

    def check(self, competition: Competition) -> None:
        size = competition.group_size
        if len(competition.authors) < size:
            raise Refused(
                _("a block needs {size} entrants, there are only {authors}").format(
                    size=size, authors=len(competition.authors)
                )
            )
        known = [author for author in competition.authors.values() if author is not None]
        twice = sorted({author for author in known if known.count(author) > 1})
        if twice:
            raise Refused(
                _(
                    "a knock-out takes one version of each author, because two could meet; {names} has more"
                ).format(names=", ".join(twice))
            )

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        alive, gone, over = _after(competition, past)
        size = competition.group_size
        if over or len(alive) < 2:
            return []
        if len(alive) <= size:
            final = (alive + gone)[:size]
            return blocks_of(competition, [final] if len(final) == size else [])
        playing = alive[len(alive) % size :]
        count = len(playing) // size
        return blocks_of(competition, _snake(playing, count))

    def tables_at_most(self, competition: Competition) -> int | None:
        alive, groups, size = len(competition.authors), 1, competition.group_size
        while alive > size:
            playing = alive // size
            groups += playing
            alive += playing * (size // 2 - size)
        block, *_ = blocks_of(competition, [range(size)])
        return groups * competition.blocks * len(block)

    def outcome(self, competition: Competition, past: Past) -> str:
        alive = _after(competition, past)[0]
        return Sentence("{name} wins the knock-out.", name=competition.names[alive[0]]) if alive else ""

    def standings(self, competition: Competition, past: Past) -> list[Standing]:
        """Rank the remaining entrants by seed, then the eliminated ones, those of the latest round first."""
        alive, gone, over = _after(competition, past)
        reached = {
            entrant: number
            for number, blocks in enumerate(past.rounds, start=1)
            for entrant in frozenset().union(*blocks)
        }
        if not over:
            reached.update(dict.fromkeys(alive, len(past.rounds) + 1))
        return [Standing(entrant, round_reached=reached[entrant]) for entrant in alive + gone]


def _after(competition: Competition, past: Past) -> tuple[list[int], list[int], bool]:
    """Return the remaining and the eliminated entrants, each by seed, and whether the final is played."""
    alive = sorted(set(competition.authors) - competition.out)
    gone: list[int] = []
    for number in range(len(past.rounds)):
        shares = past.shares(number)
        groups = past.groups(number)
        seeds = {entrant: seed for seed, entrant in enumerate([*alive, *gone])}
        order = sorted(seeds, key=lambda entrant: (-shares.get(entrant, 0.0), seeds[entrant]))
        if len(groups) == 1 and set(alive) <= groups[0]:
            final = [entrant for entrant in order if entrant in groups[0]]
            return final, [entrant for entrant in gone if entrant not in groups[0]], True
        byes = [entrant for entrant in alive if not any(entrant in group for group in groups)]
        winners: set[int] = set()
        for group in groups:
            winners.update([entrant for entrant in order if entrant in group][: competition.group_size // 2])
        losers = [entrant for entrant in order if entrant in set(alive) - winners - set(byes)]
        alive = byes + [entrant for entrant in order if entrant in winners]
        gone = losers + gone
    return alive, gone, False


def _snake(entrants: list[int], count: int) -> list[list[int]]:
    """Deal entrants to groups, there and back, so that the groups are equally strong."""
    groups: list[list[int]] = [[] for _ in range(count)]
    for place, entrant in enumerate(entrants):
        row, column = divmod(place, count)
        groups[column if row % 2 == 0 else count - 1 - column].append(entrant)
    return groups
