"""The day's deal: the same cards for everybody, once, secret until it is over."""

import hashlib
import re
from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
from django.http import HttpResponse
from stichkampf.games import GAMES
from stichkampf_platform.core.errors import RequestRefused, TooMany
from stichkampf_platform.people.models import User
from stichkampf_platform.play import daily, daily_counting, matches, services
from stichkampf_platform.play.models import DailyDeal, DailyEntry, DailyState, PlayedState, PlayedTable
from stichkampf_platform.settings.base import RATES
from stichkampf_platform.web.play.seats_kept import keep_seat
from support import wait_until

GAME = "sixes-and-sevens"
DAY = date(2026, 11, 28)
NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.fixture
def at(monkeypatch):
    """Set the clock of the installation."""

    def set_to(moment):
        for module in (daily, daily_counting):
            monkeypatch.setattr(module.clock, "now", lambda: moment)

    set_to(NOON)
    return set_to


def person(name):
    return User.objects.create_user(name, password="secret-enough-9")


def begun(deal, *, account=None, browser="one", address="192.0.2.7"):
    return daily.begin(deal, account=account, browser=browser, address=address)


def table_of(key):
    return PlayedTable.objects.get(public_id=key.table)


def played(key):
    """Answer each question with the first legal word until the table has landed; return it."""

    def landed():
        feed = services.feed(key)
        if feed.question:
            services._push(key, feed.question.decision, feed.question.legal[0])
        else:
            matches.look_after([table_of(key)])
        table = table_of(key)
        return table if table.state != PlayedState.OPEN else None

    return wait_until(landed, goal="the table lands")


def stored(deal, number, *, account=None, points=None, state=DailyState.COUNTED, browser=""):
    """Store an entry without a match."""
    table = PlayedTable.objects.create(
        public_id=f"{deal.day}-{number}", game_name=deal.game_name, seats_count=4, seed=bytes(32)
    )
    return DailyEntry.objects.create(
        deal=deal, table=table, account=account, points=points, state=state, browser=browser
    )


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.django_db
def test_every_game_declares_a_day_which_is_fixed_by_its_digest(at, game):
    deal = daily.stored(daily.planned(game))
    assert deal == daily.stored(daily.planned(game)) == daily.known_deal(game, DAY)
    assert deal.game.options.items() >= dict(GAMES[game].daily.options).items()
    assert deal.commitment == hashlib.sha256(bytes(deal.seed)).hexdigest()
    assert not deal.is_open
    assert daily.known_deal(game, date(2026, 11, 29)) is None
    at(datetime(2026, 11, 29, 1, 59, tzinfo=UTC))
    assert not deal.is_open
    at(datetime(2026, 11, 29, 2, tzinfo=UTC))
    assert deal.is_open
    assert bytes(daily.planned(game).seed) != bytes(deal.seed)


def test_an_account_plays_the_deal_once_on_all_devices_and_is_counted_once(parts, at):
    deal, ada = daily.stored(daily.planned(GAME)), person("ada")
    key = begun(deal, account=ada)
    assert begun(deal, account=ada, browser="another device") == key
    for deed in (services.leave, services.mark_practice, partial(services.take_back, start=1)):
        with pytest.raises(RequestRefused):
            deed(key)
    table = played(key)
    entry = DailyEntry.objects.get()
    assert (entry.state, entry.points) == (DailyState.COUNTED, table.record["scores"][deal.seat])
    assert [seat["bot"] for seat in table.record["seats"]] == ["guest"] + ["house/even"] * 3
    deal.refresh_from_db()
    assert len(deal.house_scores) > 5
    assert begun(deal, account=ada) == key
    assert [(row.rank, row.name, row.points) for row in daily.table_of_day(deal)] == [
        (1, "ada", entry.points)
    ]
    assert daily.streak(ada, "", GAME) == 1


def test_who_plays_it_another_time_meets_the_same_cards(parts, at):
    deal = daily.stored(daily.planned(GAME))
    one, two = (played(begun(deal, browser=browser)) for browser in ("one", "two"))
    assert one.record["deals"] == two.record["deals"]
    assert daily.guest_points(deal) == [one.record["scores"][0]] * 2
    assert daily.table_of_day(deal) == []


