from __future__ import annotations

from django.contrib import admin
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils.html import format_html_join

from stichkampf_platform.serving.streaming import streamed
from stichkampf_platform.tournaments import queries
from stichkampf_platform.tournaments.admin.own import OwnAdmin, counted
from stichkampf_platform.tournaments.models import Entrant, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.organising.forms import TournamentForm
from stichkampf_platform.tournaments.records.exports import EXPORTS

REASONS_SHOWN = 10

SETTINGS = TournamentForm.Meta.fields
"""Fields that are shown when nothing can be edited: those of the form that the tournament itself has."""


class EntrantInline(admin.TabularInline):
    model = Entrant
    fields = readonly_fields = [counted("number", "number"), "version", "place", "points", "round_reached",
                                "disqualified_at", "disqualified_for"]  # fmt: skip
    extra = 0
    can_delete = False

    def has_add_permission(self, request, obj=None) -> bool:
        return False


@admin.register(Tournament)
class TournamentAdmin(OwnAdmin):
    form = TournamentForm
    list_display = ["name", "game", "format", "seats", "state", "progress", "starts_at", "published",
                    "outcome", "created_by", "created_at"]  # fmt: skip
    list_select_related = ["created_by"]
    list_filter = ["state", "game", "format", "published"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
    actions = ["start", "pause", "resume", "cancel", "publish", "hide", "clone"]

    def view_on_site(self, tournament: Tournament) -> str | None:
        """No link to a draft or hidden one: the site has no page of it."""
        visible = queries.visible_tournaments().filter(pk=tournament.pk).exists()
        return tournament.get_absolute_url() if visible else None

    @admin.display(description="tables played")
    def progress(self, tournament: Tournament) -> str:
        progress = queries.progress(tournament)
        trouble = queries.troubled_tables(tournament).count()
        return f"{progress.tables_done} of {progress.tables}" + (f", {trouble} in trouble" if trouble else "")

    @admin.display(description="trouble")
    def trouble(self, tournament: Tournament) -> str:
        reasons = ((tables, reason) for reason, tables in queries.troubles(tournament)[:REASONS_SHOWN])
        return format_html_join("", "<p>At {} of its tables: {}</p>", reasons)

    @admin.display(description="export")
    def exports(self, tournament: Tournament) -> str:
        links = ((reverse("admin:tournament_export", args=[tournament.pk, name]), name) for name in EXPORTS)
        return format_html_join(" · ", '<a href="{}">{}</a>', links)

    def get_fields(self, request, obj=None):
        if obj is None:
            return super().get_fields(request, obj)
        shown = list(TournamentForm.base_fields if self.has_change_permission(request, obj) else SETTINGS)
        return [*shown, *self.get_readonly_fields(request, obj)]

    def get_readonly_fields(self, request, obj=None):
        if obj is None:
            return ()
        trouble = ["trouble"] if queries.troubled_tables(obj).exists() else []
        return ("outcome", *trouble, "exports")

    def get_urls(self):
        export = self.admin_site.admin_view(self.export_view)
        return [path("<int:pk>/export/<str:name>", export, name="tournament_export"), *super().get_urls()]

    def export_view(self, request, pk: int, name: str) -> HttpResponse:
        tournament = get_object_or_404(self.get_queryset(request), pk=pk)
        if not self.has_view_permission(request, tournament) or name not in EXPORTS:
            return HttpResponse(f"There is no export {name}; there are {', '.join(EXPORTS)}.", status=404)
        content_type, lines = EXPORTS[name]
        return streamed(
            request, lines(tournament), content_type=content_type, file_name=f"{tournament.slug}-{name}"
        )

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
        lifecycle.set_entrants(tournament=tournament, versions=form.versions)

    @admin.action(description="Start", permissions=["conduct"])
    def start(self, request, tournaments) -> None:
        self.do_each(request, tournaments, "Started.", lambda t: lifecycle.start(tournament=t))

    @admin.action(description="Pause", permissions=["conduct"])
    def pause(self, request, tournaments) -> None:
        self.do_each(request, tournaments, "Paused.", lambda t: lifecycle.pause(tournament=t))

    @admin.action(description="Resume", permissions=["conduct"])
    def resume(self, request, tournaments) -> None:
        self.do_each(request, tournaments, "Resumed.", lambda t: lifecycle.resume(tournament=t))

    @admin.action(description="Cancel for good", permissions=["conduct"])
    def cancel(self, request, tournaments) -> None:
        self.do_each(request, tournaments, "Cancelled.", lambda t: lifecycle.cancel(tournament=t))

    @admin.action(description="Publish: show on the site", permissions=["conduct"])
    def publish(self, request, tournaments) -> None:
        self.do_each(request, tournaments, "Published.", lambda t: rulings.publish(tournament=t))

    @admin.action(description="Hide from the site", permissions=["conduct"])
    def hide(self, request, tournaments) -> None:
        self.do_each(request, tournaments, "Hidden.", lambda t: rulings.hide(tournament=t))

    @admin.action(description="Clone as a draft", permissions=["conduct"])
    def clone(self, request, tournaments) -> None:
        self.do_each(request, tournaments, "Cloned.", lambda t: rulings.clone(tournament=t, by=request.user))
