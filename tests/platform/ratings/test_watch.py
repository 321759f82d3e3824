"""The watch for collusion: found where it was planted, seen by organisers and staff only."""

import json
import random
import re
from collections import defaultdict
from datetime import timedelta

import pytest
from django.db.models import F
from stichkampf_platform.core import clock
from stichkampf_platform.ratings import collusion_watch, services, tasks
from stichkampf_platform.ratings.models import CollusionSignal, Snapshot
from stichkampf_platform.tournaments.models import MatchRecord, Result, Seat, Table
from stichkampf_platform.tournaments.organising import lifecycle as tournaments
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.running import due_steps

pytestmark = pytest.mark.slow

LIST = "/admin/ratings/collusionsignal/"
AUTHORS = ("ann", "ben", "cid", "dora", "emil")


@pytest.fixture
def bots(person, submitted):
    """A bot of each of five authors who have nothing in common, by the author's name."""
    day = timedelta(days=1)
    people = [person(name, date_joined=clock.now() - number * day) for number, name in enumerate(AUTHORS)]
    made = {one.username: submitted(one, slug=f"{one.username}s") for one in people}
    for number, version in enumerate(made.values()):
        version.digest = f"{number + 1:064}"
        version.save()
    return made


@pytest.fixture
def honest(make_tournament, played_record, bots):
    """A tournament of five, over, whose scores are the same every time: cards and luck, no skill."""
    return played(make_tournament(versions=list(bots.values()), blocks=120), played_record)


def played(tournament, played_record):
    tournaments.start(tournament=tournament)
    chance = random.Random(5)
    cards = defaultdict(lambda: chance.gauss(0, 14))
    tables = Table.objects.filter(block__tournament=tournament)
    seats = Seat.objects.filter(table__in=tables).select_related("table__block")
    Result.objects.bulk_create(
        Result(
            seat=seat, rank=1, score=round(cards[seat.table.block.number, seat.number] + chance.gauss(0, 10))
        )
        for seat in seats.order_by("table__block__number", "table__lane", "number")
    )
    first, *others = tables
    record = played_record(first)
    (stored,) = record_files.store([(first, record, json.dumps(record))])
    MatchRecord.objects.bulk_create(
        MatchRecord(table=table, file_name=stored.file_name, deals=1, moves=1, record_bytes=1)
        for table in others
    )
    tables.update(state=Table.State.DONE)
    tournament.blocks.update(over_at=clock.now())
    due_steps.advance_tournaments()
    tournament.refresh_from_db()
    assert tournament.state == tournament.State.FINISHED
    return tournament


@pytest.fixture
def suspicious(honest, bots):
    """The same, but dora's bot plays into the hands of emil's."""
    collude(honest, bots["dora"], bots["emil"])
    return honest


def collude(tournament, giver, taker):
    for seat in Seat.objects.filter(table__block__tournament=tournament, entrant__version=taker):
        if seat.table.seats.filter(entrant__version=giver).exists():
            Result.objects.filter(seat=seat).update(score=F("score") + 20)
            mates = Result.objects.filter(seat__table=seat.table)
            mates.filter(seat__entrant__version=giver).update(score=F("score") - 20)


@pytest.fixture
def snapshot(suspicious):
    return services.publish(ladder=suspicious.ladder, tournament=suspicious)


def test_a_planted_pair_is_the_only_one_reported(snapshot, bots):
    assert collusion_watch.search(snapshot=snapshot) >= 1
    reported = [
        gift for gift in CollusionSignal.objects.all() if gift.state == CollusionSignal.State.REPORTED
    ]
    assert {(gift.giver, gift.taker) for gift in reported} == {(bots["dora"], bots["emil"])}
    for gift in reported:
        assert gift.style < gift.low <= gift.points <= gift.high
        assert gift.blocks >= 10
        assert gift.apart >= 10


def test_an_honest_tournament_is_searched_without_a_report(honest):
    snapshot = services.publish(ladder=honest.ladder)
    assert collusion_watch.search(snapshot=snapshot) == 0
    assert {gift.state for gift in CollusionSignal.objects.all()} == {CollusionSignal.State.WATCHED}


def test_bots_of_the_house_are_not_asked_about(make_tournament, played_record, house):
    tournament = played(
        make_tournament("thumb", "glimpse", "worrier", "random", "timid", blocks=120), played_record
    )
    collude(tournament, house["random"], house["timid"])
    assert collusion_watch.search(snapshot=services.publish(ladder=tournament.ladder)) == 0
    assert not CollusionSignal.objects.exists()


def test_a_pair_that_always_meets_is_called_not_measurable(make_tournament, played_record, bots):
    four = [bots[name] for name in ("ann", "ben", "cid")]
    tournament = played(make_tournament(versions=four, blocks=20), played_record)
    collusion_watch.search(snapshot=services.publish(ladder=tournament.ladder))
    helps = CollusionSignal.objects.filter(way="help")
    assert {gift.state for gift in helps} == {CollusionSignal.State.NOT_MEASURABLE}
    assert {(gift.blocks, gift.apart, gift.points, gift.low, gift.high) for gift in helps} == {
        (20, 0, None, None, None)
    }


def test_a_reported_pair_stays_reported_with_its_day(snapshot, suspicious, bots):
    collusion_watch.search(snapshot=snapshot)
    day = clock.now() - timedelta(days=3)
    CollusionSignal.objects.exclude(reported_at=None).update(reported_at=day)
    Result.objects.filter(seat__entrant__version=bots["emil"]).update(score=0)
    newer = services.publish(ladder=suspicious.ladder, tournament=suspicious)
    assert collusion_watch.search(snapshot=newer) >= 1
    gift = CollusionSignal.objects.get(giver=bots["dora"], taker=bots["emil"], way="help")
    assert gift.low < gift.style
    assert (gift.state, gift.reported_at, gift.snapshot) == (CollusionSignal.State.REPORTED, day, newer)


