"""Pages of the day's deal: what stands there before, while and after it is played."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.http import HttpResponse
from stichkampf.bots.practice import entrant, play_match
from stichkampf_platform.people.models import User
from stichkampf_platform.play import daily
from stichkampf_platform.play.models import DailyDeal, DailyEntry, DailyState, PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import seat_key
from stichkampf_platform.web.play import daily_pages
from stichkampf_platform.web.play.seats_kept import keep_seat

pytestmark = pytest.mark.django_db

GAME = "sixes-and-sevens"
NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
PAGE = f"/play/daily/{GAME}/"


@pytest.fixture
def at(monkeypatch, db):
    """Set the clock of the installation, whose sweep then makes the deals of that day."""

    def set_to(moment):
        monkeypatch.setattr(daily.clock, "now", lambda: moment)
        daily.open_day()

    set_to(NOON)
    return set_to


@pytest.fixture
def deal(at):
    return daily.stored(daily.planned(GAME))


def played(deal, name):
    """Store a match that an account has played, and that counts."""
    record = play_match(deal.game, [entrant("even")] * deal.seats_count, bytes(deal.seed)).record
    table = PlayedTable.objects.create(
        public_id=f"of-{name}",
        game_name=deal.game_name,
        options=deal.options,
        seats_count=deal.seats_count,
        seed=bytes(deal.seed),
        state=PlayedState.OVER,
        record=record,
    )
    for number in range(deal.seats_count):
        mine = number == deal.seat
        table.seats.create(number=number, person=mine, house="" if mine else "even")
    account = User.objects.create_user(name, password="secret-enough-9")
    return DailyEntry.objects.create(
        deal=deal,
        table=table,
        account=account,
        state=DailyState.COUNTED,
        points=record["scores"][deal.seat],
    )


def test_the_index_leads_to_the_deal_of_every_game(client, at):
    page = client.get("/play/daily/")
    assert page["Cache-Control"] == "private, no-store"
    for game in daily.daily_games():
        assert f"/play/daily/{game}/" in page.content.decode()
    assert 'href="/play/daily/"' in client.get("/").content.decode()
    assert 'href="/play/daily/"' in client.get("/play/").content.decode()


def test_before_the_day_is_over_the_seed_stands_nowhere_and_its_digest_does(client, deal):
    entry = played(deal, "ada")
    stranger = client.get(PAGE).content.decode()
    assert deal.commitment in stranger
    assert "Play the day" in stranger
    client.force_login(entry.account)
    own = client.get(PAGE).content.decode()
    assert "Play the day" not in own
    for text in (stranger, own):
        assert bytes(deal.seed).hex() not in text
    assert "The week" not in stranger
    assert "The week" in own


def test_the_next_day_seed_tables_and_replays_are_everybodys(client, deal, at):
    played(deal, "ada")
    at(datetime(2026, 11, 29, 2, tzinfo=UTC))
    assert "The deal of" in client.get(PAGE).content.decode()
    page = client.get(f"{PAGE}?day=2026-11-28").content.decode()
    assert bytes(deal.seed).hex() in page
    assert "/play/of-ada/replay/" in page
    assert client.get("/play/of-ada/replay/").status_code == 200


def test_a_replay_of_today_is_shown_to_who_played_it_and_to_nobody_else(client, deal):
    entry = played(deal, "ada")
    closed = client.get("/play/of-ada/replay/3")
    assert closed.status_code == 403
    assert "once the day is over" in closed.content.decode()
    answer = HttpResponse()
    keep_seat(answer, seat_key(entry.table.public_id, deal.seat))
    client.cookies.update(answer.cookies)
    own = client.get("/play/of-ada/replay/3")
    assert (own.status_code, own["Cache-Control"]) == (200, "private, no-store")


@pytest.mark.parametrize("day", ["2026-11-29", "1999-01-01", "28.11.2026", "x" * 300])
def test_a_day_that_has_no_deal_is_not_found(client, deal, day):
    assert client.get(PAGE, {"day": day}).status_code == 404


def test_the_deal_of_a_day_that_is_over_is_refused_in_one_sentence(client, deal, at):
    at(datetime(2026, 11, 29, tzinfo=UTC))
    answer = client.post(f"{PAGE}?day=2026-11-28")
    assert answer.status_code == 409
    assert "The day of this deal is over" in answer.content.decode()
    assert not DailyEntry.objects.exists()


def test_an_altered_cookie_is_no_browser_that_has_played(client, deal):
    client.cookies[daily_pages.COOKIE] = "mine:altered"
    assert "Play the day" in client.get(PAGE).content.decode()


@pytest.mark.django_db
def test_reading_makes_no_deal(client, at):
    DailyDeal.objects.all().delete()
    index, page = client.get("/play/daily/").content.decode(), client.get(PAGE)
    assert index.count("Not played yet.") == len(daily.daily_games())
    assert not DailyDeal.objects.exists()
    daily.open_day()
    digest = DailyDeal.objects.get(game_name=GAME, day=daily.today()).commitment
    assert digest in page.content.decode()
    assert digest in client.get(PAGE).content.decode()


def test_the_points_of_the_day_stand_in_a_histogram_for_who_has_played(client, deal):
    mine = played(deal, "ada")
    played(deal, "bert")
    guest = played(deal, "carl")
    DailyEntry.objects.filter(pk=guest.pk).update(account=None, browser="b", points=mine.points + 30)
    assert 'id="points"' not in client.get(PAGE).content.decode()
    client.force_login(mine.account)
    page = client.get(PAGE).content.decode()
    assert 'id="points"' in page
    assert page.count("yours among them") == 1
    bars = daily.histogram(deal, mine.points)
    assert sum(bar.people for bar in bars) == 3
    assert len(bars) <= daily.MOST_BARS
    (first, *_others, last) = bars
    assert (first.people, first.percent, first.mine, last.people) == (2, 100, True, 1)


def test_the_list_of_the_day_asks_as_much_for_one_game_as_for_all(client, at, django_assert_max_num_queries):
    entry = played(daily.stored(daily.planned(GAME)), "ada")
    client.force_login(entry.account)
    client.get("/play/daily/")
    with django_assert_max_num_queries(9):
        page = client.get("/play/daily/").content.decode()
    assert page.count("1 day in a row.") == 1
    assert "Played: " in page


@pytest.mark.parametrize(("decided", "anew"), [(False, True), (True, False)])
def test_a_deal_void_by_our_fault_is_begun_anew_unless_something_was_decided(client, deal, decided, anew):
    entry = played(deal, "ada")
    PlayedTable.objects.filter(pk=entry.table_id).update(state=PlayedState.VOID, record=None)
    DailyEntry.objects.filter(pk=entry.pk).update(state=DailyState.VOID, points=None, cards_seen=decided)
    client.force_login(entry.account)
    page = client.get(PAGE).content.decode()
    assert ("you may begin it anew" in page) is anew
    assert ("Play the day" in page) is anew


def test_a_name_in_the_tables_of_a_day_can_be_reported_but_not_ones_own(client, deal):
    played(deal, "ada")
    mine = played(deal, "bert")
    client.force_login(mine.account)
    page = client.get(PAGE).content.decode()
    assert ("/people/ada/report/" in page, "/people/bert/report/" in page) == (True, False)
