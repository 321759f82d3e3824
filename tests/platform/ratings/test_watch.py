"""The watch for collusion: found where it was planted, seen by organisers and staff only."""

import json
import random
from collections import defaultdict
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.db.models import F
from django.utils import timezone
from stichkampf_platform.ratings import queries, services, tasks, watch
from stichkampf_platform.ratings.models import Gift, Snapshot
from stichkampf_platform.tournaments import records
from stichkampf_platform.tournaments import services as tournaments
from stichkampf_platform.tournaments.models import MatchRecord, Result, Seat, Table

LIST = "/admin/ratings/gift/"
FIELD = ("thumb", "glimpse", "worrier", "random", "timid")


@pytest.fixture
def honest(make_tournament, played_record):
    """A tournament of five, over, whose scores are the same every time: cards and luck, no skill."""
    tournament = make_tournament(*FIELD, blocks=60)
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
    file_name = records.store(table=first, record=record, text=json.dumps(record)).file_name
    MatchRecord.objects.bulk_create(
        MatchRecord(table=table, file_name=file_name, deals=1, moves=1, record_bytes=1) for table in others
    )
    tables.update(state=Table.State.DONE)
    tournament.blocks.update(over_at=timezone.now())
    tournaments.advance_tournaments()
    tournament.refresh_from_db()
    assert tournament.state == tournament.State.FINISHED
    return tournament


@pytest.fixture
def suspicious(honest, house):
    """The same, but random plays into timid's hands."""
    tournament = honest
    giver, taker = house["random"], house["timid"]
    for seat in Seat.objects.filter(table__block__tournament=tournament, entrant__version=taker):
        if seat.table.seats.filter(entrant__version=giver).exists():
            Result.objects.filter(seat=seat).update(score=F("score") + 20)
            mates = Result.objects.filter(seat__table=seat.table)
            mates.filter(seat__entrant__version=giver).update(score=F("score") - 20)
    return tournament


@pytest.fixture
def snapshot(suspicious):
    return services.publish(ladder=queries.ladder_for(suspicious), tournament=suspicious)


def test_a_planted_pair_is_found_and_nobody_else(snapshot, house):
    assert watch.search(snapshot=snapshot) >= 1
    found = {(gift.giver, gift.taker) for gift in Gift.objects.filter(low__gt=0)}
    assert found == {(house["random"], house["timid"])}
    assert all(gift.low <= gift.points <= gift.high and gift.blocks >= 10 for gift in Gift.objects.all())


def test_an_honest_tournament_is_searched_and_nothing_found(honest):
    snapshot = services.publish(ladder=queries.ladder_for(honest))
    assert watch.search(snapshot=snapshot) == 0
    assert Gift.objects.exists()
    assert not Gift.objects.filter(low__gt=0).exists()


def test_a_snapshot_is_searched_once_and_a_newer_one_takes_its_place(snapshot, suspicious):
    tasks.watch_snapshot(snapshot.pk)
    kept = set(Gift.objects.values_list("pk", flat=True))
    tasks.watch_snapshot(snapshot.pk)
    assert set(Gift.objects.values_list("pk", flat=True)) == kept
    newer = services.publish(ladder=queries.ladder_for(suspicious), tournament=suspicious)
    tasks.watch_snapshot(newer.pk)
    assert {gift.snapshot for gift in Gift.objects.all()} == {newer}


def test_ladders_are_searched_once_an_hour_and_tournaments_at_their_end(snapshot, suspicious):
    assert snapshot.final
    ladder = queries.ladder_for(suspicious)
    Snapshot.objects.update(final=False)
    assert watch.due_snapshots() == []
    first = services.publish(ladder=ladder)
    Snapshot.objects.filter(pk=first.pk).update(final=False)
    assert watch.due_snapshots() == [first]
    watch.search(snapshot=first)
    second = services.publish(ladder=ladder)
    Snapshot.objects.filter(pk=second.pk).update(final=False)
    assert watch.due_snapshots() == []
    Snapshot.objects.filter(pk=first.pk).update(watched_at=timezone.now() - timedelta(hours=2))
    assert watch.due_snapshots() == [second]
    Snapshot.objects.filter(pk=snapshot.pk).update(final=True)
    assert watch.due_snapshots() == [second, snapshot]


def test_organisers_see_what_was_found_in_their_own_tournaments_only(client, person, snapshot, suspicious):
    watch.search(snapshot=snapshot)
    ann, bob = person("ann"), person("bob")
    for organiser in (ann, bob):
        organiser.groups.add(Group.objects.get(name="Organisers"))
    suspicious.created_by = ann
    suspicious.save()
    client.force_login(ann)
    link = f"{LIST}?snapshot__tournament__id__exact={suspicious.pk}"
    assert f'href="{link}"' in client.get(suspicious.get_absolute_url()).content.decode()
    page = client.get(f"{link}&found=yes").content.decode()
    assert "not a proof" in page
    assert "random" in page
    assert "helps it at the table" in page
    client.force_login(bob)
    assert LIST not in client.get(suspicious.get_absolute_url()).content.decode()
    assert "0 gifts" in client.get(LIST).content.decode()
    assert client.get(f"{LIST}{Gift.objects.first().pk}/change/").status_code == 302


def test_superusers_see_ladders_too_and_change_nothing(client, person, suspicious):
    watch.search(snapshot=services.publish(ladder=queries.ladder_for(suspicious)))
    client.force_login(person("chief", is_staff=True, is_superuser=True))
    page = client.get(LIST).content.decode()
    assert "random" in page
    gift = Gift.objects.first()
    ladder = f"{LIST}?snapshot__ladder__id__exact={gift.snapshot.ladder_id}"
    assert f'href="{ladder}"' in client.get(gift.snapshot.ladder.get_absolute_url()).content.decode()
    assert "random" in client.get(ladder).content.decode()
    assert client.get(f"{LIST}{gift.pk}/change/").status_code == 200
    assert client.post(f"{LIST}{gift.pk}/change/", {"points": 0}).status_code == 403
    assert client.get(f"{LIST}add/").status_code == 403


def test_nobody_else_learns_of_it(client, person, token, snapshot, suspicious):
    watch.search(snapshot=snapshot)
    ladder = services.publish(ladder=queries.ladder_for(suspicious))
    watch.search(snapshot=ladder)
    places = [
        f"/tournaments/{suspicious.slug}/",
        "/ladders/stiche-raten/",
        f"/ladders/{ladder.ladder.slug}/",
        "/bots/random/",
        f"/api/tournaments/{suspicious.slug}/",
        f"/api/tournaments/{suspicious.slug}/standings/",
        f"/api/ladders/{ladder.ladder.slug}/",
        "/api/schema/",
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
            assert "gift" not in text, place
            assert "collusion" not in text, place
