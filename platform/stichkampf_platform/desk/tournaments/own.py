"""Base classes of these pages: organisers see their own tournaments only."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from django.contrib import admin
from django.db.models import Model

from stichkampf_platform.desk.model_names import name_in_words
from stichkampf_platform.desk.rows import RowsAdmin
from stichkampf_platform.desk.site import ReadOnlyAdmin
from stichkampf_platform.tournaments.shown import organised_by


def counted(field: str, name: str) -> Callable[[Model], int]:
    """A column of what is stored from 0, counted from 1 as on all pages."""
    value = attrgetter(field.replace("__", "."))

    @admin.display(description=name_in_words(name), ordering=field)
    def column(one: Model) -> int:
        return value(one) + 1

    column.__name__ = name
    return column


class OwnAdmin(RowsAdmin):
    """Superusers see everything; others what belongs to tournaments that they organise."""

    to_tournament = ""
    """The way from the model to its tournament, as a query has it, such as `block__tournament__`."""
    # no counts of rows beside that of the rows found
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    def get_queryset(self, request):
        everything = super().get_queryset(request)
        if request.user.is_superuser:
            return everything
        return everything.filter(organised_by(request.user, self.to_tournament))

    @admin.display(description=name_in_words("tournament"), ordering="tournament__name")
    def in_tournament(self, one) -> str:
        return one.tournament.told_name

    def may_act(self, request) -> bool:
        return request.user.has_perm(f"tournaments.change_{self.opts.model_name}")


class OwnReadOnlyAdmin(OwnAdmin, ReadOnlyAdmin):
    """The same without editing: changes are made by actions."""
