"""Base classes of these pages: organisers see their own tournaments only, and every action is logged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import ValidationError
from django.db.models import Model

from stichkampf_platform.core.errors import Refused
from stichkampf_platform.core.readonly import ReadOnlyAdmin


def counted(field: str, name: str) -> Callable[[Model], int]:
    """A column of what is stored from 0, counted from 1 as on all pages."""
    value = attrgetter(field.replace("__", "."))

    @admin.display(description=name, ordering=field)
    def column(one: Model) -> int:
        return value(one) + 1

    column.__name__ = name
    return column


class OwnAdmin(admin.ModelAdmin):
    """Superusers see everything; others what belongs to tournaments that they made."""

    to_tournament = ""
    """The way from the model to its tournament, as a query has it, such as `block__tournament__`."""

    def get_queryset(self, request):
        everything = super().get_queryset(request)
        if request.user.is_superuser:
            return everything
        return everything.filter(**{f"{self.to_tournament}created_by": request.user})

    def has_conduct_permission(self, request) -> bool:
        return request.user.has_perm(f"tournaments.change_{self.opts.model_name}")

    def do_each(self, request, chosen: Iterable[Model], done: str, act: Callable[[Model], object]) -> None:
        """Act on each of the chosen, log it, and show the outcome."""
        for one in chosen:
            try:
                act(one)
            except Refused as error:
                self.message_user(request, str(error), messages.ERROR)
            except ValidationError as error:
                self.message_user(request, f"{one}: {' '.join(error.messages)}", messages.ERROR)
            else:
                LogEntry.objects.log_actions(
                    request.user.pk, [one], CHANGE, change_message=done, single_object=True
                )
                self.message_user(request, f"{one}: {done}", messages.SUCCESS)


class OwnReadOnlyAdmin(OwnAdmin, ReadOnlyAdmin):
    """The same without editing: changes are made by actions."""
