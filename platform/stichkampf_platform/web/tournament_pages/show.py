"""The show of a tournament: what is held back, what waits, and the buttons of who runs it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_POST

from stichkampf_platform.core.actions import Action
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ratings.organising import possible
from stichkampf_platform.tournaments.entry.local_times import in_words
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising.actions import ACTIONS, SHOW
from stichkampf_platform.tournaments.running.revealing import held_back_part
from stichkampf_platform.tournaments.shown import Viewer


def show_part(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """Return what is held back or waits, and what the visitor may do about it."""
    found = possible(tournament, request.user) if runs(request.user, tournament) else {}
    at = tournament.next_round_at
    return {
        "held": held_back_part(tournament),
        "next_round": None if tournament.waiting_round is None else tournament.waiting_round + 1,
        "next_round_at": in_words(at, tournament.time_zone) if at else "",
        "presses": [(name, row.words) for name, row in found.items() if name in SHOW],
    }


def runs(person: Viewer, tournament: Tournament) -> bool:
    """Tell whether a visitor does here what an organiser does."""
    return person.is_authenticated and (person.is_superuser or tournament.is_organised_by(person))


@require_POST
@login_required
def press(request: HttpRequest, slug: str) -> HttpResponse:
    """Reveal results or start the next round, for who runs the tournament."""
    found = get_object_or_404(Tournament.objects.opened_by(request.user), slug=slug)
    name = request.POST.get("press", "")
    if name not in SHOW:
        raise Http404(f"There is no {name[:40]!r}; there are {', '.join(SHOW)}.")
    if not runs(request.user, found):
        raise PermissionDenied(_("Only who organises {name} presses this.").format(name=found.told_name))
    row = ACTIONS[name]
    try:
        row.do(found, request.user)
    except RequestRefused as error:
        messages.error(request, str(error))
    else:
        log(request, found, row)
    place = "web:screen" if "screen" in request.POST else "web:tournament"
    return redirect(place, slug)


def log(request: HttpRequest, on: Model, row: Action) -> None:
    """Log what somebody has done who runs a tournament, as the administration does."""
    with override("en"):
        told = row.told(on)
    LogEntry.objects.log_actions(request.user.pk, [on], CHANGE, change_message=told, single_object=True)
