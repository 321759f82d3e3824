"""The list of rulings on the page of a tournament, and the forms of a protest and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.entry import leaving, protests
from stichkampf_platform.tournaments.formats import format_named
from stichkampf_platform.tournaments.models import Entrant, Ruling, Table, Tournament
from stichkampf_platform.tournaments.organising.actions import PROTEST_ACTIONS
from stichkampf_platform.tournaments.organising.ruling_models import PROTEST_CHARACTERS
from stichkampf_platform.web.tournament_pages.show import log, runs

RULINGS_SHOWN = 50
CHANGES_SHOWN = 12


@dataclass(frozen=True)
class ShownRuling:
    """A line of the list.

    :ivar places: entrants whose place it changed, with that before and after.
    :ivar further: how many more there are.
    """

    ruling: Ruling
    places: list[tuple[Entrant, int | None, int | None]]
    further: int

    @property
    def times(self) -> list[tuple[str, datetime | None, datetime | None]]:
        """The fields of another deadline, each with its time before and after."""
        names = {"entry_until": _("deadline of entry"), "starts_at": _("start")}
        return [
            (names[name], *(datetime.fromisoformat(time) if time else None for time in both))
            for name, both in self.ruling.changed.items()
        ]


def rulings_part(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """Return the newest rulings and protests, and what the visitor may do here."""
    found = list(protests.listed(tournament, request.user)[: RULINGS_SHOWN + 1])
    may_protest = protests.may_protest(request.user, tournament)
    return {
        "news": next((ruling for ruling in found if ruling.kind == Ruling.Kind.NEWS), None),
        "rulings": _shown(tournament, found[:RULINGS_SHOWN]),
        "more_rulings": len(found) > RULINGS_SHOWN,
        "may_protest": may_protest,
        "may_answer": runs(request.user, tournament),
        "round_numbers": _drawn_rounds(tournament) if may_protest else [],
        "may_leave": leaving.bots_in(tournament, request.user),
    }


def _drawn_rounds(tournament: Tournament) -> list[int]:
    """Return the rounds against which there may be a protest, from 1, the newest first."""
    if not format_named(tournament.format).shows_rounds:
        return []
    rounds = tournament.blocks.order_by("-round").values_list("round", flat=True).distinct()
    return [round + 1 for round in rounds]


def _shown(tournament: Tournament, found: list[Ruling]) -> list[ShownRuling]:
    changed = {ruling.pk: ruling.changed for ruling in found if ruling.kind != Ruling.Kind.DEADLINE}
    keys = {int(key) for places in changed.values() for key in places}
    entrants = tournament.entrants.select_related("version__bot__owner").in_bulk(keys) if keys else {}
    lines = []
    for ruling in found:
        places = [
            (entrants[int(key)], before, after)
            for key, (before, after) in changed.get(ruling.pk, {}).items()
            if int(key) in entrants
        ]
        places.sort(key=lambda each: each[2] or each[1] or 0)
        lines.append(ShownRuling(ruling, places[:CHANGES_SHOWN], max(0, len(places) - CHANGES_SHOWN)))
    return lines


class ProtestForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("What was wrong?"),
        max_length=PROTEST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=gettext_lazy(
            "Everybody who sees the tournament reads it, as soon as it can give no hand away. The organiser"
            " answers."
        ),
    )


class AnswerForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Answer"),
        max_length=PROTEST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=gettext_lazy(
            "It stands below the protest for everybody, and its author is told. It cannot be changed later."
        ),
    )


@login_required
def protest(request: HttpRequest, slug: str) -> HttpResponse:
    """Protest against a match or a round, which the address names."""
    tournament = get_object_or_404(Tournament.objects.shown_to(request.user), slug=slug)
    against = _against(request, tournament)
    form = ProtestForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            protests.protest(
                tournament=tournament, by=request.user, text=form.cleaned_data["text"], **against
            )
        except RequestRefused as error:
            form.add_error("text", str(error))
        else:
            messages.success(request, _("Your protest stands on the list; you are told when it is answered."))
            return redirect(f"{tournament.get_absolute_url()}#rulings")
    page = {
        "tournament": tournament,
        "form": form,
        "table": against.get("table"),
        "round": against.get("round", 0) + 1,
        "may_protest": protests.may_protest(request.user, tournament),
    }
    return render(request, "web/tournaments/protest.html", page, status=422 if form.errors else 200)


@login_required
def answer(request: HttpRequest, slug: str, protest_id: int) -> HttpResponse:
    """Answer a protest, for who runs the tournament."""
    tournament = get_object_or_404(Tournament.objects.opened_by(request.user), slug=slug)
    if not runs(request.user, tournament):
        raise PermissionDenied(_("Only who organises {name} answers.").format(name=tournament.told_name))
    listed = protests.listed(tournament, request.user).filter(kind=Ruling.Kind.PROTEST)
    found = get_object_or_404(listed, pk=protest_id)
    form = AnswerForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        row = PROTEST_ACTIONS["answer"]
        try:
            row.do(found, request.user, **form.cleaned_data)
        except RequestRefused as error:
            form.add_error("text", str(error))
        else:
            log(request, found, row)
            messages.success(request, row.told(found))
            return redirect(f"{tournament.get_absolute_url()}#ruling-{protest_id}")
    page = {"tournament": tournament, "form": form, "protest": found, "round": (found.round or 0) + 1}
    return render(request, "web/tournaments/answer.html", page, status=422 if form.errors else 200)


def _against(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """Return what the address names: a match whose block is over, or a round that has been drawn, from 0."""
    table, round = request.GET.get("table", ""), request.GET.get("round", "")
    if (table_id := whole_number(table, 17)) is not None:
        over = Table.objects.filter(block__tournament=tournament, block__over_at__isnull=False)
        return {"table": get_object_or_404(over.select_related("block__tournament"), pk=table_id)}
    number = whole_number(round, 6)
    if number and tournament.blocks.filter(round=number - 1).exists():
        return {"round": number - 1}
    raise Http404(_("A protest is against one match or one round."))
