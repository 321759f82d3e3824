from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from stichkampf_platform.bots.models import Bot
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ratings.queries import ranked_on
from stichkampf_platform.tournaments.entry.entries import open_for_entry
from stichkampf_platform.tournaments.formats import ENDLESS_FORMATS
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.web.discovery.lists import BotAcrossGames, across_games
from stichkampf_platform.web.games import rulebook

SHOWN = 5
"""Bots in the table of the front page."""
OPEN_SHOWN = 3
"""Tournaments that can be entered, named at most."""
SAME_HANDS = ("ABCD", "BCDA", "CDAB", "DABC")
"""In the picture of the same hands: the bots with the hands 1 to 4, at each table."""


def home(request: HttpRequest) -> HttpResponse:
    """Invite to play, to watch and to write a bot, and show who is best in which game."""
    games = rulebook.entries()
    running = Tournament.objects.shown_to(request.user).filter(state=Tournament.State.RUNNING)
    return render(
        request,
        "web/home.html",
        {
            "games": games,
            "open_ones": open_for_entry(request.user, OPEN_SHOWN),
            "best": _best(),
            "ladders_running": running.filter(format__in=ENDLESS_FORMATS).count(),
            "same_hands": SAME_HANDS,
        },
    )


def _best() -> list[BotAcrossGames]:
    """Return the bots that lead the main ladders, by the mean of their ranks."""
    leaders = ranked_on(main_ladders()).filter(rank__lte=SHOWN).values("version__bot")
    rows = across_games(list(Bot.objects.filter(pk__in=leaders).select_related("owner")))
    return sorted(rows, key=lambda row: (row.mean_rank, row.bot.pk))[:SHOWN]
