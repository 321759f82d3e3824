"""Records that are kept for a limited time: named as deleted everywhere, and results and ratings stay."""

import json
from datetime import timedelta

import pytest
from stichkampf_platform.core import clock
from stichkampf_platform.ratings.services import is_repeated, publish
from stichkampf_platform.tournaments.models import Block, MatchRecord, Result, SeatReport, Table
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.records.retention import delete_old_records

pytestmark = pytest.mark.database


@pytest.fixture
def old_and_new(make_tournament, play_out, settings):
    """Two blocks that are over, the first of them for a hundred days."""
    settings.RECORD_DAYS = 90
    tournament = play_out(make_tournament(blocks=2))
    old, new = Block.objects.filter(tournament=tournament).order_by("number")
    then = clock.now() - timedelta(days=100)
    Table.objects.filter(block=old).update(finished_at=then)
    Block.objects.filter(pk=old.pk).update(over_at=then)
    return old.tables.earliest("lane"), new.tables.earliest("lane")


def test_a_record_that_is_gone_is_named_as_such_and_its_result_stays(client, old_and_new):
    gone, kept = old_and_new
    snapshot = publish(ladder=gone.block.tournament.ladder)
    SeatReport.objects.create(seat=gone.seats.earliest("number"), stderr="hello")
    results = Result.objects.count()
    assert delete_old_records() == 3
    assert delete_old_records() == 0
    told = f"The record of table {gone.pk} was deleted on {clock.now():%Y-%m-%d}"
    answer = client.get(f"/api/v1/tables/{gone.pk}/record/")
    assert (answer.status_code, answer.json()["detail"][: len(told)]) == (410, told)
    assert client.get(f"/r/{gone.pk}/record.json").status_code == 410
    for page in (f"/r/{gone.pk}/", f"/r/{gone.pk}/1", f"/embed/r/{gone.pk}/"):
        answer = client.get(page)
        assert (answer.status_code, told in answer.content.decode()) == (410, True), page
    lines = client.get("/api/v1/tournaments/a-test/records/").getvalue().decode().splitlines()
    assert [json.loads(line).get("error", "")[: len(told)] == told for line in lines[::3]] == [True, False]
    assert set(record_files.open_records([gone.pk, kept.pk])) == {kept.pk}
    assert client.get(f"/r/{kept.pk}/").status_code == 200
    assert client.get("/bots/house/thumb/").status_code == 200
    assert (Result.objects.count(), SeatReport.objects.count()) == (results, 0)
    assert is_repeated(snapshot)


def test_no_record_is_deleted_unless_the_installation_says_so(old_and_new, settings):
    settings.RECORD_DAYS = 0
    assert delete_old_records() == 0
    assert not MatchRecord.objects.exclude(deleted_at=None).exists()
