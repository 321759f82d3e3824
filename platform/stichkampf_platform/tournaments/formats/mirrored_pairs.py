from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.schedule import regression_blocks

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.formats.base import RoundFormat
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating

TABLES_A_PAIR = 2


class MirroredPairs(RoundFormat):
    """Two entrants in a fixed number of mirrored pairs of tables, with copies of both. Never rated.

    The seatings are those of a regression test, which ends with a verdict instead.
    """

    name = "mirrored-pairs"
    title = gettext_lazy("Mirrored pairs")
    names_first = True

    def check(self, competition: Competition) -> None:
        if len(competition.authors) != 2:
            raise RequestRefused(
                _("mirrored pairs need 2 entrants, not {authors}").format(authors=len(competition.authors))
            )
        if competition.rated:
            raise RequestRefused(_("mirrored pairs seat copies of one bot together and cannot be rated"))

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        if past.rounds or competition.out:
            return []
        first, second = sorted(competition.authors)
        plan = regression_blocks(
            first, second, competition.seats, competition.blocks, partners=competition.partners
        )
        return [[list(table) for table in block.tables] for block in plan]

    def tables_at_most(self, competition: Competition) -> int:
        return TABLES_A_PAIR * competition.blocks
