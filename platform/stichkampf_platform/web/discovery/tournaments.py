"""The list of tournaments: what can be entered, what runs, what comes, and what is over."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from stichkampf_platform.core import clock
from stichkampf_platform.tournaments.entry.entries import deadline, is_open
from stichkampf_platform.tournaments.entry_models import Entry
from stichkampf_platform.tournaments.formats import ENDLESS_FORMATS, shown_format
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.queries import progress_of
from stichkampf_platform.web.discovery.lists import PER_PAGE, chosen_game, kept, searched
from stichkampf_platform.web.games import rulebook

State = Tournament.State
UNFINISHED_AT_MOST = 200
"""Tournaments that are listed at most of those that are not over, the newest first."""


def listing(request: HttpRequest) -> HttpResponse:
    """Show the tournaments in four groups; search them by name, or choose by game.

    Ladders have a page of their own.
    """
    query, game = searched(request), chosen_game(request)
    found = Tournament.objects.shown_to(request.user).exclude(format__in=ENDLESS_FORMATS)
    found = found.filter(name__icontains=query) if query else found
    found = found.filter(game=game) if game else found
    unfinished = (State.DRAFT, State.RUNNING, State.PAUSED)
    now = clock.now()
    open_ones: list[Tournament] = []
    running: list[Tournament] = []
    coming: list[Tournament] = []
    for each in found.filter(state__in=unfinished)[:UNFINISHED_AT_MOST]:
        group = coming if each.state == State.DRAFT else running
        (open_ones if is_open(each, now) else group).append(each)
    page = Paginator(found.exclude(state__in=unfinished), PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "web/tournaments/list.html",
        {
            "page": page,
            "kept": kept(request),
            "query": query,
            "game": game,
            "entries": rulebook.entries(),
            "groups": [
                ("open", _("Open for entry"), _open(open_ones)),
                ("running", _("Running"), _running(running)),
                ("coming", _("Coming"), [(*_row(each), None) for each in coming]),
                ("over", _("Over"), [(*_row(each), None) for each in page]),
            ],
        },
    )


def _row(tournament: Tournament) -> tuple[Tournament, str, str]:
    return tournament, rulebook.game_title(tournament.game), shown_format(tournament.format).title


def _open(tournaments: list[Tournament]) -> list[tuple]:
    """Return the rows of tournaments that can be entered, each with its deadline and number of entries."""
    counted = Entry.objects.filter(tournament__in=tournaments).values_list("tournament").annotate(Count("pk"))
    entered = dict(counted) if tournaments else {}
    return [(*_row(each), (deadline(each), entered.get(each.pk, 0))) for each in tournaments]


def _running(tournaments: list[Tournament]) -> list[tuple]:
    """Return the rows of running tournaments, each with the percentage of its tables that is played."""
    progress = progress_of(tournaments) if tournaments else []
    shares = [done.percent if done.tables else None for done in progress]
    return [(*_row(each), share) for each, share in zip(tournaments, shares, strict=True)]
