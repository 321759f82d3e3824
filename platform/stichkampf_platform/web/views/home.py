from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from stichkampf_platform.bots.models import Bot
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.ratings.queries import ranked_on
from stichkampf_platform.tournaments.formats import ENDLESS_FORMATS
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.web.games import rulebook

SHOWN = 5
"""Bots in the table of the front page."""
UNRANKED = 1_000_000
SAME_HANDS = ("ABCD", "BCDA", "CDAB", "DABC")
"""In the picture of the same hands: the bots with the hands 1 to 4, at each table."""


@dataclass(frozen=True)
class BotAcrossGames:
    """A bot with its best rating on each main ladder; `None` where it has no rank."""

    bot: Bot
    ratings: list[Rating | None]

    @property
    def mean_rank(self) -> float:
        """Return the mean of its ranks, where a game without one counts as the last there is."""
        ranks = [UNRANKED if rating is None else rating.rank for rating in self.ratings]
        return sum(ranks) / len(ranks)


def home(request: HttpRequest) -> HttpResponse:
    """Invite to play, to watch and to write a bot, and show who is best in which game."""
    games = rulebook.entries()
    running = Tournament.objects.shown_to(request.user).filter(state=Tournament.State.RUNNING)
    return render(
        request,
        "web/home.html",
        {
            "games": games,
            "best": _best([game.slug for game in games]),
            "ladders_running": running.filter(format__in=ENDLESS_FORMATS).count(),
            "same_hands": SAME_HANDS,
        },
    )


def _best(games: list[str]) -> list[BotAcrossGames]:
    """Return the bots that lead the main ladders, by the mean of their ranks."""
    ranked = ranked_on(main_ladders())
    leaders = ranked.filter(rank__lte=SHOWN).values("version__bot")
    found: dict[Bot, dict[str, Rating]] = defaultdict(dict)
    theirs = ranked.filter(version__bot__in=leaders).select_related("snapshot__ladder", "version__bot__owner")
    for rating in theirs.order_by("-rank", "elo"):
        found[rating.version.bot][rating.snapshot.ladder.game] = rating
    rows = [BotAcrossGames(bot, [by_game.get(game) for game in games]) for bot, by_game in found.items()]
    return sorted(rows, key=lambda row: (row.mean_rank, row.bot.pk))[:SHOWN]
