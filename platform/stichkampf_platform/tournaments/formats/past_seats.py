from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.formats.base import RoundFormat
from stichkampf_platform.tournaments.formats.competition import Competition, Past, Seating


class PastSeats(RoundFormat):
    """Past blocks again, with the first entrant in the seats of another version. Never rated.

    The blocks are given when it starts; it draws none itself.
    """

    name = "past-seats"
    title = gettext_lazy("Seats of past blocks")
    names_first = True

    def check(self, competition: Competition) -> None:
        if competition.rated:
            raise RequestRefused(_("cards that were dealt before, and are known, cannot be rated"))

    def next_round(self, competition: Competition, past: Past) -> list[list[Seating]]:
        return []

    def tables_at_most(self, competition: Competition) -> int:
        return 0
