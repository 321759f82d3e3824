"""Continuations of a decision on a page of their own: asked for there, and drawn."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from stichkampf.analysis import Continuations, RecordedDecision, decision_of
from stichkampf.errors import RecordError
from stichkampf.games import game_class
from stichkampf.match.wording import Wording

from stichkampf_platform.core.errors import RecordUnreadable, RequestRefused
from stichkampf_platform.marks import queries
from stichkampf_platform.marks.continuing import NUMBER, PLAYERS, request_continuations
from stichkampf_platform.marks.models import StoredContinuations
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.web.charts.outcomes import outcome_histogram
from stichkampf_platform.web.replay.action_texts import short
from stichkampf_platform.web.views.error_pages import no_record
from stichkampf_platform.web.views.replays import not_open


class ShownContinuations(NamedTuple):
    """Continuations in words, with their chart where they are played.

    :ivar chosen: whether they begin with the action that was chosen.
    """

    stored: StoredContinuations
    action: SafeString
    chosen: bool
    found: Continuations | None
    chart: SafeString | str


@require_http_methods(["GET", "HEAD", "POST"])
def continuations(request: HttpRequest, table_id: int, decision: int) -> HttpResponse:
    """Show the continuations of a decision, with all hands open; a POST asks for more."""
    table = shown_tables(request.user).select_related("block__tournament").filter(pk=table_id).first()
    if table is None:
        return not_open(request, table_id)
    try:
        if request.method == "POST":
            return _ask(request, table, decision)
        decided = decision_of(record_files.record(table.pk, request.user), decision)
    except RecordUnreadable as error:
        return no_record(request, error)
    except RecordError:
        raise Http404(_("The match has no decision {number}.").format(number=decision)) from None
    game = game_class(table.block.tournament.game)
    words = Wording(game, get_language() or "en", lambda seat: _("seat {number}").format(number=seat + 1))
    stored = list(queries.continuations_of(table.pk, decision, request.user))
    page = {
        "table": table,
        "this_block": table.block,
        "game": game.title,
        "decision": decision,
        "seat": decided.seat + 1,
        "deal": decided.deal + 1,
        "chosen": short(game, decided.chosen),
        "actions": [
            (action, words.action(decided.seat, action), action == decided.chosen)
            for action in sorted(decided.legal, key=lambda action: action != decided.chosen)
        ],
        "players": PLAYERS,
        "number": NUMBER,
        "waiting": any(each.state == StoredContinuations.State.WAITING for each in stored),
        "shown": [_shown(game, decided, each) for each in stored],
    }
    return render(request, "web/marks/continuations.html", page)


def _shown(game: type, decided: RecordedDecision, stored: StoredContinuations) -> ShownContinuations:
    action, chosen = short(game, stored.action), stored.action == decided.chosen
    if stored.state != StoredContinuations.State.MADE:
        return ShownContinuations(stored, action, chosen, None, "")
    found = Continuations(decided.seat, stored.action, dict(stored.outcomes))
    return ShownContinuations(stored, action, chosen, found, outcome_histogram(found.outcomes, found.mean))


def _ask(request: HttpRequest, table: Table, decision: int) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(request.path)
    try:
        request_continuations(
            table_id=table.pk,
            decision=decision,
            bot=request.POST.get("bot", ""),
            action=request.POST.get("action", ""),
            by=request.user,
            address=address_of(request),
        )
    except RequestRefused as error:
        messages.error(request, str(error))
    return redirect("web:continuations", table.pk, decision)
