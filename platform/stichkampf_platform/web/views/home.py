from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from operator import attrgetter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.core.errors import RecordUnreadable
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.marks.queries import marks_of
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.queries import newest_snapshot_ids, ratings_of
from stichkampf_platform.ratings.ranked_versions import holders_in
from stichkampf_platform.tournaments.featured import BLOCKS_READ, featured_table
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.queries import progress_of
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.replay import stops
from stichkampf_platform.web.replay.replay import Replay
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.views.replays import player_of, replay_of

TOP = 5
SAME_HANDS = ("ABCD", "BCDA", "CDAB", "DABC")
"""In the picture of the same hands: the bots with the hands 1 to 4, at each table."""


@dataclass(frozen=True)
class FeaturedScene:
    """The table of the front page, at one decision.

    :ivar costly: whether that is the costliest one that was found.
    """

    table: Table
    scene: Scene | None
    costly: bool


def home(request: HttpRequest) -> HttpResponse:
    running = list(Tournament.objects.shown_to(request.user).filter(state=Tournament.State.RUNNING)[:3])
    tops = _tops()
    page = {
        "running": list(zip(running, progress_of(running), strict=True)),
        "games": [(entry, tops.get(entry.slug, [])) for entry in rulebook.entries()],
        "featured": _featured(),
        "blocks_read": BLOCKS_READ,
        "same_hands": SAME_HANDS,
    }
    return render(request, "web/home.html", page)


def _featured() -> FeaturedScene | None:
    """Return the featured table at its costliest decision, or in the middle of its last deal."""
    table = featured_table()
    if table is None:
        return None
    try:
        replay = replay_of(table, ALL_HANDS)
    except RecordUnreadable:  # the scores are in the database
        return FeaturedScene(table, None, False)
    costliest = max(marks_of(table.pk), key=attrgetter("points"), default=None)
    step = _middle(replay) if costliest is None else costliest.decision
    players = [player_of(seat) for seat in table.seats.all()]
    return FeaturedScene(table, Scene(replay, step, players), costliest is not None)


def _middle(replay: Replay) -> int:
    """Return the decision that ended a trick in the middle of the last deal."""
    deal = replay.deals[-1]
    middle = (deal.first_step + deal.last_step) // 2
    return stops.after(stops.trick_ends(replay), middle) or middle


def _tops() -> dict[str, list[Rating]]:
    """Return the first entries of each main ladder, by its game."""
    newest = Snapshot.objects.filter(pk__in=newest_snapshot_ids(main_ladders())).select_related("ladder")
    ranked: dict[int, list[Rating]] = defaultdict(list)
    best = Rating.objects.filter(snapshot__in=newest.values("pk"), rank__lte=TOP)
    for rating in best.select_related("version__bot__owner").order_by("rank", "-elo", "version"):
        ranked[rating.snapshot_id].append(rating)
    return {
        snapshot.ladder.game: ranked[snapshot.pk][:TOP] if len(ranked[snapshot.pk]) >= TOP else _top(snapshot)
        for snapshot in newest
    }


def _top(snapshot: Snapshot) -> list[Rating]:
    """Return the first entries of a ladder of which few have a rank."""
    best = list(ratings_of(snapshot)[:TOP])
    if all(rating.rank for rating in best):
        return best
    return list(ratings_of(snapshot).filter(version__in=holders_in(snapshot).values())[:TOP])