def test_a_browser_plays_it_as_a_guest_or_with_an_account(parts, at):
    deal, ada = daily.stored(daily.planned(GAME)), person("ada")
    key = begun(deal, browser="one")
    assert begun(deal, browser="one") == key
    with pytest.raises(RequestRefused, match="by a guest"):
        begun(deal, account=ada, browser="one")
    begun(deal, account=ada, browser="two")
    with pytest.raises(RequestRefused, match="with an account"):
        begun(deal, browser="two")


def test_few_guests_of_an_address_play_it(parts, at, settings):
    settings.RATES = {**settings.RATES, "guests of a day": RATES["guests of a day"]}
    deal = daily.stored(daily.planned(GAME))
    for browser in ("one", "two", "three"):
        begun(deal, browser=browser)
    with pytest.raises(TooMany):
        begun(deal, browser="four")
    begun(deal, browser="four", address="192.0.2.8")
    begun(deal, account=person("ada"), browser="five")


def test_a_day_that_is_over_is_not_begun_and_late_matches_do_not_count(parts, at):
    deal = daily.stored(daily.planned(GAME))
    key = begun(deal)
    at(datetime(2026, 11, 29, 0, 0, 1, tzinfo=UTC))
    with pytest.raises(RequestRefused, match="is over; there is a new one every day"):
        begun(deal, browser="late")
    at(datetime(2026, 11, 29, 2, 0, 1, tzinfo=UTC))
    played(key)
    assert DailyEntry.objects.get().state == DailyState.LATE
    assert daily.guest_points(deal) == []


@pytest.mark.parametrize(("is_of_day", "deeds"), [(True, {"resign"}), (False, {"resign", "leave", "hint"})])
def test_a_table_offers_what_is_allowed_there(parts, at, client, is_of_day, deeds):
    deal = daily.stored(daily.planned(GAME))
    key = begun(deal) if is_of_day else services.start_table(game=GAME, seats=4, seat=0, opponents="gentle")
    wait_until(lambda: services.feed(key).question)
    kept = HttpResponse()
    keep_seat(kept, key)
    client.cookies.update(kept.cookies)
    page = client.get(f"/play/{key.table}/").content.decode()
    assert set(re.findall(r'name="deed"\s+value="(\w+)"', page)) == deeds


def test_a_match_that_is_given_up_stands_in_no_table(parts, at):
    deal = daily.stored(daily.planned(GAME))
    key = begun(deal)
    wait_until(lambda: services.feed(key).question)
    services.resign(key)
    played(key)
    entry = DailyEntry.objects.get()
    assert (entry.state, entry.points) == (DailyState.GIVEN_UP, None)


def test_a_lost_deal_is_begun_anew_before_the_first_decision_and_void_once_after_it(parts, at):
    deal, ada = daily.stored(daily.planned(GAME)), person("ada")

    def lost(key):
        for name in ("arbiter", "redis"):
            parts.kill(name)
        parts.start("redis", "arbiter")
        assert played(key).told_void == str(matches.LOST)
        assert DailyEntry.objects.get().state == DailyState.VOID

    key = begun(deal, account=ada)
    first = wait_until(lambda: (feed := services.feed(key)).question and feed)
    lost(key)
    again = begun(deal, account=ada)
    assert again != key
    feed = wait_until(lambda: (feed := services.feed(again)).question and feed)
    assert (feed.events, feed.question.legal) == (first.events, first.question.legal)
    services.answer(again, feed.question.decision, feed.question.legal[0])
    lost(again)
    assert begun(deal, account=ada) == again
    assert daily.streak(ada, "", GAME) == 1


def test_a_killed_hub_or_arbiter_costs_nothing_in_a_deal_of_the_day(parts, at):
    deal = daily.stored(daily.planned(GAME))
    key = begun(deal)
    seen = wait_until(lambda: (feed := services.feed(key)).question and feed)
    for lost in ("hub", "arbiter"):
        parts.kill(lost)
        parts.start(lost)
        matches.look_after([table_of(key)])
        again = wait_until(lambda: (feed := services.feed(key)).question and feed)
        assert (again.events, again.question.legal) == (seen.events, seen.question.legal), lost
    assert played(key).state == PlayedState.OVER
    assert DailyEntry.objects.get().state == DailyState.COUNTED


