"""A series keeps its hour by the clocks of its place, and pages, API and calendars tell both times."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stichkampf_platform.core import clock
from stichkampf_platform.tournaments.entry.local_times import in_words, moved, times_after, zones
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from support import examples

WEEK = timedelta(weeks=1)
MOMENTS = st.integers(0, 15 * 366 * 24 * 4).map(
    lambda quarters: datetime(2020, 1, 1, tzinfo=UTC) + quarters * timedelta(minutes=15)
)


@pytest.mark.parametrize(
    ("zone", "start", "changes"),
    [
        ("Europe/Berlin", datetime(2026, 3, 20, 17, tzinfo=UTC), "CET CEST"),
        ("Europe/Berlin", datetime(2026, 10, 16, 16, tzinfo=UTC), "CEST CET"),
        ("America/New_York", datetime(2026, 3, 2, 23, tzinfo=UTC), "EST EDT"),
        ("Australia/Lord_Howe", datetime(2026, 9, 20, 8, tzinfo=UTC), "+1030 +11"),
    ],
)
def test_a_weekly_cup_keeps_its_hour_when_the_clocks_change(zone, start, changes):
    times = times_after(start, WEEK, zone)
    local = [start.astimezone(ZoneInfo(zone)), *(next(times).astimezone(ZoneInfo(zone)) for _ in range(5))]
    assert len({f"{moment:%a %H:%M}" for moment in local}) == 1
    assert list(dict.fromkeys(f"{moment:%Z}" for moment in local)) == changes.split()


def test_an_hour_that_the_clocks_leave_out_is_back_on_the_next_day():
    berlin = ZoneInfo("Europe/Berlin")
    first = datetime(2026, 3, 27, 2, 30, tzinfo=berlin).astimezone(UTC)
    moment, seen = first, []
    for _ in range(4):
        moment = next(times_after(moment, timedelta(days=1), "Europe/Berlin", first))
        seen.append(f"{moment.astimezone(berlin):%d %H:%M}")
    assert seen == ["28 02:30", "29 03:30", "30 02:30", "31 02:30"]


@settings(max_examples=examples(200))
@given(moment=MOMENTS, zone=st.sampled_from(zones()), days=st.sampled_from([1, 7, 14]))
def test_every_next_time_is_whole_days_later_by_the_clocks_of_its_place(moment, zone, days):
    place = ZoneInfo(zone)
    after = next(times_after(moment, timedelta(days=days), zone))
    there, before = after.astimezone(place), moment.astimezone(place)
    meant = (before + timedelta(days=days)).replace(tzinfo=place)
    assert after == meant.astimezone(UTC)
    exists = meant.astimezone(UTC).astimezone(place).replace(tzinfo=None) == meant.replace(tzinfo=None)
    assert not exists or there.time() == before.time()
    assert moved(moment, moment, after, zone) == after or not exists or before.fold


def test_both_times_are_told_and_the_date_where_it_differs():
    evening = datetime(2026, 7, 3, 16, tzinfo=UTC)
    assert in_words(evening, "Europe/Berlin") == "3 Jul 2026, 18:00 CEST (16:00 UTC)"
    assert in_words(evening, "Pacific/Auckland") == "4 Jul 2026, 04:00 NZST (3 Jul 2026, 16:00 UTC)"
    assert in_words(evening, "UTC") == "3 Jul 2026, 16:00 UTC"


@pytest.fixture
def weekly(make_tournament):
    """A weekly cup at 18:00 in Berlin, whose entry ends an hour before."""
    day = (clock.now() + timedelta(days=3)).date()
    start = datetime.combine(day, time(18), ZoneInfo("Europe/Berlin"))
    return make_tournament(
        *("thumb", "random", "timid"), name="Friday cup", blocks=1, repeats="weekly", starts_at=start,
        entry="anybody", entry_until=start - timedelta(hours=1), time_zone="Europe/Berlin",
    )  # fmt: skip


@pytest.mark.django_db
def test_every_cup_of_a_year_starts_at_six_in_berlin(weekly, monkeypatch):
    cup = weekly
    for _ in range(53):
        monkeypatch.setattr(clock, "now", lambda cup=cup: cup.starts_at)
        lifecycle.start(tournament=cup)
        lifecycle.cancel(tournament=cup)
        cup = Tournament.objects.order_by("-pk").first()
        there = [moment.astimezone(ZoneInfo("Europe/Berlin")) for moment in (cup.starts_at, cup.entry_until)]
        assert [f"{moment:%H:%M}" for moment in there] == ["18:00", "17:00"]


@pytest.mark.django_db
def test_pages_api_and_calendar_tell_the_time_of_the_place(client, weekly):
    page = client.get("/tournaments/friday-cup/").text
    local = weekly.starts_at.astimezone(ZoneInfo("Europe/Berlin"))
    assert f", 18:00 {local:%Z} ({weekly.starts_at.astimezone(UTC):%H:%M} UTC)" in page
    assert client.get("/api/v1/tournaments/friday-cup/").json()["time_zone"] == "Europe/Berlin"
    answer = client.get("/tournaments/friday-cup/calendar.ics")
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    lines = answer.content.decode().split("\r\n")
    assert f"DTSTART:{weekly.starts_at.astimezone(UTC):%Y%m%dT%H%M%SZ}" in lines
    assert all(len(line.encode()) <= 75 for line in lines)
    weekly.private = True
    weekly.save()
    assert client.get("/tournaments/friday-cup/calendar.ics").status_code == 404


@pytest.mark.django_db
def test_every_page_of_a_tournament_tells_the_time_of_its_place(client, weekly, play_out):
    place = ZoneInfo("Europe/Berlin")
    assert f"starts {in_words(weekly.starts_at, 'Europe/Berlin')}" in client.get("/tournaments/").text
    play_out(weekly)
    played = Tournament.objects.get(pk=weekly.pk)
    block = played.blocks.get()
    for address, moment in (
        ("/tournaments/", played.started_at),
        ("/tournaments/friday-cup/schedule/", block.over_at),
        (block.get_absolute_url(), block.over_at),
    ):
        assert f"{moment.astimezone(place):%H:%M %Z} (" in client.get(address).text, address


@pytest.mark.django_db
def test_times_are_given_in_the_zone_and_stay_where_it_changes(client, person, house):
    client.force_login(person(is_staff=True, is_superuser=True))
    day = (clock.now() + timedelta(days=9)).date()
    fields = {
        "name": "Cup", "game": "stiche-raten", "preset": "class",
        "entrants": ["thumb", "random", "timid", "bold"],
        "starts_at": f"{day} 18:00", "time_zone": "Europe/Berlin", "with_code": True,
    }  # fmt: skip
    post = {"content_type": "application/json"}
    made = client.post("/api/v1/organiser/tournaments/", fields, **post)
    assert made.status_code == 201, made.json()
    cup = Tournament.objects.get()
    assert cup.starts_at == datetime.combine(day, time(18), ZoneInfo("Europe/Berlin"))
    form = client.get(f"/admin/tournaments/tournament/{cup.pk}/change/").text
    assert 'value="18:00:00"' in form
    address = f"/api/v1/organiser/tournaments/{cup.slug}/"
    assert client.patch(address, {"time_zone": "Asia/Tokyo"}, **post).status_code == 200
    assert Tournament.objects.get().starts_at == cup.starts_at
    wrong = client.patch(address, {"time_zone": "Europe/Nowhere"}, **post)
    assert (wrong.status_code, "Europe/Berlin" in wrong.json()["time_zone"][0]) == (400, True)
