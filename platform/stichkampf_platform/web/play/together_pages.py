"""The pages of a table by link: to invite to it, and to sit down before its match begins."""

from __future__ import annotations

from math import ceil

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import NotAllowed, RequestRefused
from stichkampf_platform.play import together
from stichkampf_platform.play.models import GUEST, PlayedSeat, PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import SeatKey
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.play.occupants import house_name
from stichkampf_platform.web.play.seats_kept import keep_seat, kept_seat
from stichkampf_platform.web.play.start_pages import LEVELS
from stichkampf_platform.web.views.error_pages import page_again, refused

LOOKS_AGAIN_SECONDS = "4"


@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: HttpRequest) -> HttpResponse:
    """Open a table to which people come by its link."""
    refusal: StichkampfError | None = None
    if request.method == "POST":
        try:
            key = together.invite(
                game=request.POST.get("game", ""),
                seats=whole_number(request.POST.get("seats", ""), 2) or 0,
                level=request.POST.get("level", "even"),
                minutes=whole_number(request.POST.get("minutes", ""), 4) or 0,
                account=request.user if request.user.is_authenticated else None,
                address=address_of(request),
            )
        except StichkampfError as error:
            refusal = error
        else:
            return _sent_to_room(key)
    page = {
        "levels": LEVELS,
        "games": [(entry, GAMES[entry.slug].players) for entry in rulebook.entries()],
        "seats": sorted({seats for game in GAMES.values() for seats in game.players}),
        "waits": together.WAITS,
        "sent": {"game": "", "seats": "4", "level": "even", "minutes": "3"} | request.POST.dict(),
    }
    return page_again(request, "web/play/together.html", page, refusal, 400)


@require_http_methods(["GET", "HEAD", "POST"])
def room(request: HttpRequest, table: str) -> HttpResponse:
    """Show who sits at a table that has not begun, and let people sit down."""
    played = PlayedTable.objects.filter(public_id=table, begins_at__isnull=False).first()
    if played is None:
        raise Http404
    mine, reason = _own_seat(request, table), ""
    if request.method == "POST":
        try:
            return _pressed(request, played, mine)
        except RequestRefused as error:
            reason = str(error)
            played.refresh_from_db()
    if played.state == PlayedState.VOID:
        return refused(request, 410, played.told_void)
    if played.state != PlayedState.GATHERING:
        if mine is not None and not reason:
            return redirect("web:play-table", table)
        return refused(request, 409, reason or _("This table has begun; nobody sits down there any more."))
    page = {
        "table": table,
        "title": played.game.title,
        "seats": _seats(played, mine),
        "mine": mine,
        "invites": mine is not None and mine.seat == 0,
        "link": request.build_absolute_uri(request.path),
        "minutes": max(1, ceil((played.begins_at - clock.now()).total_seconds() / 60)),
        "reason": reason,
    }
    answer = render(request, "web/play/room.html", page, status=409 if reason else 200)
    answer["Refresh"] = LOOKS_AGAIN_SECONDS
    return answer


def _pressed(request: HttpRequest, played: PlayedTable, mine: SeatKey | None) -> HttpResponse:
    deed = request.POST.get("deed", "")
    if deed == "sit":
        if mine is not None:
            raise RequestRefused(_("You have a seat at this table already."))
        number = whole_number(request.POST.get("seat", ""), 2)
        account = request.user if request.user.is_authenticated else None
        return _sent_to_room(together.sit_down(played, -1 if number is None else number - 1, account))
    deeds = {"begin": together.begin, "off": together.call_off}
    if deed not in deeds:
        raise RequestRefused(_("There is no such button at this table."))
    if mine is None:
        raise RequestRefused(_("Only who invited to this table does that."))
    deeds[deed](mine)
    return redirect("web:play-room", played.public_id)


def _own_seat(request: HttpRequest, table: str) -> SeatKey | None:
    try:
        return kept_seat(request, table)
    except NotAllowed:
        return None


def _name(seat: PlayedSeat) -> str:
    """Name who sits at a seat, or the bot that will."""
    if not seat.person:
        return house_name(seat.house)
    return _("Guest") if seat.name == GUEST else seat.name


def _seats(played: PlayedTable, mine: SeatKey | None) -> list[dict[str, object]]:
    """List the seats with who sits there, or with the bot that will."""
    return [
        {
            "number": seat.number + 1,
            "person": seat.person,
            "mine": mine is not None and mine.seat == seat.number,
            "name": _name(seat),
        }
        for seat in played.seats.select_related("account")
    ]


def _sent_to_room(key: SeatKey) -> HttpResponse:
    answer = redirect("web:play-room", key.table)
    keep_seat(answer, key)
    return answer
