"""The marks of one match on a page of their own: asked for there, and listed."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods
from stichkampf.games import game_class

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.marks import queries, services
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.web.replay.scene_marks import shown_mark
from stichkampf_platform.web.views.replays import not_open


@require_http_methods(["GET", "HEAD", "POST"])
def marks(request: HttpRequest, table_id: int) -> HttpResponse:
    """Show the marks of a match, with all hands open; a POST asks for them."""
    table = shown_tables(request.user).select_related("block__tournament").filter(pk=table_id).first()
    if table is None:
        return not_open(request, table_id)
    if request.method == "POST":
        return _ask(request, table)
    game = game_class(table.block.tournament.game)
    analysis = queries.analysis_of(table.pk, request.user)
    found = sorted(queries.marks_of(table.pk, person=request.user), key=lambda mark: -mark.points)
    seats = table.seats.select_related("entrant__version__bot__owner")
    counts = {judged.seat_id: judged.decisions for judged in analysis.seats.all()} if analysis else {}
    page = {
        "table": table,
        "this_block": table.block,
        "game": game.title,
        "analysis": analysis,
        "is_current": analysis is not None and queries.is_current(analysis),
        "marks": [shown_mark(game, mark, all_hands=True) for mark in found],
        "seats": [
            {
                "seat": seat,
                "decisions": counts.get(seat.pk, 0),
                "marks": sum(mark.judged.seat_id == seat.pk for mark in found),
                "points": sum(mark.points for mark in found if mark.judged.seat_id == seat.pk),
            }
            for seat in seats
        ],
        "backlog": queries.backlog(),
        "most_waiting": settings.MARKS_BACKLOG,
    }
    return render(request, "web/marks/marks.html", page)


def _ask(request: HttpRequest, table: Table) -> HttpResponse:
    by = request.user if request.user.is_authenticated else None
    try:
        services.request_marks(table_id=table.pk, by=by, address=address_of(request))
    except RequestRefused as error:
        messages.error(request, str(error))
    return redirect("web:marks", table.pk)
