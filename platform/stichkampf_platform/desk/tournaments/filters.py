"""Filters of the lists: titles instead of the names in the database, and no query over all rows."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q
from django.utils.translation import gettext as _
from stichkampf.games import GAMES
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.desk.model_names import name_in_words
from stichkampf_platform.tournaments.formats import FORMATS
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.shown import organised_by

TOURNAMENTS_SHOWN = 12


class GameFilter(admin.SimpleListFilter):
    title = name_in_words("game")
    parameter_name = "game"

    def lookups(self, request, model_admin):
        return [(name, game.title) for name, game in GAMES.items()]

    def queryset(self, request, rows):
        return rows.filter(game=self.value()) if self.value() else rows


class FormatFilter(admin.SimpleListFilter):
    title = name_in_words("format")
    parameter_name = "format"

    def lookups(self, request, model_admin):
        return [(name, format.title) for name, format in FORMATS.items()]

    def queryset(self, request, rows):
        return rows.filter(format=self.value()) if self.value() else rows


class TournamentFilter(admin.SimpleListFilter):
    """The newest tournaments, and the one that is chosen. The search finds the others by name."""

    title = name_in_words("tournament")
    parameter_name = "tournament"

    def __init__(self, request, params, model, model_admin) -> None:
        self.to_tournament = model_admin.to_tournament
        super().__init__(request, params, model, model_admin)

    def lookups(self, request, model_admin):
        shown = Tournament.objects.only("name", "game", "rests")
        if not request.user.is_superuser:
            shown = shown.filter(organised_by(request.user))
        newest = list(shown[:TOURNAMENTS_SHOWN])
        chosen = self.value()
        if (number := whole_number(chosen or "", 17)) is not None:
            newest += shown.filter(pk=number).exclude(pk__in=[each.pk for each in newest])
        return [(each.pk, each.told_name) for each in newest]

    def queryset(self, request, rows):
        chosen = self.value()
        if not chosen or chosen not in {str(pk) for pk, _ in self.lookup_choices}:
            return rows.none() if chosen else rows
        return rows.filter(**{f"{self.to_tournament}pk": chosen})


class BlockStateFilter(admin.SimpleListFilter):
    title = name_in_words("state")
    parameter_name = "state"

    def lookups(self, request, model_admin):
        return [("open", _("to be played")), ("over", _("over")), ("void", _("void"))]

    def queryset(self, request, blocks):
        void = Q(replaced_by__isnull=False)
        chosen = {"open": Q(over_at=None), "over": Q(over_at__isnull=False) & ~void, "void": void}
        return blocks.filter(chosen[self.value()]) if self.value() in chosen else blocks


class TroubleFilter(admin.SimpleListFilter):
    title = name_in_words("trouble")
    parameter_name = "trouble"

    def lookups(self, request, model_admin):
        return [("yes", _("the platform failed at it"))]

    def queryset(self, request, tables):
        return tables.exclude(trouble="") if self.value() else tables
