"""The pages of the day's deal: of all games, and of each with its tables."""

from __future__ import annotations

import secrets
from datetime import date
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from stichkampf.errors import StichkampfError

from stichkampf_platform.play import daily
from stichkampf_platform.play.models import GOING_ON, DailyDeal, DailyEntry, DailyState
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.play.seats_kept import keep_seat
from stichkampf_platform.web.views.error_pages import page_again

COOKIE = "days"
SALT = "stichkampf.days"
KEPT_SECONDS = 400 * 24 * 3600
SECRET_BYTES = 16
SHOWN_RANKS = 20


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Show the deals of today, and what the visitor made of them."""
    account, browser = _visitor(request)
    entries = {entry.slug: entry for entry in rulebook.entries()}
    found = {deal.game_name: (deal, mine, days) for deal, mine, days in daily.todays(account, browser)}
    games = [
        {"entry": entries[slug], "mine": found[slug][1], "streak": found[slug][2]}
        for slug in entries
        if slug in found
    ]
    return render(request, "web/play/daily.html", {"games": games})


@require_http_methods(["GET", "HEAD", "POST"])
def game_day(request: HttpRequest, game: str) -> HttpResponse:
    """Show the deal of a day, the tables of that day, week and month; and begin that of today."""
    if game not in daily.daily_games():
        raise Http404
    deal = _asked_deal(game, request.GET.get("day", ""))
    refusal: StichkampfError | None = None
    if request.method == "POST":
        try:
            return _begun(request, deal)
        except StichkampfError as error:
            refusal = error
    return page_again(request, "web/play/daily_game.html", _page(request, deal), refusal, 409)


def _begun(request: HttpRequest, deal: DailyDeal) -> HttpResponse:
    account, browser = _visitor(request)
    browser = browser or secrets.token_hex(SECRET_BYTES)
    key = daily.begin(deal, account=account, browser=browser, address=address_of(request))
    answer = redirect("web:play-table", key.table)
    keep_seat(answer, key)
    answer.set_signed_cookie(COOKIE, browser, salt=SALT, max_age=KEPT_SECONDS, httponly=True, samesite="Lax")
    return answer


def _page(request: HttpRequest, deal: DailyDeal) -> dict[str, Any]:
    account, browser = _visitor(request)
    mine = daily.entry_of(deal, account, browser)
    may_see = deal.is_open or _is_over(mine)
    guests = daily.guest_points(deal) if may_see else []
    tables = _tables(deal) if may_see else []
    own_name = account.username if account else ""
    return {
        "game": deal.game.title,
        "slug": deal.game_name,
        "deal": deal,
        "mine": mine,
        "is_over": _is_over(mine),
        "is_today": deal.day == daily.today(),
        "may_see": may_see,
        "better_house": _better(mine, deal),
        "house": sorted(deal.house_scores.items(), key=lambda entry: -entry[1]) if may_see else [],
        "tables": tables,
        "reportable": sorted({row.name for _name, _counts, rows in tables for row in rows} - {own_name}),
        "bars": daily.histogram(deal, mine.points if mine else None) if may_see else [],
        "begins_anew": mine is not None and mine.may_begin_anew and deal.day == daily.today(),
        "guests": len(guests),
        "best_guest": guests[0] if guests else None,
        "streak": daily.streak(account, browser, deal.game_name),
        "before": DailyDeal.objects.filter(game_name=deal.game_name, day__lt=deal.day).first(),
        "seed": bytes(deal.seed).hex() if deal.is_open else "",
    }


def _tables(deal: DailyDeal) -> list[tuple[str, str, list[daily.DailyRank]]]:
    """Return for the day, the week and the month its name, what counts, and its first rows."""
    week, month = daily.week_of(deal.day), daily.month_of(deal.day)
    return [
        (_("The day"), _("points"), daily.table_of_day(deal)[:SHOWN_RANKS]),
        (
            _("The week"),
            _("best {days} days").format(days=daily.WEEK_BEST),
            daily.table_of_days(deal.game_name, *week, daily.WEEK_BEST)[:SHOWN_RANKS],
        ),
        (
            _("The month"),
            _("best {days} days").format(days=daily.MONTH_BEST),
            daily.table_of_days(deal.game_name, *month, daily.MONTH_BEST)[:SHOWN_RANKS],
        ),
    ]


def _asked_deal(game: str, day: str) -> DailyDeal:
    """Return the deal of the day that was asked for, or of today.

    :raises Http404: there was none.
    """
    try:
        asked = date.fromisoformat(day) if day else daily.today()
    except ValueError:
        raise Http404(_("{day!r:.20} is no day such as 2026-11-28").format(day=day)) from None
    deal = daily.known_deal(game, asked)
    if deal is None:
        raise Http404
    return deal


def _visitor(request: HttpRequest) -> tuple[Any, str]:
    """Return the account of a visitor, or None, and the secret that the browser keeps."""
    account = request.user if request.user.is_authenticated else None
    return account, request.get_signed_cookie(COOKIE, "", salt=SALT)


def _is_over(mine: DailyEntry | None) -> bool:
    return mine is not None and mine.table.state not in GOING_ON


def _better(mine: DailyEntry | None, deal: DailyDeal) -> int | None:
    """Return how many house bots made less of the hand; None where nothing is counted yet."""
    if mine is None or mine.state != DailyState.COUNTED or not deal.house_scores:
        return None
    return sum(score < mine.points for score in deal.house_scores.values())
