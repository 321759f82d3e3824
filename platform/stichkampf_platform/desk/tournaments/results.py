from __future__ import annotations

from django.contrib import admin
from django.core.paginator import Paginator
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy

from stichkampf_platform.desk.model_names import name_in_words
from stichkampf_platform.desk.tournaments.filters import TournamentFilter
from stichkampf_platform.desk.tournaments.own import OwnReadOnlyAdmin, counted
from stichkampf_platform.tournaments.models import Fault, Result, Table

SEAT, DEAL, MOVE = counted("seat__number", "seat"), counted("deal", "deal"), counted("move", "move")
MOST_LISTED = 10_000
"""Two hundred pages. To count all rows takes longer the more was played."""


class FirstRowsPaginator(Paginator):
    """Pages of the first `MOST_LISTED` rows, for lists without actions: these would act on all rows."""

    @cached_property
    def count(self) -> int:
        return self.object_list.order_by()[:MOST_LISTED].count()

    @property
    def cut_at(self) -> int | None:
        """The number of rows that are listed, if there may be more."""
        return MOST_LISTED if self.count == MOST_LISTED else None


class ResultListAdmin(OwnReadOnlyAdmin):
    """Base class of lists of what every match adds to."""

    paginator = FirstRowsPaginator
    list_per_page = 50
    actions = None


@admin.register(Result)
class ResultAdmin(ResultListAdmin):
    to_tournament = "seat__table__block__tournament__"
    list_display = ["table", "entrant", SEAT, "score", "rank", "faults", "forfeited", "void"]
    exclude = ["median_ms"]
    list_filter = ["forfeited", TournamentFilter]
    search_fields = ["seat__entrant__version__bot__slug", "seat__table__block__tournament__name"]

    def get_queryset(self, request):
        ended = super().get_queryset(request).filter(seat__table__block__over_at__isnull=False)
        return ended.select_related("seat__table__block__tournament", "seat__entrant__version__bot__owner")

    @admin.display(description=name_in_words("table"))
    def table(self, result: Result) -> str:
        return str(result.seat.table)

    @admin.display(description=name_in_words("entrant"))
    def entrant(self, result: Result) -> str:
        return str(result.seat.entrant)

    @admin.display(description=gettext_lazy("void"), boolean=True)
    def void(self, result: Result) -> bool:
        return result.seat.table.state == Table.State.VOID


@admin.register(Fault)
class FaultAdmin(ResultListAdmin):
    to_tournament = "result__seat__table__block__tournament__"
    list_display = ["kind", "entrant", "table", DEAL, MOVE]
    fields = ["result", DEAL, MOVE, "kind"]
    readonly_fields = [DEAL, MOVE]
    list_filter = ["kind", TournamentFilter]
    search_fields = ["result__seat__entrant__version__bot__slug"]

    def get_queryset(self, request):
        ended = super().get_queryset(request).filter(result__seat__table__block__over_at__isnull=False)
        return ended.select_related(
            "result__seat__table__block__tournament", "result__seat__entrant__version__bot__owner"
        )

    @admin.display(description=name_in_words("entrant"))
    def entrant(self, fault: Fault) -> str:
        return str(fault.result.seat.entrant)

    @admin.display(description=name_in_words("table"))
    def table(self, fault: Fault) -> str:
        return str(fault.result.seat.table)
