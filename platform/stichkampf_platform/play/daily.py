"""The day's deal: to begin it once, and its tables of the day, the week and the month."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from django.db import IntegrityError
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from stichkampf.bots.search import Even
from stichkampf.engine.deal import Json
from stichkampf.games import GAMES
from stichkampf.match.deal_source import SeededDeals

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import User
from stichkampf_platform.play import services
from stichkampf_platform.play.models import DailyDeal, DailyEntry, DailyState
from stichkampf_platform.play.seat_keys import SeatKey, seat_key

WEEK_BEST = 5
MONTH_BEST = 20
STREAK_DAYS = 400
"""The longest streak that is counted."""


UNBROKEN = (DailyState.COUNTED, DailyState.VOID)
"""Outcomes of a day that do not break a streak: it was played, or it was void by our fault."""
MOST_BARS = 12


@dataclass(frozen=True)
class PointsBar:
    """A bar of the histogram of a day's points.

    :ivar percent: of the longest bar.
    :ivar mine: whether the points of who looks are in it.
    """

    lowest: int
    highest: int
    people: int
    percent: int
    mine: bool


@dataclass(frozen=True)
class DailyRank:
    """A row of a table.

    :ivar points: of a day; of a week or month: what is above the mean of the house bots, in the best days.
    """

    rank: int
    name: str
    points: float
    days: int = 1
    table: str = ""


def today() -> date:
    """Return the day in UTC, by the clock that all nodes share."""
    return clock.now().date()


def daily_games() -> list[str]:
    """List the games that declare a match of the day."""
    return [name for name, game in GAMES.items() if game.daily]


def known_deal(game: str, day: date) -> DailyDeal | None:
    """Return the deal of a game and day as pages read it, which store none; None where there is none.

    That of today is as it will be stored, in the first seconds of the day and of a new installation.
    """
    found = DailyDeal.objects.filter(game_name=game, day=day).first()
    return found or (planned(game) if day == today() else None)


def planned(game: str) -> DailyDeal | None:
    """Return the deal of a game today, not stored; None if the game declares none."""
    declared = GAMES[game].daily
    if declared is None:
        return None
    day = today()
    return DailyDeal(
        day=day,
        game_name=game,
        options=GAMES[game](declared.seats, declared.options).options,
        seats_count=declared.seats,
        seat=declared.seat,
        seed=salted_hmac("stichkampf.play.daily", f"{day} {game}", algorithm="sha256").digest(),
    )


def stored(deal: DailyDeal) -> DailyDeal:
    """Return a deal as it is stored, which it is now if nobody has done so yet."""
    if deal.pk is not None:
        return deal
    _store([deal])
    return DailyDeal.objects.get(day=deal.day, game_name=deal.game_name)


def open_day() -> None:
    """Make the deals of today, so that the digests of their seeds stand before anybody plays."""
    made = set(DailyDeal.objects.filter(day=today()).values_list("game_name", flat=True))
    _store([deal for game in daily_games() if game not in made and (deal := planned(game))])


def entry_of(deal: DailyDeal, account: User | None, browser: str) -> DailyEntry | None:
    """Return the entry of an account, or of a guest in a browser.

    :param browser: the secret that it keeps; empty for none.
    """
    return _of_visitor(account, browser).filter(deal_id=deal.pk).select_related("table", "deal").first()


def begin(deal: DailyDeal, *, account: User | None, browser: str, address: str) -> SeatKey:
    """Begin the deal of today, or return the seat of who has begun it: everybody plays it once.

    A deal that was void by our fault before a second card was seen is begun anew.

    :param browser: the secret that the browser keeps.
    :raises RequestRefused: the day is over, or the deal was played in this browser by another.
    :raises TooMany: tables of this person, or guests of this address.
    """
    deal = stored(deal)
    mine = entry_of(deal, account, browser)
    if mine is not None and mine.may_begin_anew and clock.now() < deal.ends_at:
        mine.delete()
        mine = None
    if mine is None:
        _check_may_begin(deal, account, browser)
        try:
            return services.start_table(
                game=deal.game_name,
                options=deal.options,
                seats=deal.seats_count,
                seat=deal.seat,
                opponents=Even.name,
                account=account,
                address=address,
                seed=bytes(deal.seed),
                entry=DailyEntry(deal=deal, account=account, browser=digest_of(browser)),
            )
        except IntegrityError:  # another window was first
            mine = entry_of(deal, account, browser)
            if mine is None:
                raise
    return seat_key(mine.table.public_id, deal.seat)


def todays(account: User | None, browser: str) -> list[tuple[DailyDeal, DailyEntry | None, int]]:
    """List the deals of today, each with the entry of an account or of a guest and the days in a row."""
    known = {deal.game_name: deal for deal in DailyDeal.objects.filter(day=today())}
    deals = [deal for game in daily_games() if (deal := known.get(game) or planned(game))]
    mine = _of_visitor(account, browser)
    entries = {entry.deal_id: entry for entry in mine.filter(deal__in=known.values()).select_related("table")}
    days: dict[str, set[date]] = {}
    for game, day in mine.filter(
        state__in=UNBROKEN, deal__day__gt=today() - timedelta(days=STREAK_DAYS)
    ).values_list("deal__game_name", "deal__day"):
        days.setdefault(game, set()).add(day)
    return [(deal, entries.get(deal.pk), _in_a_row(days.get(deal.game_name, set()))) for deal in deals]


def _of_visitor(account: User | None, browser: str) -> QuerySet[DailyEntry]:
    if account is not None:
        return DailyEntry.objects.filter(account=account)
    if browser:
        return DailyEntry.objects.filter(account=None, browser=digest_of(browser))
    return DailyEntry.objects.none()


def _in_a_row(days: set[date]) -> int:
    """Count the days in a row up to today or yesterday."""
    day = today() if today() in days else today() - timedelta(days=1)
    long = 0
    while day in days:
        long, day = long + 1, day - timedelta(days=1)
    return long


def streak(account: User | None, browser: str, game: str) -> int:
    """Count the days in a row, up to today or yesterday, on which somebody has played the deal of a game.

    A day that was void by our fault does not break it.
    """
    mine = _of_visitor(account, browser).filter(deal__game_name=game, state__in=UNBROKEN)
    return _in_a_row(set(mine.order_by("-deal__day").values_list("deal__day", flat=True)[:STREAK_DAYS]))


def table_of_day(deal: DailyDeal) -> list[DailyRank]:
    """Return the table of a day: accounts, the most points first."""
    entries = deal.entries.filter(account__isnull=False, state=DailyState.COUNTED)
    return _ranked(
        (entry.account.username, float(entry.points), 1, entry.table.public_id)
        for entry in entries.select_related("account", "table")
    )


def histogram(deal: DailyDeal, mine: int | None = None) -> list[PointsBar]:
    """Return how many persons made how many points of a deal, guests among them; empty where nobody counts.

    :param mine: the points of who looks.
    """
    points = sorted(deal.entries.filter(state=DailyState.COUNTED).values_list("points", flat=True))
    if not points:
        return []
    width = max(1, -(-(points[-1] - points[0] + 1) // MOST_BARS))
    lowest = range(points[0], points[-1] + 1, width)
    counts = [sum(low <= each < low + width for each in points) for low in lowest]
    return [
        PointsBar(
            low,
            low + width - 1,
            people,
            round(100 * people / max(counts)),
            mine is not None and low <= mine < low + width,
        )
        for low, people in zip(lowest, counts, strict=True)
    ]


def guest_points(deal: DailyDeal) -> list[int]:
    """Return what guests made of a deal, the best first."""
    guests = deal.entries.filter(account=None, state=DailyState.COUNTED)
    return list(guests.order_by("-points").values_list("points", flat=True))


def table_of_days(game: str, first: date, last: date, best: int) -> list[DailyRank]:
    """Return the table of several days whose deals are open: the sum of the best ones of each account.

    A day counts what is above the mean of the house bots on the same hand, so that hands are comparable.
    """
    entries = (
        DailyEntry.objects.filter(
            deal__game_name=game,
            deal__day__range=(first, last),
            account__isnull=False,
            state=DailyState.COUNTED,
        )
        .select_related("deal", "account")
        .order_by("account_id")
    )
    rows = []
    for _account, theirs in groupby(entries, lambda entry: entry.account_id):
        of_person = list(theirs)
        above = sorted((above for entry in of_person if (above := _above(entry)) is not None), reverse=True)
        if above:
            rows.append((of_person[0].account.username, round(sum(above[:best]), 1), len(above[:best]), ""))
    return _ranked(rows)


def week_of(day: date) -> tuple[date, date]:
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def month_of(day: date) -> tuple[date, date]:
    first = day.replace(day=1)
    return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def is_closed_to_others(table_id: str) -> bool:
    """Tell whether a table is of a day whose deal is not open yet."""
    entry = DailyEntry.objects.select_related("deal").filter(table__public_id=table_id).first()
    return entry is not None and not entry.deal.is_open


def is_of_closed_day(record: Mapping[str, Json]) -> bool:
    """Tell whether a record begins with the cards of a day's deal that is not open yet."""
    first = record["deals"][0]
    since = today() - timedelta(days=1)
    for deal in DailyDeal.objects.filter(game_name=record["game"], day__gte=since):
        dealt = SeededDeals(deal.game, bytes(deal.seed)).dealt(0, deal.game.start())
        if not deal.is_open and all(first.get(name) == value for name, value in dealt.items()):
            return True
    return False


