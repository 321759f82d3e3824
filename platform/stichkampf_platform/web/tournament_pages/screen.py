"""The big screen of a tournament: its table or bracket a slide at a time, a match on show, what is next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import qrcode
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from qrcode.image.svg import SvgPathImage
from stichkampf.match.narrator import ALL_HANDS
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.bots.models import Bot
from stichkampf_platform.core.errors import RecordUnreadable
from stichkampf_platform.ratings.standings import StandingsOrder, StandingsRow
from stichkampf_platform.tournaments import pace
from stichkampf_platform.tournaments.entry.entries import with_a_place
from stichkampf_platform.tournaments.formats import is_endless, shown_format
from stichkampf_platform.tournaments.models import Entrant, Tournament
from stichkampf_platform.tournaments.queries import progress
from stichkampf_platform.tournaments.scheduling.played_rounds import PlayedGroup, PlayedRound, played_rounds
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.tournament_pages.show import show_part
from stichkampf_platform.web.tournament_pages.tournament import following_of, related
from stichkampf_platform.web.views.replays import on_show, onward, player_of, replay_of, replayable_tables

ROWS = 8
"""Lines of a slide that are legible from ten metres."""
LINES_OF_GROUPS = 16
"""Names of a slide of groups, which stand in two columns."""
SLIDES = 24
"""The most slides: of a long table, the first places."""
DIGITS = 17


@dataclass(frozen=True)
class Slide:
    """A part that the screen shows at once.

    :ivar rows: lines of the standings.
    :ivar bots: who is to play, each with the number of its version where that is known.
    :ivar groups: groups of a round.
    :ivar final: whether these are of the final.
    :ivar reveals: whether results that were held back are revealed on it.
    """

    title: str
    rows: Sequence[StandingsRow] = ()
    bots: Sequence[tuple[Bot, int | None]] = ()
    groups: Sequence[PlayedGroup] = ()
    final: bool = False
    reveals: bool = False


def screen(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a tournament on a wall; it follows by itself, and matches that are over play one after the other.

    `slide` counts on round the slides, `after` and `newest` tell the match that was on show and the newest
    that was.
    """
    seen = Tournament.objects.opened_by(request.user).filter(experiment=False)
    found = get_object_or_404(seen, slug=slug)
    address = request.build_absolute_uri(found.get_absolute_url())
    rows = StandingsOrder(found, with_unrated=found.state != Tournament.State.DRAFT)
    show = show_part(request, found)
    slides = _slides(found, rows)
    if (held := show["held"]) is not None and (held.is_played or held.tables):
        slides = [Slide(_("Results of the round"), reveals=True)]
    number = (whole_number(request.GET.get("slide", ""), DIGITS) or 0) % len(slides)
    done = progress(found)
    page = {
        "tournament": found,
        "game": rulebook.game_title(found.game),
        "format": shown_format(found.format).title,
        "slide": slides[number],
        "number": number,
        "slides": len(slides),
        "points": rows.by_points,
        "with_elo": rows.shows_elo,
        "progress": done,
        "left": pace.time_left(found, done),
        "endless": is_endless(found.format),
        "following": following_of(request, found),
        "finals": related(request, found.finals.values_list("pk", flat=True)),
        "code": qr_code(address),
        "address": re.findall("[^/]+/?", address.partition("://")[2]),
        **_match_part(request, found),
        **show,
        "screen": True,
    }
    return render(request, "web/tournaments/screen.html", page)


def qr_code(address: str) -> SafeString:
    """Draw the QR code of an address as SVG."""
    drawn = qrcode.make(address, image_factory=SvgPathImage, border=2)
    return mark_safe(drawn.to_string(encoding="unicode"))


def _slides(tournament: Tournament, rows: StandingsOrder) -> list[Slide]:
    """Return the slides, at least one: the table, or the bracket; the result first once there is one."""
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    knocks_out = shown_format(tournament.format).knocks_out
    drawn = []
    if shown_format(tournament.format).shows_rounds and tournament.started_at is not None:
        drawn = played_rounds(tournament, entrants)
    over = tournament.state == Tournament.State.FINISHED
    slides = [] if knocks_out and drawn and not over else list(_table(rows, over=over))
    for played in reversed(drawn if knocks_out else drawn[-1:]):
        slides += _groups(played, tournament.seats)
    if not slides:
        bots = _to_play(tournament, entrants)
        parts = [bots[start : start + ROWS] for start in range(0, len(bots), ROWS)]
        slides = [Slide(_("Entrants"), bots=part) for part in parts or [[]]]
    return slides[:SLIDES]


def _to_play(tournament: Tournament, entrants: Sequence[Entrant]) -> list[tuple[Bot, int | None]]:
    """List those whom the organiser chose, and before the start those whom authors entered behind them."""
    bots: list[tuple[Bot, int | None]] = [(each.version.bot, each.version.number) for each in entrants]
    if tournament.state == Tournament.State.DRAFT:
        for entry in with_a_place(tournament):
            bots.append((entry.bot, entry.version.number if entry.version else None))
    return bots


def _table(rows: StandingsOrder, *, over: bool) -> Iterator[Slide]:
    for start in range(0, min(len(rows), ROWS * SLIDES), ROWS):
        yield Slide(_("Result") if over and not start else _("Standings"), rows=rows[start : start + ROWS])


def _groups(played: PlayedRound, seats: int) -> Iterator[Slide]:
    title = _("Final") if played.is_final else _("Round {number}").format(number=played.number)
    if not played.over:
        title = _("{round}, in play").format(round=title)
    at_once = max(1, LINES_OF_GROUPS // max(seats, 2))
    for start in range(0, len(played.groups), at_once):
        yield Slide(title, groups=played.groups[start : start + at_once], final=played.is_final)


def _match_part(request: HttpRequest, tournament: Tournament) -> dict[str, object]:
    """Return the match on show, at its beginning, and where the next one is; nothing before one is over."""
    tables = replayable_tables(request.user).filter(block__tournament=tournament)
    table = on_show(request, tables)
    if table is None:
        return {}
    try:
        replay = replay_of(table, ALL_HANDS)
    except RecordUnreadable:  # the table is told all the same
        return {}
    players = [player_of(seat) for seat in table.seats.all()]
    return {
        "table": table,
        "scene": Scene(replay, 0, players),
        "place": "web:replay-at",
        "seat_numbers": range(1, tournament.seats + 1),
        "channel": reverse("web:screen", args=[tournament.slug]) + onward(request, table),
    }