def test_suspects_are_asked_about_with_narrower_intervals(honest, bots):
    ladder = honest.ladder

    def widths():
        collusion_watch.search(snapshot=services.publish(ladder=ladder))
        pairs = CollusionSignal.objects.filter(way="help", giver=bots["ann"], taker=bots["ben"])
        gift = pairs.first() or CollusionSignal.objects.get(way="help", giver=bots["ben"], taker=bots["ann"])
        return gift.high - gift.low

    before = widths()
    ben = bots["ben"].bot.owner
    ben.date_joined = bots["ann"].bot.owner.date_joined
    ben.save()
    assert widths() < before


def test_a_snapshot_is_searched_once_and_a_newer_one_takes_its_place(snapshot, suspicious):
    tasks.watch_snapshot(snapshot.pk)
    kept = set(CollusionSignal.objects.values_list("pk", flat=True))
    tasks.watch_snapshot(snapshot.pk)
    assert set(CollusionSignal.objects.values_list("pk", flat=True)) == kept
    newer = services.publish(ladder=suspicious.ladder, tournament=suspicious)
    tasks.watch_snapshot(newer.pk)
    assert {gift.snapshot for gift in CollusionSignal.objects.all()} == {newer}


def test_ladders_are_searched_once_an_hour_and_tournaments_at_their_end(snapshot, suspicious):
    assert snapshot.final
    ladder = suspicious.ladder
    Snapshot.objects.update(final=False)
    assert collusion_watch.due_snapshots() == []
    first = services.publish(ladder=ladder)
    Snapshot.objects.filter(pk=first.pk).update(final=False)
    assert collusion_watch.due_snapshots() == [first]
    collusion_watch.search(snapshot=first)
    second = services.publish(ladder=ladder)
    Snapshot.objects.filter(pk=second.pk).update(final=False)
    assert collusion_watch.due_snapshots() == []
    Snapshot.objects.filter(pk=first.pk).update(watched_at=clock.now() - timedelta(hours=2))
    assert collusion_watch.due_snapshots() == [second]
    Snapshot.objects.filter(pk=snapshot.pk).update(final=True)
    assert collusion_watch.due_snapshots() == [second, snapshot]


def test_organisers_see_findings_in_their_own_tournaments_only(
    client, person, snapshot, suspicious, make_organiser
):
    collusion_watch.search(snapshot=snapshot)
    olga, bob = person("olga"), person("bob")
    for organiser in (olga, bob):
        make_organiser(organiser)
    suspicious.created_by = olga
    suspicious.save()
    client.force_login(olga)
    link = f"{LIST}?snapshot__tournament__id__exact={suspicious.pk}"
    assert f'href="{link}"' in client.get(suspicious.get_absolute_url()).content.decode()
    page = client.get(f"{link}&state=reported").content.decode()
    assert "not a proof" in page
    assert "doras v1" in page
    assert "reported since" in page
    assert "helps it at the table" in page
    client.force_login(bob)
    assert LIST not in client.get(suspicious.get_absolute_url()).content.decode()
    assert "0 collusion signals" in client.get(LIST).content.decode()
    assert client.get(f"{LIST}{CollusionSignal.objects.first().pk}/change/").status_code == 302


def test_superusers_see_ladders_too_and_change_nothing(client, person, suspicious):
    collusion_watch.search(snapshot=services.publish(ladder=suspicious.ladder))
    client.force_login(person("chief", is_staff=True, is_superuser=True))
    page = client.get(LIST).content.decode()
    assert "doras v1" in page
    gift = CollusionSignal.objects.first()
    ladder = f"{LIST}?snapshot__ladder__id__exact={gift.snapshot.ladder_id}"
    assert f'href="{ladder}"' in client.get(gift.snapshot.ladder.get_absolute_url()).content.decode()
    assert "doras v1" in client.get(ladder).content.decode()
    assert client.get(f"{LIST}{gift.pk}/change/").status_code == 200
    assert client.post(f"{LIST}{gift.pk}/change/", {"points": 0}).status_code == 403
    assert client.get(f"{LIST}add/").status_code == 403


def test_findings_show_to_organisers_and_staff_only(client, person, token, snapshot, suspicious):
    collusion_watch.search(snapshot=snapshot)
    ladder = services.publish(ladder=suspicious.ladder)
    collusion_watch.search(snapshot=ladder)
    places = [
        f"/tournaments/{suspicious.slug}/",
        "/ladders/stiche-raten/",
        f"/ladders/{ladder.ladder.slug}/",
        "/bots/dora/doras/",
        f"/api/v1/tournaments/{suspicious.slug}/",
        f"/api/v1/tournaments/{suspicious.slug}/standings/",
        f"/api/v1/ladders/{ladder.ladder.slug}/",
        "/api/v1/schema/",
    ]
    headers = token("eve")
    for sign_in in (None, person("bob")):
        if sign_in:
            client.force_login(sign_in)
        assert client.get(LIST).status_code == 302
        for place in places:
            answer = client.get(place, headers=headers if "api" in place else {})
            assert answer.status_code == 200, place
            text = answer.content.decode().lower()
            assert not re.search(r"\bgift", text), place
            assert "collusion" not in text, place
