"""The replay of a match: any decision, with all hands open or as one seat saw it, rendered on the server."""

from __future__ import annotations

from functools import lru_cache

from csp.decorators import csp_replace
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.vary import vary_on_headers
from stichkampf.match.narrator import ALL_HANDS
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.core.errors import NotShown, RecordDeleted, RecordUnreadable
from stichkampf_platform.marks.queries import marks_of
from stichkampf_platform.serving.page_cache.middleware import play_is_over
from stichkampf_platform.tournaments.entry.protests import may_protest
from stichkampf_platform.tournaments.models import MatchRecord, Result, Seat, Table
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.shown import Viewer, shown_to
from stichkampf_platform.web.games.rulebook import game_title
from stichkampf_platform.web.replay.bot_output import output_for
from stichkampf_platform.web.replay.replay import Replay, build_replay
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.replay.scene_parts import SeatOccupant
from stichkampf_platform.web.views.error_pages import no_record

SCENE_SECONDS = 3600
DIGITS = 17
"""The most digits of the id of a table."""
KNOWN_PARTS = 200
"""The parts of a scene, by their hashes, that a browser may say it has already."""


def replay(request: HttpRequest, table_id: int, step: int = 0) -> HttpResponse:
    return _replay(request, table_id, step, in_frame=False)


@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
def embedded(request: HttpRequest, table_id: int, step: int = 0) -> HttpResponse:
    """Show a replay alone, for a frame in any page: nothing in it acts for a person."""
    return _replay(request, table_id, step, in_frame=True)


@vary_on_headers("X-Fragment", "X-Known")  # a cached scene must not be used as the page of the same address
def _replay(request: HttpRequest, table_id: int, step: int, *, in_frame: bool) -> HttpResponse:
    table = replayable_tables(request.user).filter(pk=table_id).first()
    if table is None:
        return not_open(request, table_id)
    play_is_over(request)
    seats = list(table.seats.all())
    observer = observer_of(request, len(seats))
    try:
        replay = replay_of(table, observer)
    except RecordUnreadable as error:
        return no_record(request, error)
    if step > replay.steps:
        raise Http404(
            _("The match has {steps} decisions; there is no number {step}.").format(
                steps=replay.steps, step=step
            )
        )
    players = [player_of(seat) for seat in seats]
    marks = marks_of(table.pk, None if observer == ALL_HANDS else observer, request.user)
    scene = Scene(replay, step, players, every=shows_forced(request), marks=list(marks))
    page = {
        "scene": scene,
        "known": known_parts(request),
        "table": table,
        "this_block": table.block,
        "tournament": table.block.tournament,
        "game": game_title(table.block.tournament.game),
        "seat_numbers": range(1, len(seats) + 1),
        "place": "web:embed-at" if in_frame else "web:replay-at",
        "play_on": "web:play-on-replay",
        "embedded": in_frame,
        "written": output_for(replay, step, seats, None if in_frame else request.user),
    }
    if request.headers.get("X-Fragment"):
        response = render(request, "web/replay/scene.html", page)
        response["Cache-Control"] = f"private, max-age={SCENE_SECONDS}"
        return response
    if in_frame:
        return render(request, "web/replay/embed.html", page)
    page["channel"] = channel_of(request, table)
    page["may_protest"] = may_protest(request.user, table.block.tournament)
    page["same_hands"] = _same_hands(request, table)
    page["previewed"] = shown_tables(None).filter(pk=table.pk).exists()
    return render(request, "web/replay/page.html", page)


def on_show(request: HttpRequest, tables: QuerySet[Table]) -> Table | None:
    """Return the match that is shown next: one newer than any so far, else the one before, else the newest.

    `after` in the address is the match that was on show, `newest` the newest that was.
    """
    after, newest = _shown_so_far(request)
    tables = tables.order_by("-pk")
    return tables.filter(pk__gt=newest).first() or tables.filter(pk__lt=after).first() or tables.first()


def onward(request: HttpRequest, table: Table) -> str:
    """Return the query that leads on from a match."""
    return f"?after={table.pk}&newest={max(_shown_so_far(request)[1], table.pk)}"


