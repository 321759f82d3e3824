from __future__ import annotations

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils.formats import date_format
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.games import GAMES

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.desk.model_names import name_in_words
from stichkampf_platform.desk.site import NothingAdded
from stichkampf_platform.desk.tournaments.banner import banner
from stichkampf_platform.desk.tournaments.filters import FormatFilter, GameFilter
from stichkampf_platform.desk.tournaments.form import TournamentPageForm, filled_in, form_for
from stichkampf_platform.desk.tournaments.option_fields import option_fields
from stichkampf_platform.desk.tournaments.own import OwnAdmin, counted
from stichkampf_platform.ratings.organising import ACTIONS, EXPORTS
from stichkampf_platform.serving.streaming import exported
from stichkampf_platform.tournaments import queries
from stichkampf_platform.tournaments.entry.setting_rows import COLUMNS, PARTS, SETTINGS
from stichkampf_platform.tournaments.models import Entrant, Tournament
from stichkampf_platform.tournaments.organising import setting_up
from stichkampf_platform.tournaments.organising.presets import PRESETS
from stichkampf_platform.tournaments.titles import (
    format_title,
    game_title,
    length_in_words,
    options_in_words,
)

SHOWN = ["table", "shown_options", "length", *(
    name for name in COLUMNS
    if name not in ("game", "seats", "options", "format", "stopping", "blocks_planned", "rounds")
)]  # fmt: skip
"""Fields of a tournament that can no longer be edited."""


OPTIONS_NOTE = mark_safe(
    gettext_lazy(
        'What is left as it is takes its default. <button type="submit" class="button" name="_choose" '
        'value="options" formaction="#id_game">Show the options of the chosen game and seats</button>'
    )
)
ENTRANTS_NOTE = gettext_lazy("A ladder needs none: every version that may play enters by itself.")


def _game_and_seats(request, tournament: Tournament | None) -> tuple[str, int]:
    """Return the game and the seats that the form is filled in with, or those that it begins with."""
    sent = filled_in(request.POST) if request.method == "POST" else request.GET
    game = sent.get("game") or (tournament.game if tournament else "")
    if game not in GAMES:
        game = next(iter(GAMES))
    seats = sent.get("seats") or (str(tournament.seats) if tournament else "")
    possible = {str(number): number for number in GAMES[game].players}
    return game, possible.get(seats, GAMES[game].main_ladder.seats)


class EntrantInline(NothingAdded, admin.TabularInline):
    model = Entrant
    fields = readonly_fields = [counted("number", "number"), "version", "place", "points", "round_reached",
                                "out_at", "out_for"]  # fmt: skip
    extra = 0
    can_delete = False

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("version__bot__owner")


class TournamentList(ChangeList):
    """A page of the list, with the progress of all its tournaments counted at once."""

    result_list: list[Tournament]

    def get_results(self, request) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        counts = queries.table_counts(self.result_list)
        for tournament in self.result_list:
            tournament.table_counts = counts[tournament.pk]


