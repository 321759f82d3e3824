"""Lists of bots and people, which can be searched, the page of a person, and reports of names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from stichkampf.games import GAMES

from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import authors, found_bots, shown_bots
from stichkampf_platform.core.errors import TooMany
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.people.models import HOUSE, User
from stichkampf_platform.people.services import report_name as report
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.ratings.queries import ranked_on
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.serving.private_pages import kept_by_nobody
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.views.error_pages import page_again

PER_PAGE = 50
QUERY_CHARACTERS = 60
UNRANKED = 1_000_000


@dataclass(frozen=True)
class LadderRank:
    """The rank of a bot on the main ladder of a game."""

    game: str
    slug: str
    rating: Rating


@dataclass(frozen=True)
class BotAcrossGames:
    """A bot with its rating on each main ladder, in the order of the games; `None` where it has no rank."""

    bot: Bot
    ratings: list[Rating | None]

    @property
    def mean_rank(self) -> float:
        """Return the mean of its ranks, where a game without one counts as the last there is."""
        ranks = [UNRANKED if rating is None else rating.rank for rating in self.ratings]
        return sum(ranks) / len(ranks)


def bots(request: HttpRequest) -> HttpResponse:
    """Show all bots that everybody may see, by name; search them by name and author, or choose by game."""
    query, game = searched(request), chosen_game(request)
    found = found_bots(query, game)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "web/discovery/bots.html",
        {
            "page": page,
            "kept": kept(request),
            "query": query,
            "game": game,
            "entries": rulebook.entries(),
            "games": rulebook.entries(),
            "rows": across_games(page),
        },
    )


def people(request: HttpRequest) -> HttpResponse:
    """Show everybody with a bot that may be seen; search them by name."""
    query = searched(request)
    found = authors(query)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "web/discovery/people.html", {"page": page, "kept": kept(request), "query": query})


def person(request: HttpRequest, name: str) -> HttpResponse:
    """Show a person's bots with their ranks."""
    found = get_object_or_404(authors(), username=name)
    theirs = list(shown_bots().filter(owner=found).order_by("slug"))
    page = {"person": found, "games": rulebook.entries(), "rows": across_games(theirs)}
    return render(request, "web/discovery/person.html", page)


@require_http_methods(["GET", "HEAD", "POST"])
@kept_by_nobody
def report_name(request: HttpRequest, name: str) -> HttpResponse:
    """Ask whether the name of a person shall be reported to the staff, and report it."""
    person = get_object_or_404(User.objects.exclude(username=HOUSE), username=name, is_active=True)
    page: dict[str, object] = {"person": person, "is_sent": False}
    refusal = None
    if request.method == "POST":
        account = request.user if request.user.is_authenticated else None
        try:
            report(person=person, account=account, address=address_of(request))
            page["is_sent"] = True
        except TooMany as error:
            refusal = error
    return page_again(request, "web/people/report_name.html", page, refusal, 400)


def searched(request: HttpRequest) -> str:
    """Return the words that are searched for."""
    return request.GET.get("q", "").strip()[:QUERY_CHARACTERS]


def chosen_game(request: HttpRequest) -> str:
    """Return the name of the game that the list is limited to; empty for all.

    :raises Http404: there is no such game.
    """
    game = request.GET.get("game", "")
    return known_game(game) if game else ""


def known_game(name: str) -> str:
    """Return the name of a game that an address has.

    :raises Http404: there is no such game.
    """
    if name not in GAMES:
        raise Http404(
            _("No game is called {game!r}; there are {names}.").format(game=name[:40], names=", ".join(GAMES))
        )
    return name


def kept(request: HttpRequest) -> str:
    """Return the part of the query that the links to other pages keep."""
    query = request.GET.copy()
    query.pop("page", None)
    return f"{query.urlencode()}&" if query else ""


def across_games(bots: Iterable[Bot]) -> list[BotAcrossGames]:
    """Return bots with their ratings on the main ladders."""
    listed = list(bots)
    ranks = main_ranks(listed)
    games = [entry.slug for entry in rulebook.entries()]
    rows = []
    for bot in listed:
        by_game = {each.slug: each.rating for each in ranks.get(bot.pk, [])}
        rows.append(BotAcrossGames(bot, [by_game.get(game) for game in games]))
    return rows


def main_ranks(bots: Iterable[Bot]) -> dict[int, list[LadderRank]]:
    """Return the ranks of bots on the main ladders, in the order of the games, by the id of the bot."""
    ratings = ranked_on(main_ladders()).filter(version__bot__in=[bot.pk for bot in bots])
    found = ratings.annotate(bot=F("version__bot"), game=F("snapshot__ladder__game"))
    by_game = {
        (rating.game, rating.bot): rating for rating in found.only("rank", "elo").order_by("-rank", "elo")
    }
    ranks: dict[int, list[LadderRank]] = defaultdict(list)
    for game in GAMES:
        for (played, bot), rating in by_game.items():
            if played == game:
                ranks[bot].append(LadderRank(rulebook.game_title(game), game, rating))
    return ranks
