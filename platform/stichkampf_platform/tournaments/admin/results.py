from __future__ import annotations

from django.contrib import admin

from stichkampf_platform.tournaments.admin.filters import TournamentFilter
from stichkampf_platform.tournaments.admin.own import OwnReadOnlyAdmin, counted
from stichkampf_platform.tournaments.models import Fault, Result, Table

SEAT, DEAL, MOVE = counted("seat__number", "seat"), counted("deal", "deal"), counted("move", "move")


@admin.register(Result)
class ResultAdmin(OwnReadOnlyAdmin):
    to_tournament = "seat__table__block__tournament__"
    list_display = ["table", "entrant", SEAT, "score", "rank", "faults", "forfeited", "void"]
    exclude = ["median_ms"]
    list_filter = ["forfeited", TournamentFilter]
    list_per_page = 50
    search_fields = ["seat__entrant__version__bot__slug", "seat__table__block__tournament__name"]

    def get_queryset(self, request):
        ended = super().get_queryset(request).filter(seat__table__block__over_at__isnull=False)
        return ended.select_related("seat__table__block__tournament", "seat__entrant__version__bot__owner")

    def table(self, result: Result) -> str:
        return str(result.seat.table)

    def entrant(self, result: Result) -> str:
        return str(result.seat.entrant)

    @admin.display(boolean=True)
    def void(self, result: Result) -> bool:
        return result.seat.table.state == Table.State.VOID


@admin.register(Fault)
class FaultAdmin(OwnReadOnlyAdmin):
    to_tournament = "result__seat__table__block__tournament__"
    list_display = ["kind", "entrant", "table", DEAL, MOVE]
    fields = ["result", DEAL, MOVE, "kind"]
    readonly_fields = [DEAL, MOVE]
    list_filter = ["kind", TournamentFilter]
    list_per_page = 50
    search_fields = ["result__seat__entrant__version__bot__slug"]

    def get_queryset(self, request):
        ended = super().get_queryset(request).filter(result__seat__table__block__over_at__isnull=False)
        return ended.select_related(
            "result__seat__table__block__tournament", "result__seat__entrant__version__bot__owner"
        )

    def entrant(self, fault: Fault) -> str:
        return str(fault.result.seat.entrant)

    def table(self, fault: Fault) -> str:
        return str(fault.result.seat.table)