@admin.register(Tournament)
class TournamentAdmin(OwnAdmin):
    form = TournamentPageForm
    change_form_template = "admin/tournaments/tournament/change_form.html"
    list_display = [
        "shown_name",
        "state",
        "progress",
        "table",
        "shown_format",
        "time",
        "published",
        "created_by",
    ]
    list_select_related = ["created_by"]
    list_filter = ["state", GameFilter, FormatFilter, "published"]
    list_per_page = 50
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
    rows = ACTIONS

    def get_queryset(self, request):
        return super().get_queryset(request).filter(experiment=False)

    def get_changelist(self, request, **kwargs):
        return TournamentList

    @admin.display(description=name_in_words("name"), ordering="name")
    def shown_name(self, tournament: Tournament) -> str:
        return tournament.told_name

    @admin.display(description=gettext_lazy("tables played"))
    def progress(self, tournament: Tournament) -> str:
        counts = tournament.table_counts
        trouble = _(", {troubled} in trouble").format(troubled=counts.troubled) if counts.troubled else ""
        done = _("{done} of {tables}").format(done=f"{counts.done:,}", tables=f"{counts.tables:,}")
        return done + trouble

    @admin.display(description=gettext_lazy("game"), ordering="game")
    def table(self, tournament: Tournament) -> str:
        return _("{game}, {seats} seats").format(game=game_title(tournament.game), seats=tournament.seats)

    @admin.display(description=gettext_lazy("format"), ordering="format")
    def shown_format(self, tournament: Tournament) -> str:
        return format_title(tournament.format)

    @admin.display(description=gettext_lazy("format"))
    def length(self, tournament: Tournament) -> str:
        return length_in_words(tournament)

    @admin.display(description=gettext_lazy("options"))
    def shown_options(self, tournament: Tournament) -> str:
        return ", ".join(
            f"{name}: {value}" for name, value in options_in_words(tournament.game, tournament.options)
        )

    @admin.display(description=gettext_lazy("outcome"))
    def shown_outcome(self, tournament: Tournament) -> str:
        return tournament.told_outcome

    @admin.display(description=gettext_lazy("start"), ordering="started_at")
    def time(self, tournament: Tournament) -> str:
        at = tournament.started_at or tournament.starts_at
        if at is None:
            return _("by hand")
        return date_format(at, "DATETIME_FORMAT")

    def get_form(self, request, obj=None, change=False, **kwargs):
        if obj is not None and not self.has_change_permission(request, obj):
            return super().get_form(request, obj, change, **kwargs)
        form = form_for(*_game_and_seats(request, obj), request.user)
        return super().get_form(request, obj, change, form=form, **kwargs)

    def get_changeform_initial_data(self, request):
        game, seats = _game_and_seats(request, None)
        return {"game": game, "seats": seats, **super().get_changeform_initial_data(request)}

    def get_fieldsets(self, request, obj=None):
        if obj is not None and not self.has_change_permission(request, obj):
            return [(None, {"fields": self.get_readonly_fields(request, obj)})]
        game, seats = _game_and_seats(request, obj)
        title = _("Options of {game}, {seats} seats").format(game=game_title(game), seats=seats)
        more = {"options": {"classes": ["collapse"]}, "players": {"description": ENTRANTS_NOTE}}
        parts: dict[str, list[str]] = {part: [] for part in PARTS}
        for name, row in SETTINGS.items():
            if row.part and (obj or name != "reason"):
                parts[row.part].append(name)
        parts["names"] += ["seeding", "seen"] if obj else ["seeding"]
        shown = [(PARTS[part], {"fields": names, **more.get(part, {})}) for part, names in parts.items()]
        options = (title, {"fields": list(option_fields(game, seats)), "description": OPTIONS_NOTE})
        return [*shown[:2], options, *shown[2:]]

    def get_readonly_fields(self, request, obj=None):
        if obj is None or self.has_change_permission(request, obj):
            return ()
        return [*SHOWN, "shown_outcome"] if obj.outcome else SHOWN

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        if request.method == "POST" and object_id is not None:
            tournament = self.get_object(request, object_id)
            may = super().has_change_permission(request, tournament)
            if tournament is not None and may and tournament.state != Tournament.State.DRAFT:
                told = _("{tournament} has started meanwhile: its settings are fixed, and nothing was saved.")
                self.message_user(request, told.format(tournament=tournament), messages.ERROR)
                return HttpResponseRedirect(request.path)
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except RequestRefused as error:  # it was started while somebody filled the form in
            self.message_user(request, str(error), messages.ERROR)
            return HttpResponseRedirect(request.path)

    def render_change_form(self, request, context, *args, obj=None, **kwargs):
        context["presets"] = PRESETS
        if obj is not None:
            saved = Tournament.objects.select_related("ladder").get(pk=obj.pk)
            context["banner"] = banner(saved, by=request.user if self.may_act(request) else None)
        return super().render_change_form(request, context, *args, obj=obj, **kwargs)

    def get_urls(self):
        export = self.admin_site.admin_view(self.export_view)
        return [path("<int:pk>/export/<str:name>", export, name="tournament_export"), *super().get_urls()]

    def export_view(self, request, pk: int, name: str) -> HttpResponse:
        tournament = get_object_or_404(self.get_queryset(request), pk=pk)
        if not self.has_view_permission(request, tournament) or name not in EXPORTS:
            return HttpResponse(
                _("There is no export {name}; there are {names}.").format(
                    name=name, names=", ".join(EXPORTS)
                ),
                status=404,
            )
        return exported(request, EXPORTS[name], tournament, f"{tournament.slug}-{name}")

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

    def get_deleted_objects(self, objs, request):
        """Ask for no right to delete what belongs to a draft alone, such as its entrants."""
        found, counts, _needed, protected = super().get_deleted_objects(objs, request)
        return found, counts, set(), protected

    def delete_model(self, request, tournament) -> None:
        setting_up.delete(tournament=tournament)

    def delete_view(self, request, object_id, extra_context=None):
        try:
            return super().delete_view(request, object_id, extra_context)
        except RequestRefused as error:  # it was started meanwhile
            self.message_user(request, str(error), messages.ERROR)
            return HttpResponseRedirect(reverse("admin:tournaments_tournament_change", args=[object_id]))

    def get_inlines(self, request, obj):
        return [] if obj is None or self.has_change_permission(request, obj) else [EntrantInline]

    def save_model(self, request, tournament, form, change) -> None:
        setting_up.save(form=form, by=request.user)
        if form.meanwhile:
            told = _("{told} That is kept.").format(told=form.meanwhile)
            self.message_user(request, told, messages.WARNING)

    def response_post_save_add(self, request, obj) -> HttpResponse:
        """Go on with the page of the tournament: it has the button that starts it, its code and its links."""
        # a fragment, or the browser keeps that of the form, and shows the middle of the page
        return HttpResponseRedirect(f"{self._page(obj)}#content-start")

    response_post_save_change = response_post_save_add
