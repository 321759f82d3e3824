"""The replay: any decision of a match, all hands open or from one seat, rendered on the server."""

from __future__ import annotations

from functools import lru_cache

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.vary import vary_on_headers
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.core.errors import NotOpenYet, RecordUnreadable
from stichkampf_platform.tournaments.models import Seat, Table
from stichkampf_platform.tournaments.queries import revealed_results, revealed_tables, visible_tournaments
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.web.games.rulebook import game_title
from stichkampf_platform.web.replay.replay import Story, tell
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.replay.scene_parts import Player
from stichkampf_platform.web.views.error_pages import unavailable

SCENE_SECONDS = 3600


@vary_on_headers("X-Fragment")  # a kept scene must not be taken for the page at the same address
def replay(request: HttpRequest, table_id: int, step: int = 0) -> HttpResponse:
    table = _open_table(table_id)
    if table is None:
        return _not_open(request, table_id)
    seats = list(table.seats.all())
    observer = _observer(request, seats)
    try:
        story = _story_of(table, observer)
    except RecordUnreadable as error:
        return unavailable(request, str(error))
    if step > story.steps:
        raise Http404(f"The match has {story.steps} decisions; there is no number {step}.")
    scene = Scene(story, step, [_player(seat) for seat in seats])
    page = {
        "scene": scene,
        "table": table,
        "this_block": table.block,
        "tournament": table.block.tournament,
        "game": game_title(table.block.tournament.game),
        "query": f"?view={scene.view}" if scene.view else "",
        "seat_numbers": range(1, len(seats) + 1),
    }
    if request.headers.get("X-Fragment"):
        response = render(request, "web/replay/scene.html", page)
        response["Cache-Control"] = f"private, max-age={SCENE_SECONDS}"
        return response
    page["same_hands"] = _same_hands(table)
    return render(request, "web/replay/page.html", page)


def at_move(request: HttpRequest, table_id: int, deal: int, move: int) -> HttpResponse:
    """From a place in the record, as faults name it, to the decision on the replay."""
    table = _open_table(table_id)
    if table is None:
        return _not_open(request, table_id)
    try:
        story = _story_of(table, ALL_HANDS)
    except RecordUnreadable as error:
        return unavailable(request, str(error))
    if deal >= len(story.deals) or story.deals[deal].first_step + move + 1 > story.deals[deal].last_step:
        raise Http404(f"The record has no deal {deal} with a move {move}.")
    return redirect("web:replay-at", table_id, story.deals[deal].first_step + move + 1)


def record(request: HttpRequest, table_id: int) -> HttpResponse:
    """The match record as a file."""
    try:
        text = record_files.record_text(table_id)
    except NotOpenYet as error:
        return JsonResponse({"error": str(error)}, status=404)
    except RecordUnreadable as error:
        return JsonResponse({"error": str(error)}, status=503)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="stichkampf-{table_id}.json"'
    return response


def _open_table(table_id: int) -> Table | None:
    return (
        revealed_tables()
        .select_related("block__tournament", "match_record")
        .prefetch_related("seats__entrant__version__bot")
        .filter(pk=table_id)
        .first()
    )


def _not_open(request: HttpRequest, table_id: int) -> HttpResponse:
    """A table whose block is still being played: say so, and nothing more."""
    shown = Table.objects.filter(block__tournament__in=visible_tournaments())
    table = get_object_or_404(shown.select_related("block__tournament"), pk=table_id)
    return render(request, "web/replay/not_open.html", {"this_block": table.block}, status=403)


def _observer(request: HttpRequest, seats: list[Seat]) -> int:
    view = request.GET.get("view", "0")
    views = {"0": ALL_HANDS} | {str(number + 1): number for number in range(len(seats))}
    if view not in views:
        raise Http404(f"There is no view {view!r}; 0 shows all hands, 1 to {len(seats)} what that seat saw.")
    return views[view]


def _story_of(table: Table, observer: int) -> Story:
    waiting = record_files.held_back_seats([table.pk])[table.pk]
    return _story(table.pk, table.match_record.digest, observer, waiting)


@lru_cache(maxsize=24)
def _story(table_id: int, digest: str, observer: int, held_back: frozenset[int]) -> Story:
    """Kept because stepping asks for the same match again and again; the digest names one record for ever.

    :param held_back: the seats whose notes and times are left out now; later the match is told anew.
    """
    return tell(record_files.record(table_id), observer)


def _player(seat: Seat) -> Player:
    version = seat.entrant.version
    return Player(version.bot.name, f"v{version.number}", reverse("web:bot", args=[version.bot.slug]))


def _same_hands(table: Table) -> list[dict]:
    """What the bots made of each hand at all tables of the block: one row a seat."""
    results = (
        revealed_results()
        .filter(seat__table__block=table.block_id)
        .select_related("seat__table", "seat__entrant__version__bot")
        .order_by("seat__number", "seat__table__lane")
    )
    rows: dict[int, list] = {}
    for result in results:
        rows.setdefault(result.seat.number, []).append(result)
    return [
        {
            "seat": number + 1,
            "results": row,
            "mean": sum(result.score for result in row) / len(row),
        }
        for number, row in rows.items()
    ]
