"""Glances that other sites show of a tournament, a ladder or a bot: a picture beside a link, and a frame.

Both show what every guest sees, whoever asks, and nothing in a frame acts for a person.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from stichkampf.games import GAMES

from stichkampf_platform.bots.queries import named, shown_bots
from stichkampf_platform.core.number_formats import plain, ungrouped
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.ratings.standings import StandingsOrder
from stichkampf_platform.tournaments.formats import shown_format
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.queries import shown_ladders
from stichkampf_platform.tournaments.scheduling.played_rounds import PlayedRound, played_rounds
from stichkampf_platform.web.discovery.lists import main_ranks
from stichkampf_platform.web.discovery.preview_picture import PreviewLine, draw
from stichkampf_platform.web.games.rulebook import game_title, ladder_setting
from stichkampf_platform.web.views.ladders import LadderTable

CACHE_SECONDS = 300
IN_PICTURE, IN_FRAME = 6, 20
"""Lines that are shown."""


@dataclass(frozen=True)
class GlanceLine:
    """A line: a bot of a list, or a ladder of a bot; `value` is Elo or points, as a text."""

    name: str
    value: str
    rank: int | None
    address: str
    small: str = ""


@dataclass(frozen=True)
class Glance:
    """The head of a list.

    :ivar where: what kind of thing it is, or where it stands.
    :ivar cards: of its game, in words of the record.
    :ivar rounds: of a knock-out, which are shown as a bracket in place of the lines.
    """

    title: str
    where: str
    address: str
    lines: Sequence[GlanceLine]
    cards: Sequence[str] = ()
    rounds: Sequence[PlayedRound] = ()


def of_tournament(slug: str) -> Glance:
    """Return the standings of a tournament, or who is in it before the first of them."""
    found = get_object_or_404(Tournament.objects.shown_to(None).select_related("ladder"), slug=slug)
    rows = StandingsOrder(found, with_unrated=True)
    lines = []
    for row in rows[:IN_FRAME]:
        value = ""
        if rows.by_points and row.entrant.points is not None:
            value = plain(row.entrant.points, 2)
        elif rows.shows_elo and row.telling is not None:
            value = ungrouped(row.telling.elo)
        version = row.entrant.version
        lines.append(
            GlanceLine(
                version.bot.name, value, row.place, version.get_absolute_url(), version.bot.owner.username
            )
        )
    format = shown_format(found.format)
    rounds = []
    if format.knocks_out and found.started_at is not None:
        rounds = played_rounds(found, list(found.entrants.select_related("version__bot__owner")))
    where = f"{game_title(found.game)} · {format.title} · {found.get_state_display()}"
    return Glance(found.told_name, where, found.get_absolute_url(), lines, _cards(found.game), rounds)


def of_ladder(slug: str) -> Glance:
    """Return the head of a ladder, by the name of its game or by its own."""
    found = main_ladders().filter(game=slug) if slug in GAMES else shown_ladders().filter(slug=slug)
    ladder: Ladder = get_object_or_404(found)
    table = LadderTable(ladder, newest_snapshot(ladder), all_versions=False, page=None)
    lines = [
        GlanceLine(
            rating.version.bot.name,
            ungrouped(rating.elo),
            rating.rank,
            rating.version.bot.get_absolute_url(),
            rating.version.bot.owner.username,
        )
        for rating in table.ratings[:IN_FRAME]
        if not rating.provisional
    ]
    setting = "" if ladder.main else ladder_setting(ladder.game, ladder.seats, ladder.options)
    where = " · ".join(filter(None, [_("Ladder"), setting]))
    return Glance(game_title(ladder.game), where, ladder.get_absolute_url(), lines, _cards(ladder.game))


def of_bot(author: str, slug: str) -> Glance:
    """Return the ranks of a bot on the main ladders."""
    bot = get_object_or_404(named(shown_bots(), slug, author))
    ranks = main_ranks([bot]).get(bot.pk, [])
    lines = [
        GlanceLine(
            each.game,
            ungrouped(each.rating.elo),
            each.rating.rank,
            reverse("web:ladder", args=[each.slug]),
        )
        for each in ranks
    ]
    where = _("by {author}").format(author=author)
    return Glance(bot.label, where, bot.get_absolute_url(), lines, _cards(ranks[0].slug) if ranks else ())


def _cards(game: str) -> Sequence[str]:
    return GAMES[game].sample_cards[:IN_PICTURE] if game in GAMES else ()


TOURNAMENT, LADDER, BOT = {"of": of_tournament}, {"of": of_ladder}, {"of": of_bot}
"""Things that an address shows, as its route tells the view."""


@cache_control(public=True, max_age=CACHE_SECONDS)
def picture(request: HttpRequest, of: Callable[..., Glance], **name: str) -> HttpResponse:
    """Send the picture beside a link as PNG."""
    shown = of(**name)
    lines = [
        PreviewLine(f"{line.rank}. {line.name}" if line.rank else line.name, line.value, line.rank)
        for line in shown.lines[:IN_PICTURE]
    ]
    return HttpResponse(draw(shown.title, shown.where, lines, shown.cards), content_type="image/png")


@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
def framed(request: HttpRequest, of: Callable[..., Glance], **name: str) -> HttpResponse:
    """Show a table or bracket alone, for a frame in any page."""
    return render(request, "web/discovery/framed.html", {"glance": of(**name)})