def _shown_so_far(request: HttpRequest) -> tuple[int, int]:
    after, newest = (whole_number(request.GET.get(name, ""), DIGITS) or 0 for name in ("after", "newest"))
    return after, max(after, newest)


def channel_of(request: HttpRequest, table: Table) -> str:
    """Return where the channel that a replay is shown in goes on; empty for a replay by itself.

    `watch` in the address is `game` for matches of its game, `tournament` for those of its tournament.
    """
    kind = request.GET.get("watch", "")
    tournament = table.block.tournament
    ways = {
        "game": reverse("web:channel", args=[tournament.game]),
        "tournament": reverse("web:tournament-channel", args=[tournament.slug]),
    }
    return ways[kind] + onward(request, table) if kind in ways else ""


def known_parts(request: HttpRequest) -> frozenset[str]:
    """Return the hashes of the parts of scenes that the browser says it has."""
    return frozenset(request.headers.get("X-Known", "").split()[:KNOWN_PARTS])


def record(request: HttpRequest, table_id: int) -> HttpResponse:
    """Send the match record as a file."""
    try:
        text = record_files.record_text(table_id, request.user)
    except NotShown as error:
        return JsonResponse({"error": str(error)}, status=404)
    except RecordUnreadable as error:
        status = 410 if isinstance(error, RecordDeleted) else 503
        return JsonResponse({"error": str(error)}, status=status)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="stichkampf-{table_id}.json"'
    return response


def replayable_tables(person: Viewer) -> QuerySet[Table]:
    """Return the tables that are shown to a person, with all that a replay draws."""
    found = shown_tables(person).select_related("block__tournament", "match_record")
    return found.prefetch_related("seats__entrant__version__bot__owner")


def not_open(request: HttpRequest, table_id: int) -> HttpResponse:
    """Answer that the block of a table is still being played, and nothing more."""
    shown = Table.objects.filter(shown_to(request.user, "block__tournament__"))
    table = get_object_or_404(shown.select_related("block__tournament"), pk=table_id)
    return render(request, "web/replay/not_open.html", {"this_block": table.block}, status=403)


def observer_of(request: HttpRequest, seats: int) -> int:
    view = request.GET.get("view", "0")
    views = {"0": ALL_HANDS} | {str(number + 1): number for number in range(seats)}
    if view not in views:
        raise Http404(
            _("There is no view {view!r}; 0 shows all hands, 1 to {seats} what that seat saw.").format(
                view=view, seats=seats
            )
        )
    return views[view]


def shows_forced(request: HttpRequest) -> bool:
    every = request.GET.get("every", "")
    if every not in ("", "1"):
        raise Http404(
            _("every={every!r} means nothing: every=1 stops at forced choices, too.").format(every=every)
        )
    return every == "1"


def replay_of(table: Table, observer: int) -> Replay:
    """Return the replay of an open table for one observer.

    :raises RecordUnreadable: its file is missing or damaged, or it was deleted.
    """
    record_files.check_kept(table.match_record)
    waiting = record_files.held_back_seats([table.pk])[table.pk]
    return _cached_replay(table.match_record, table.match_record.digest, observer, waiting)


@lru_cache(maxsize=24)
def _cached_replay(stored: MatchRecord, digest: str, observer: int, held_back: frozenset[int]) -> Replay:
    """Build a replay, cached because stepping requests the same match again and again.

    :param digest: the digest of the record, a part of the key of the cache.
    :param held_back: the seats whose notes and times are still left out, a part of the key as well.
    """
    return build_replay(record_files.record_without(stored, held_back), observer)


def player_of(seat: Seat) -> SeatOccupant:
    version = seat.entrant.version
    return SeatOccupant(version.bot.name, f"v{version.number}", version.bot.get_absolute_url())


def _same_hands(request: HttpRequest, table: Table) -> list[dict]:
    """Return the results with each hand at all tables of the block, one row a seat."""
    # their ids, not their query: PostgreSQL would read all results for it
    tables = list(shown_tables(request.user).filter(block=table.block_id).values_list("pk", flat=True))
    results = (
        Result.objects.filter(seat__table__in=tables)
        .select_related("seat__table", "seat__entrant__version__bot__owner")
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