def digest_of(browser: str) -> str:
    """Return the digest under which the secret of a browser is kept."""
    return hashlib.sha256(browser.encode()).hexdigest()


def _store(deals: list[DailyDeal]) -> None:
    """Store deals but those that another process has stored."""
    DailyDeal.objects.bulk_create(deals, ignore_conflicts=True)


def _check_may_begin(deal: DailyDeal, account: User | None, browser: str) -> None:
    if clock.now() >= deal.ends_at:
        raise RequestRefused(_("The day of this deal is over; there is a new one every day from 00:00 UTC."))
    others = deal.entries.filter(browser=digest_of(browser))
    if account is None and others.filter(account__isnull=False).exists():
        raise RequestRefused(
            _("This deal was played in this browser with an account. Sign in to see how it went.")
        )
    if account is not None and others.filter(account=None).exists():
        raise RequestRefused(
            _("This deal was played in this browser by a guest. Nobody may see it twice; come back tomorrow.")
        )


def _above(entry: DailyEntry) -> float | None:
    mean = entry.deal.house_mean
    return entry.points - mean if mean is not None and entry.deal.is_open else None


def _ranked(rows: Iterable[tuple[str, float, int, str]]) -> list[DailyRank]:
    """Return rows by points, those with equal points on the same place."""
    ordered = sorted(rows, key=lambda row: (-row[1], row[0]))
    points = [row[1] for row in ordered]
    return [
        DailyRank(1 + points.index(worth), name, worth, days, table) for name, worth, days, table in ordered
    ]
