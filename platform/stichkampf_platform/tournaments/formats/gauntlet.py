from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.schedule import gauntlet_blocks

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.sentences import Sentence, joined
from stichkampf_platform.tournaments.formats.base import RoundFormat
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating
from stichkampf_platform.tournaments.formats.groups import check_block, replacement_blocks, shared_first


class Gauntlet(RoundFormat):
    """One entrant, the first, plays every block; the others come in turn. Blocks are counted in all."""

    name = "gauntlet"
    title = gettext_lazy("Gauntlet")
    names_first = True

    def check(self, competition: Competition) -> None:
        challenger, *field = sorted(competition.authors)
        author = competition.authors[challenger]
        related = [competition.names[one] for one in field if author and competition.authors[one] == author]
        if related:
            raise RequestRefused(
                _("{names} and the challenger have the same author and never meet; leave them out").format(
                    names=", ".join(related)
                )
            )
        check_block(competition)

    def tables_at_most(self, competition: Competition) -> int:
        self.check(competition)
        return competition.blocks * competition.tables_a_block

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        return [] if past.rounds else _plan(competition, competition.blocks)

    def further_blocks(self, competition: Competition, past: Past) -> list[list[Seating]]:
        challenger = min(competition.authors)
        return [] if challenger in competition.out else replacement_blocks(competition, past, [challenger])

    def outcome(self, competition: Competition, past: Past) -> str:
        challenger, ended = min(competition.authors), ""
        if challenger in competition.out:
            ended = Sentence(
                "It ended when its challenger, {name}, was out; what was played until then counts.",
                name=competition.names[challenger],
            )
        return joined(ended, shared_first(competition, past))


def _plan(competition: Competition, blocks: int) -> list[list[Seating]]:
    challenger, *field = sorted(competition.authors)
    plan = gauntlet_blocks(
        challenger,
        field,
        competition.seats,
        blocks,
        partners=competition.partners,
        authors=competition.authors,
    )
    return [[list(table) for table in block.tables] for block in plan]
