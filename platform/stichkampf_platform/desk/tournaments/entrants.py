from __future__ import annotations

from django.contrib import admin

from stichkampf_platform.desk.tournaments.filters import TournamentFilter
from stichkampf_platform.desk.tournaments.own import OwnReadOnlyAdmin, counted
from stichkampf_platform.tournaments.models import Entrant
from stichkampf_platform.tournaments.organising.actions import ENTRANT_ACTIONS

NUMBER = counted("number", "number")


@admin.register(Entrant)
class EntrantAdmin(OwnReadOnlyAdmin):
    to_tournament = "tournament__"
    list_display = ["version", "in_tournament", NUMBER, "place", "out_at", "out_for"]
    fields = ["tournament", "version", NUMBER, "place", "points", "round_reached", "out_at",
              "out_for", "out_as"]  # fmt: skip
    readonly_fields = [NUMBER]
    list_select_related = ["version__bot__owner", "tournament"]
    list_filter = ["tournament__state", TournamentFilter]
    list_per_page = 50
    search_fields = ["version__bot__slug", "tournament__name"]
    rows = ENTRANT_ACTIONS
