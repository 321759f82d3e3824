"""The page on which a person begins a match: game, seats, and a level or a bot to play against."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import NotAllowed, RequestRefused
from stichkampf_platform.play import services
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.serving.private_pages import kept_by_nobody
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.play.seats_kept import keep_seat
from stichkampf_platform.web.views.error_pages import refused

LEVELS = {
    "gentle": (gettext_lazy("gentle"), gettext_lazy("for learning a game")),
    "even": (gettext_lazy("even"), gettext_lazy("for who knows a game")),
    "strong": (gettext_lazy("strong"), gettext_lazy("for who plays it well")),
}
OPEN_TABLES = 8


@require_http_methods(["GET", "HEAD", "POST"])
@kept_by_nobody
def start(request: HttpRequest) -> HttpResponse:
    """Show the games, and begin a table of the one that was pressed."""
    reason = ""
    if request.method == "POST":
        try:
            return _begun(request)
        except StichkampfError as error:
            if isinstance(error, NotAllowed):
                return refused(request, 403, str(error))
            reason = str(error)
    level = request.GET.get("level", "even")
    page = {
        "levels": LEVELS,
        "level": level if level in LEVELS else "even",
        "games": _games(request.GET.get("game", "")),
        "reason": reason,
        "open_tables": _open_tables(request),
    }
    return render(request, "web/play/start.html", page, status=400 if reason else 200)


def _begun(request: HttpRequest) -> HttpResponse:
    game = request.POST.get("game", "")
    if game not in GAMES:
        raise RequestRefused(
            _("There is no game {game!r:.40}; there are {games}.").format(game=game, games=", ".join(GAMES))
        )
    ladder = GAMES[game].main_ladder
    seats = whole_number(request.POST.get(f"seats-{game}", str(ladder.seats)), 2)
    if seats not in GAMES[game].players:
        possible = ", ".join(map(str, GAMES[game].players))
        raise RequestRefused(_("Say for how many seats: {possible}.").format(possible=possible))
    options = ladder.options if seats == ladder.seats else {}
    account = request.user if request.user.is_authenticated else None
    bot = request.POST.get(f"bot-{game}", "")
    opponents = _bot(game, bot) if bot else request.POST.get("level", "even")
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
    return answer


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
        }
        for entry in sorted(rulebook.entries(), key=lambda entry: entry.slug != first)
    ]


def _open_tables(request: HttpRequest) -> list[PlayedTable]:
    """List the tables at which this account still sits, the newest first."""
    if not request.user.is_authenticated:
        return []
    mine = PlayedTable.objects.filter(seats__account=request.user, state=PlayedState.OPEN)
    return list(mine.order_by("-pk")[:OPEN_TABLES])
