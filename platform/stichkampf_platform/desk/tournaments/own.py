"""Base classes of these pages: organisers see their own tournaments only, and every action is logged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.http import HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import override

from stichkampf_platform.core.actions import Action
from stichkampf_platform.core.errors import Refused
from stichkampf_platform.desk.model_names import name_in_words
from stichkampf_platform.desk.site import ReadOnlyAdmin
from stichkampf_platform.tournaments.organising import rulings
from stichkampf_platform.tournaments.organising.ruling_models import REASON_CHARACTERS


def counted(field: str, name: str) -> Callable[[Model], int]:
    """A column of what is stored from 0, counted from 1 as on all pages."""
    value = attrgetter(field.replace("__", "."))

    @admin.display(description=name_in_words(name), ordering=field)
    def column(one: Model) -> int:
        return value(one) + 1

    column.__name__ = name
    return column


class ReasonForm(ActionForm):
    reason = forms.CharField(required=False, max_length=REASON_CHARACTERS)


class OwnAdmin(admin.ModelAdmin):
    """Superusers see everything; others what belongs to tournaments that they made."""

    to_tournament = ""
    """The way from the model to its tournament, as a query has it, such as `block__tournament__`."""
    rows: Mapping[str, Action] = {}
    """Actions on the chosen, by name, of those who may conduct."""
    # no counts of rows beside that of the rows found
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    def get_queryset(self, request):
        everything = super().get_queryset(request)
        if request.user.is_superuser:
            return everything
        return everything.filter(**{f"{self.to_tournament}created_by": request.user})

    def has_conduct_permission(self, request) -> bool:
        return request.user.has_perm(f"tournaments.change_{self.opts.model_name}")

    def get_actions(self, request) -> dict:
        found = super().get_actions(request)
        if IS_POPUP_VAR in request.GET or not self.has_conduct_permission(request):
            return found
        return found | {
            name: (partial(_perform, name=name), name, row.words)
            for name, row in self.rows.items()
            if request.user.is_superuser or not row.operators
        }

    def perform(self, request, row: Action, chosen: Sequence[Model]) -> HttpResponse | None:
        """Ask where something is lost, then act on each of the chosen."""
        given = {name: need.default for name, need in row.needs.items()}
        if warning := row.question(chosen):
            asked = self.ask_first(
                request, chosen, title=row.title or f"{row.words}?", warning=warning, button=row.yes
            )
            if asked:
                return asked
        if row.confirmed_by:
            given[row.confirmed_by] = "confirmed" in request.POST
        return self.do_each(request, chosen, row.done, lambda one: row.act(one, request.user, **given))

    def ask_first(
        self, request, chosen: Sequence[Model], *, title: str, warning: str, button: str
    ) -> HttpResponse | None:
        """Return the page that asks before an action is done for good; `None` if it has been confirmed.

        :param warning: a sentence about the loss, and another about what stays.
        """
        if "confirmed" in request.POST or not chosen:
            return None
        page = {
            **self.admin_site.each_context(request),
            "title": title,
            "opts": self.opts,
            "chosen": chosen,
            "warning": warning,
            "button": button,
            "back": self._page(chosen[0]) if "from_page" in request.POST else request.get_full_path(),
            "repeated": [(name, request.POST[name]) for name in ("action", "from_page", "reason", "fault")
                         if request.POST.get(name)],
        }  # fmt: skip
        return TemplateResponse(request, "admin/tournaments/confirm.html", page)

    def do_each(
        self, request, chosen: Iterable[Model], done: str | Promise, act: Callable[[Model], object]
    ) -> HttpResponse | None:
        """Act on each of the chosen, log it, and show the outcome in the list or on the page it came from.

        :param done: the outcome in words, translated lazily, because the log is in English.
        """
        last: object = None
        for one in chosen:
            last = one
            try:
                made = act(one)
            except Refused as error:
                self.message_user(request, str(error), messages.ERROR)
            except ValidationError as error:
                self.message_user(request, f"{one}: {' '.join(error.messages)}", messages.ERROR)
            else:
                with override("en"):
                    LogEntry.objects.log_actions(
                        request.user.pk, [one], CHANGE, change_message=str(done), single_object=True
                    )
                self.message_user(request, f"{one}: {done}", messages.SUCCESS)
                last = made if isinstance(made, self.model) else one
        if "from_page" not in request.POST or not isinstance(last, self.model):
            return None
        return HttpResponseRedirect(self._page(last))

    def rule(
        self, request, kind: str, chosen: Mapping[Model, Any], *,
        title: str, warning: str, button: str, done: Promise,
    ) -> HttpResponse | None:  # fmt: skip
        """Rule on the chosen, after a question; what is refused is refused before it.

        :param chosen: on the rows of the list, and for each what is ruled on.
        :param done: the outcome in words, with a place for the reason.
        """
        reason, fault = request.POST.get("reason", ""), request.POST.get("fault", "")
        possible = []
        for row, on in chosen.items():
            if told := rulings.why_not(kind, on=on, by=request.user, reason=reason, fault=fault):
                self.message_user(request, told, messages.ERROR)
            else:
                possible.append(row)
        asked = self.ask_first(
            request, possible, title=title, button=button,
            warning=_("{warning} The reason: {reason}").format(warning=warning, reason=reason),
        )  # fmt: skip
        return asked or self.do_each(
            request,
            possible,
            format_lazy(done, reason=reason.strip()),
            lambda row: rulings.rule(kind, on=chosen[row], by=request.user, reason=reason, fault=fault),
        )

    def _page(self, one: Model) -> str:
        address = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_change"
        return reverse(address, args=[one.pk])


def _perform(page: OwnAdmin, request, chosen, *, name: str):  # type: ignore[no-untyped-def]
    return page.perform(request, page.rows[name], list(chosen))


class OwnReadOnlyAdmin(OwnAdmin, ReadOnlyAdmin):
    """The same without editing: changes are made by actions."""
