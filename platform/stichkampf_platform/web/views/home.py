from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.queries import newest_snapshot, ratings_of
from stichkampf_platform.ratings.ranked_versions import holders_in
from stichkampf_platform.tournaments.featured import featured_table
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.queries import progress
from stichkampf_platform.web.games import rulebook

TOP = 5


def home(request: HttpRequest) -> HttpResponse:
    running = list(Tournament.objects.visible_to(request.user).filter(state=Tournament.State.RUNNING)[:3])
    ladders = {ladder.game: newest_snapshot(ladder) for ladder in main_ladders()}
    page = {
        "running": [(tournament, progress(tournament)) for tournament in running],
        "games": [(entry, _top(ladders.get(entry.slug))) for entry in rulebook.entries()],
        "featured": featured_table(),
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
