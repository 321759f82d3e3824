"""The page *Watch*: a match to look at, channels in which matches play one after the other, tournaments."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.core.errors import RecordUnreadable
from stichkampf_platform.marks.queries import marks_of
from stichkampf_platform.tournaments.entry.entries import open_for_entry
from stichkampf_platform.tournaments.featured import BLOCKS_READ, featured_table
from stichkampf_platform.tournaments.formats import ENDLESS_FORMATS
from stichkampf_platform.tournaments.models import Table, Tournament
from stichkampf_platform.tournaments.queries import progress_of, shown_tables
from stichkampf_platform.web.discovery.lists import known_game
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.replay import stops
from stichkampf_platform.web.replay.replay import Replay
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.views.replays import on_show, onward, player_of, replay_of

TOURNAMENTS = 8
"""Running tournaments, and those that can be entered, that are named at most of each."""


@dataclass(frozen=True)
class FeaturedScene:
    """A table to look at, at one decision.

    :ivar costly: whether that is the costliest one that was found.
    """

    table: Table
    scene: Scene | None
    costly: bool


def watch(request: HttpRequest) -> HttpResponse:
    """Show a match to look at, a channel a game, and the tournaments that run or can be entered."""
    found = Tournament.objects.shown_to(request.user).exclude(format__in=ENDLESS_FORMATS)
    running = list(found.filter(state=Tournament.State.RUNNING)[:TOURNAMENTS])
    page = {
        "featured": _featured(),
        "blocks_read": BLOCKS_READ,
        "games": rulebook.entries(),
        "running": list(zip(running, progress_of(running) if running else [], strict=True)),
        "open_ones": open_for_entry(request.user, TOURNAMENTS),
    }
    return render(request, "web/watch.html", page)


def game_channel(request: HttpRequest, game: str) -> HttpResponse:
    """Lead to the next match of a game whose block is over, by the rule of `on_show`.

    :raises Http404: there is no such game.
    """
    return _next_match(request, "game", block__tournament__game=known_game(game))


def tournament_channel(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead to the next match of a tournament whose block is over, by the rule of `on_show`."""
    found = get_object_or_404(Tournament.objects.shown_to(request.user), slug=slug)
    return _next_match(request, "tournament", block__tournament=found)


def _next_match(request: HttpRequest, kind: str, **of: object) -> HttpResponse:
    table = on_show(request, shown_tables(request.user).filter(**of))
    if table is None:
        return render(request, "web/nothing_on.html", status=404)
    newest = onward(request, table).partition("&")[2]
    answer = redirect(f"{reverse('web:replay-at', args=[table.pk, 0])}?watch={kind}&{newest}")
    answer["Cache-Control"] = "no-store"
    return answer


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
