"""The page on which a person begins a match: game, seats, and a level or a bot to play against."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from stichkampf.bots.registry import levels_elo
from stichkampf.engine.deal import Json
from stichkampf.engine.declaration import DailyMatch
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES
from stichkampf.testing import one_deal
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import NotAllowed, RequestRefused
from stichkampf_platform.play import services
from stichkampf_platform.play.models import GOING_ON, PlayedState, PlayedTable
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.play import occupants
from stichkampf_platform.web.play.seats_kept import guide, keep_seat
from stichkampf_platform.web.views.error_pages import page_again, refused

LEVELS = {
    "gentle": (occupants.LEVELS["gentle"], gettext_lazy("for learning a game")),
    "even": (occupants.LEVELS["even"], gettext_lazy("for who knows a game")),
    "strong": (occupants.LEVELS["strong"], gettext_lazy("for who plays it well")),
}
GENTLE, EVEN = "gentle", "even"
OPEN_TABLES = 8


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    """Show the games, and begin a table of the one that was pressed."""
    refusal: StichkampfError | None = None
    if request.method == "POST":
        try:
            return _begun(request)
        except StichkampfError as error:
            if isinstance(error, NotAllowed):
                return refused(request, 403, str(error))
            refusal = error
    level = request.GET.get("level", EVEN)
    page = {
        "levels": LEVELS,
        "level": level if level in LEVELS else EVEN,
        "games": _games(request.GET.get("game", "")),
        "open_tables": _open_tables(request),
    }
    return page_again(request, "web/play/start.html", page, refusal, 400)


def _begun(request: HttpRequest) -> HttpResponse:
    game = request.POST.get("guided") or request.POST.get("game", "")
    usual = GAMES[game].main_ladder.seats if game in GAMES else 0
    seats = whole_number(request.POST.get(f"seats-{game}", str(usual)), 2) or 0
    options: Mapping[str, Json] = services.rules_of(game, seats).options
    guided = bool(request.POST.get("guided"))
    if guided:
        options = {**options, **first_match(game)}
    account = request.user if request.user.is_authenticated else None
    bot = request.POST.get(f"bot-{game}", "")
    opponents = GENTLE if guided else _bot(game, bot) if bot else request.POST.get("level", EVEN)
    key = services.start_table(
        game=game,
        options=options,
        seats=seats,
        seat=0,
        opponents=opponents,
        account=account,
        address=address_of(request),
    )
    answer = redirect("web:play-table", key.table)
    keep_seat(answer, key)
    if guided:
        guide(answer, key)
    return answer


def first_match(game: str) -> dict[str, Json]:
    """Return the options of a guided match: one deal, or as many as on a day where the first are small."""
    daily: DailyMatch | None = getattr(GAMES[game], "daily", None)
    length = daily and daily.options.get("length")
    return {"length": length} if length else one_deal(game)


def _bot(game: str, number: str) -> Version:
    found = [version for version in services.opponents_for(game) if str(version.pk) == number]
    if not found:
        raise RequestRefused(_("This bot does not play against people any more. Choose another, or a level."))
    return found[0]


def _games(first: str) -> list[dict[str, object]]:
    """List the games, the one that was chosen elsewhere before the others."""
    return [
        {
            "entry": entry,
            "seats": list(GAMES[entry.slug].players),
            "usual": GAMES[entry.slug].main_ladder.seats,
            "bots": services.opponents_for(entry.slug),
            "measured": _measured_levels(entry.slug),
        }
        for entry in sorted(rulebook.entries(), key=lambda entry: entry.slug != first)
    ]


def _measured_levels(game: str) -> list[tuple[Promise, int, int]]:
    """Return the levels with their Elo in a game that was measured, and half the width of its interval."""
    elo = levels_elo().get(game, {})
    return [(told, *elo[name]) for name, (told, _for) in LEVELS.items() if name in elo]


def _open_tables(request: HttpRequest) -> list[PlayedTable]:
    """List the tables at which this account still sits, the newest first."""
    if not request.user.is_authenticated:
        return []
    mine = PlayedTable.objects.filter(
        seats__account=request.user, state__in=[PlayedState.GATHERING, *GOING_ON]
    )
    return list(mine.order_by("-pk")[:OPEN_TABLES])
