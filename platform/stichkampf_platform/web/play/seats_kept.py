"""The seats at which a browser or an account sits."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.core.errors import NotAllowed
from stichkampf_platform.play import services
from stichkampf_platform.play.seat_keys import SeatKey

COOKIE = "seat-"
GUIDED = "guided-"
SALT = "stichkampf.seat"
KEPT_SECONDS = 30 * 24 * 3600


def keep_seat(answer: HttpResponse, key: SeatKey) -> None:
    """Let the browser of this answer keep a seat, signed."""
    answer.set_signed_cookie(
        COOKIE + key.table,
        f"{key.seat}.{key.secret}",
        salt=SALT,
        max_age=KEPT_SECONDS,
        httponly=True,
        samesite="Lax",
    )


def guide(answer: HttpResponse, key: SeatKey) -> None:
    """Let the browser of this answer ask for the guide at a table."""
    answer.set_cookie(GUIDED + key.table, "1", max_age=KEPT_SECONDS, httponly=True, samesite="Lax")


def is_guided(request: HttpRequest, table: str) -> bool:
    return GUIDED + table in request.COOKIES


def kept_seat(request: HttpRequest, table: str) -> SeatKey:
    """Return the key of the seat that this browser or this account has at a table.

    :raises NotAllowed: it has none there, or its cookie was altered.
    """
    if request.user.is_authenticated and (mine := services.key_for(request.user, table)):
        return mine
    said = request.get_signed_cookie(COOKIE + table, "", salt=SALT)
    digits, _dot, secret = said.partition(".")
    number = whole_number(digits)
    if number is None:
        raise NotAllowed(
            _("You have no seat at this table. Open it on the device where you sat down, or sign in.")
        )
    key = SeatKey(table, number, secret)
    key.check()
    return key
