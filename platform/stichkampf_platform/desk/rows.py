"""Lists whose actions are rows: asked first where something is lost, done to each, and logged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
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
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import override

from stichkampf_platform.core.actions import Action, Need
from stichkampf_platform.core.errors import RequestRefused


def _field_of(need: Need) -> forms.Field:
    label = capfirst(need.label)
    if need.choices:
        none = ("", _("none"))
        return forms.ChoiceField(label=label, choices=[none, *need.choices], required=False)
    return forms.CharField(label=label, required=False, max_length=need.most)


class RowsAdmin(admin.ModelAdmin):
    rows: Mapping[str, Action] = {}
    """Actions on the chosen, by name."""

    def may_act(self, request) -> bool:
        """Tell whether somebody may do what the rows say."""
        return False

    def subject(self, chosen: Any) -> Any:
        """Return on what an action on a row of the list is."""
        return chosen

    @property
    def action_form(self) -> type[ActionForm]:
        needs = {name: need for row in self.rows.values() for name, need in row.needs.items()}
        fields = {name: _field_of(need) for name, need in needs.items() if need.kind is str}
        return type("NeedsForm", (ActionForm,), fields)

    def get_actions(self, request) -> dict:
        found = super().get_actions(request)
        if IS_POPUP_VAR in request.GET or not self.may_act(request):
            return found
        return found | {
            name: (partial(_perform, row=row), name, row.words)
            for name, row in self.rows.items()
            if request.user.is_superuser or not row.operators
        }

    def perform(self, request, row: Action, chosen: Iterable[Model]) -> HttpResponse | None:
        """Say what is refused, ask where something is lost, then act on each of the others."""
        given = {
            name: request.POST.get(name, "") if need.kind is str else need.default
            for name, need in row.needs.items()
        }
        possible = []
        for one in chosen:
            if told := row.refusal(self.subject(one), request.user, **given):
                self.message_user(request, told, messages.ERROR)
            else:
                possible.append(one)
        lost = row.question([self.subject(one) for one in possible]) if possible else ""
        if lost and "confirmed" not in request.POST:
            return self._ask_first(request, row, possible, lost, given)
        if row.confirmed_by:
            given[row.confirmed_by] = "confirmed" in request.POST
        return self._do_each(request, row, possible, given)

    def _ask_first(
        self, request, row: Action, chosen: Sequence[Model], lost: str, given: Mapping[str, Any]
    ) -> HttpResponse:
        """Return the page that asks before an action is done for good."""
        if "reason" in given:
            lost = _("{warning} The reason: {reason}").format(warning=lost, reason=given["reason"])
        page = {
            **self.admin_site.each_context(request),
            "title": row.title,
            "opts": self.opts,
            "chosen": chosen,
            "warning": lost,
            "button": row.yes,
            "back": self._page(chosen[0]) if "from_page" in request.POST else request.get_full_path(),
            "repeated": [
                (name, request.POST[name])
                for name in ("action", "from_page", *given)
                if request.POST.get(name)
            ],
        }
        return TemplateResponse(request, "admin/tournaments/confirm.html", page)

    def _do_each(
        self, request, row: Action, chosen: Iterable[Model], given: Mapping[str, Any]
    ) -> HttpResponse | None:
        """Act on each of the chosen, log it, and show the outcome in the list or on the page it came from."""
        texts = {name: value.strip() for name, value in given.items() if isinstance(value, str)}
        last: object = None
        for one in chosen:
            last = one
            try:
                made = row.do(self.subject(one), request.user, **given)
            except RequestRefused as error:
                self.message_user(request, str(error), messages.ERROR)
            except ValidationError as error:
                self.message_user(request, f"{one}: {' '.join(error.messages)}", messages.ERROR)
            else:
                with override("en"):
                    told = row.told(one, **texts)
                    LogEntry.objects.log_actions(
                        request.user.pk, [one], CHANGE, change_message=told, single_object=True
                    )
                self.message_user(request, f"{one}: {row.told(one, **texts)}", messages.SUCCESS)
                last = made if isinstance(made, self.model) else one
        if "from_page" not in request.POST or not isinstance(last, self.model):
            return None
        return HttpResponseRedirect(self._page(last))

    def _page(self, one: Model) -> str:
        address = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_change"
        return reverse(address, args=[one.pk])


def _perform(page: RowsAdmin, request, chosen, *, row: Action):  # type: ignore[no-untyped-def]
    return page.perform(request, row, list(chosen))
