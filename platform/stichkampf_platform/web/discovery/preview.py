"""The picture beside a link to a match: of matches that everybody may watch, and of no others."""

from __future__ import annotations

from functools import lru_cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.core.errors import RecordUnreadable
from stichkampf_platform.core.number_formats import signed
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.web.discovery.preview_picture import PreviewLine, draw
from stichkampf_platform.web.games.rulebook import game_title
from stichkampf_platform.web.replay.replay import Replay
from stichkampf_platform.web.views.replays import replay_of

CACHE_SECONDS = 24 * 3600


@cache_control(public=True, max_age=CACHE_SECONDS)
def preview(request: HttpRequest, table_id: int) -> HttpResponse:
    """Send the picture of a match of a block that is over and that strangers may see."""
    tables = shown_tables(None).select_related("block__tournament", "match_record")
    table = get_object_or_404(
        tables.prefetch_related("seats__entrant__version__bot__owner", "seats__result"), pk=table_id
    )
    return HttpResponse(_picture(table, table.match_record.digest), content_type="image/png")


@lru_cache(maxsize=64)
def _picture(table: Table, digest: str) -> bytes:
    """Draw the picture of a table once; `digest` is that of its record, a part of the key of the cache."""
    tournament = table.block.tournament
    seats = [
        PreviewLine(seat.entrant.version.bot.label, signed(seat.result.score), seat.result.rank)
        for seat in table.seats.all()
    ]
    try:
        cards = _last_trick(replay_of(table, ALL_HANDS))
    except RecordUnreadable:  # the scores are in the database
        cards = []
    where = _("{tournament}, block {number}").format(
        tournament=tournament.name, number=table.block.number + 1
    )
    return draw(game_title(tournament.game), where, seats, cards)


def _last_trick(replay: Replay) -> list[str]:
    """Return the cards of the last trick of the match."""
    frames = [frame for deal in reversed(replay.deals) for frame in reversed(deal.frames)]
    events = (event for frame in frames for event in frame.events)
    return next((list(event.cards) for event in events if event.kind == "trick"), [])
