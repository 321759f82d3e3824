from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.queries import newest_snapshot, ratings_of
from stichkampf_platform.ratings.ranked_versions import holders_in
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.queries import progress, revealed_blocks, revealed_tables
from stichkampf_platform.tournaments.visibility import seen_by
from stichkampf_platform.web.games import rulebook

TOP = 5


def home(request: HttpRequest) -> HttpResponse:
    running = list(Tournament.objects.visible_to(request.user).filter(state=Tournament.State.RUNNING)[:3])
    ladders = {ladder.game: newest_snapshot(ladder) for ladder in main_ladders()}
    page = {
        "running": [(tournament, progress(tournament)) for tournament in running],
        "games": [(entry, _top(ladders.get(entry.slug))) for entry in rulebook.entries()],
        "featured": _featured(),
    }
    return render(request, "web/home.html", page)


def _top(snapshot: Snapshot | None) -> list[Rating]:
    """Return the first entries of a ladder."""
    if snapshot is None:
        return []
    best = list(ratings_of(snapshot)[:TOP])
    if all(rating.rank for rating in best):
        return best
    return list(ratings_of(snapshot).filter(version__in=holders_in(snapshot).values())[:TOP])


def _featured() -> Table | None:
    """Return a table of the newest finished block."""
    newest = revealed_blocks().filter(seen_by(None, "tournament__")).order_by("-over_at").first()
    tables = revealed_tables().filter(block=newest).select_related("block__tournament")
    return tables.prefetch_related("seats__entrant__version__bot__owner", "seats__result").first()
