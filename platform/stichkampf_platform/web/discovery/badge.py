"""A picture of a bot's rank, for a page of one's own."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control

from stichkampf_platform.bots.queries import named, shown_bots
from stichkampf_platform.core.number_formats import plain
from stichkampf_platform.web.discovery.lists import LadderRank, chosen_game, main_ranks

CHARACTER_WIDTH = 7
MARGIN = 12
CACHE_SECONDS = 300


@cache_control(public=True, max_age=CACHE_SECONDS)
def badge(request: HttpRequest, slug: str, author: str) -> HttpResponse:
    """Show the bot's rank in the game that is asked for, or else its best rank, as SVG."""
    bot = get_object_or_404(named(shown_bots(), slug, author))
    game = chosen_game(request)
    ranks = [rank for rank in main_ranks([bot]).get(bot.pk, []) if game in ("", rank.slug)]
    text = _text(min(ranks, key=lambda rank: rank.rating.rank or 0)) if ranks else _("not ranked yet")
    left, right = (len(part) * CHARACTER_WIDTH + MARGIN for part in (bot.full_name, text))
    page = {
        "name": bot.full_name,
        "text": text,
        "left": left,
        "right": right,
        "width": left + right,
        "left_middle": left / 2,
        "right_middle": left + right / 2,
    }
    return render(request, "web/discovery/badge.svg", page, content_type="image/svg+xml")


def _text(rank: LadderRank) -> str:
    return _("{game}: rank {rank}, Elo {elo}").format(
        game=rank.game, rank=rank.rating.rank, elo=plain(rank.rating.elo)
    )
