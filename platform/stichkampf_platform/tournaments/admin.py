from __future__ import annotations

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import ValidationError

from stichkampf_platform.errors import Refused
from stichkampf_platform.readonly import ReadOnlyAdmin
from stichkampf_platform.tournaments import queries, services
from stichkampf_platform.tournaments.forms import TournamentForm
from stichkampf_platform.tournaments.models import Block, Entrant, Fault, Result, Table, Tournament


class EntrantInline(admin.TabularInline):
    model = Entrant
    fields = readonly_fields = ["number", "version"]
    extra = 0
    can_delete = False

    def has_add_permission(self, request, obj=None) -> bool:
        return False


@admin.register(Tournament)
class TournamentAdmin(admin.ModelAdmin):
    form = TournamentForm
    list_display = ["name", "game", "seats", "state", "progress", "created_by", "created_at"]
    list_select_related = ["created_by"]
    list_filter = ["state", "game"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
    actions = ["start", "pause", "resume", "cancel"]

    @admin.display(description="tables played")
    def progress(self, tournament: Tournament) -> str:
        progress = queries.progress(tournament)
        trouble = queries.troubled_tables(tournament).count()
        return f"{progress.tables_done} of {progress.tables}" + (f", {trouble} in trouble" if trouble else "")

    def get_prepopulated_fields(self, request, obj=None):
        return self.prepopulated_fields if obj is None else {}

    def has_change_permission(self, request, obj=None) -> bool:
        may = super().has_change_permission(request, obj)
        return may and (obj is None or obj.state == Tournament.State.DRAFT)

    def has_delete_permission(self, request, obj=None) -> bool:
        return (
            super().has_delete_permission(request, obj)
            and obj is not None
            and obj.state == Tournament.State.DRAFT
        )

    def get_inlines(self, request, obj):
        return [] if obj is None or self.has_change_permission(request, obj) else [EntrantInline]

    def save_model(self, request, tournament, form, change) -> None:
        if not change:
            tournament.created_by = request.user
        super().save_model(request, tournament, form, change)
        services.set_entrants(tournament=tournament, versions=form.versions())

    def has_conduct_permission(self, request) -> bool:
        return request.user.has_perm("tournaments.change_tournament")

    @admin.action(description="Start", permissions=["conduct"])
    def start(self, request, tournaments) -> None:
        self._each(request, tournaments, "Started.", services.start)

    @admin.action(description="Pause", permissions=["conduct"])
    def pause(self, request, tournaments) -> None:
        self._each(request, tournaments, "Paused.", services.pause)

    @admin.action(description="Resume", permissions=["conduct"])
    def resume(self, request, tournaments) -> None:
        self._each(request, tournaments, "Resumed.", services.resume)

    @admin.action(description="Cancel for good", permissions=["conduct"])
    def cancel(self, request, tournaments) -> None:
        self._each(request, tournaments, "Cancelled.", services.cancel)

    def _each(self, request, tournaments, done: str, deed) -> None:  # type: ignore[no-untyped-def]
        for tournament in tournaments:
            try:
                deed(tournament=tournament)
            except Refused as error:
                self.message_user(request, str(error), messages.ERROR)
                continue
            except ValidationError as error:
                self.message_user(request, f"{tournament}: {' '.join(error.messages)}", messages.ERROR)
                continue
            LogEntry.objects.log_actions(
                request.user.pk, [tournament], CHANGE, change_message=done, single_object=True
            )
            self.message_user(request, f"{tournament}: {done}", messages.SUCCESS)


@admin.register(Block)
class BlockAdmin(ReadOnlyAdmin):
    list_display = ["tournament", "number", "over_at"]
    list_select_related = ["tournament"]
    exclude = ["seed"]


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "block", "lane", "state", "attempts", "generation", "trouble", "finished_at"]
    list_select_related = ["block__tournament"]
    list_filter = ["state", "block__tournament"]
    exclude = ["lease_owner"]


@admin.register(Result)
class ResultAdmin(ReadOnlyAdmin):
    list_display = ["table", "entrant", "seat_number", "score", "rank", "faults", "forfeited"]
    list_filter = ["forfeited", "seat__table__block__tournament"]

    def get_queryset(self, request):
        return queries.open_results().select_related("seat__table", "seat__entrant__version__bot")

    def table(self, result: Result) -> str:
        return str(result.seat.table)

    def entrant(self, result: Result) -> str:
        return str(result.seat.entrant)

    @admin.display(description="seat")
    def seat_number(self, result: Result) -> int:
        return result.seat.number


@admin.register(Fault)
class FaultAdmin(ReadOnlyAdmin):
    list_display = ["kind", "entrant", "table", "deal", "move"]
    list_filter = ["kind"]

    def get_queryset(self, request):
        opened = super().get_queryset(request).filter(result__in=queries.open_results())
        return opened.select_related("result__seat__table", "result__seat__entrant__version__bot")

    def entrant(self, fault: Fault) -> str:
        return str(fault.result.seat.entrant)

    def table(self, fault: Fault) -> str:
        return str(fault.result.seat.table)