@pytest.mark.django_db
def test_the_week_sums_the_best_days_above_the_house(at):
    ada, bob = person("ada"), person("bob")
    week = [date(2026, 11, 23 + number) for number in range(7)]
    for number, day in enumerate(week):
        deal = DailyDeal.objects.create(
            day=day, game_name=GAME, seats_count=4, seat=0, seed=bytes(32), house_scores={"a": 2, "b": 4}
        )
        stored(deal, 1, account=ada, points=number)
        stored(deal, 2, browser="x", points=99)
        if number == 2:
            stored(deal, 3, account=bob, points=12)
    at(datetime(2026, 12, 1, tzinfo=UTC))
    rows = daily.table_of_days(GAME, *daily.week_of(DAY), daily.WEEK_BEST)
    assert [(row.rank, row.name, row.points, row.days) for row in rows] == [
        (1, "bob", 9.0, 1),
        (2, "ada", sum(range(2, 7)) - 5 * 3, 5),
    ]
    at(datetime(2026, 11, 29, 1, tzinfo=UTC))
    open_days = daily.table_of_days(GAME, *daily.week_of(DAY), daily.WEEK_BEST)
    assert next(row.points for row in open_days if row.name == "ada") == sum(range(5)) - 5 * 3
    assert daily.month_of(date(2026, 12, 31)) == (date(2026, 12, 1), date(2026, 12, 31))


@pytest.mark.django_db
def test_the_month_sums_the_best_twenty_days_of_the_calendar(at, client):
    ada, first = person("ada"), date(2026, 11, 1)
    for number in range(-1, 31):
        deal = DailyDeal.objects.create(
            day=first + timedelta(days=number), game_name=GAME, seats_count=4, seat=0, seed=bytes(32),
            house_scores={"a": 2, "b": 4},
        )  # fmt: skip
        stored(deal, 1, account=ada, points=1 + number if 0 <= number < 30 else 999)
    at(datetime(2026, 12, 3, tzinfo=UTC))
    (row,) = daily.table_of_days(GAME, *daily.month_of(DAY), daily.MONTH_BEST)
    assert (row.points, row.days) == (sum(range(11, 31)) - 20 * 3, 20)
    page = " ".join(client.get(f"/play/daily/{GAME}/", {"day": str(DAY)}).content.decode().split())
    assert "The month <small>best 20 days</small>" in page
    assert "+350.0" in page


@pytest.mark.parametrize("account", [True, False])
def test_two_windows_that_begin_at_once_have_one_table(parts, at, monkeypatch, account):
    deal, ada = daily.stored(daily.planned(GAME)), person("ada") if account else None
    key, found, missed = begun(deal, account=ada), daily.entry_of, [None]
    monkeypatch.setattr(daily, "entry_of", lambda *of: missed.pop() if missed else found(*of))
    assert begun(deal, account=ada) == key
    assert missed == []
    assert PlayedTable.objects.count() == DailyEntry.objects.count() == 1


@pytest.mark.django_db
def test_a_streak_is_broken_by_a_day_without_the_deal(at):
    ada = person("ada")
    states = {26: DailyState.COUNTED, 27: DailyState.VOID, 24: DailyState.COUNTED}
    for number, state in states.items():
        deal = DailyDeal.objects.create(
            day=date(2026, 11, number), game_name=GAME, seats_count=4, seat=0, seed=bytes(32)
        )
        stored(deal, 1, account=ada, state=state, points=1 if state == DailyState.COUNTED else None)
    assert daily.streak(ada, "", GAME) == 2
    at(datetime(2026, 11, 29, 12, tzinfo=UTC))
    assert daily.streak(ada, "", GAME) == 0


@pytest.mark.django_db
def test_entries_go_with_their_account(at):
    ada = person("ada")
    stored(daily.stored(daily.planned(GAME)), 1, account=ada, points=3)
    services.forget_people([ada.pk])
    assert not DailyEntry.objects.exists()
