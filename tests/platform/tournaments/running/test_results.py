import json

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.core.errors import MatchFailed, NotShown
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.models import Fault, MatchRecord, Result, SeatReport, Table
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.running import results

pytestmark = pytest.mark.database


def test_a_landed_match_has_a_result_for_every_seat_and_its_record(leased, land, played_record):
    table, *_ = leased()
    record = played_record(table)
    assert land(table, record)
    stored = Result.objects.filter(seat__table=table).order_by("seat__number")
    assert [result.score for result in stored] == record["scores"]
    assert [result.rank for result in stored] == record["ranks"]
    assert [round(result.median_ms) for result in stored] == [1, 2, 3]
    assert MatchRecord.objects.get(table=table).deals == 1


def test_a_remote_bot_shows_the_time_for_which_its_answers_were_waited_for(leased, land, played_record):
    table, *_ = leased()
    record = played_record(table)
    record["time_control"] = {"charged": ["wall", "cpu", "cpu"]}
    record["wall_times"] = [[0.15] * len(costs) for costs in record["costs"]]
    record["costs"] = [[0.0] * len(costs) for costs in record["costs"]]
    assert land(table, record)
    stored = Result.objects.filter(seat__table=table).order_by("seat__number")
    assert [round(result.median_ms) for result in stored] == [150, 0, 0]


def test_a_match_lands_once_however_often_it_is_reported(leased, land):
    table, *_ = leased()
    assert land(table)
    assert not land(table)
    assert Result.objects.count() == 3
    assert MatchRecord.objects.count() == 1


def test_a_worker_that_lost_its_lease_stores_nothing(leased, land):
    table, *_ = leased()
    leases.release(owner="w1")
    (again, *_) = leases.take(block_id=table.block_id, owner="w2")
    assert not land(table)
    assert not Result.objects.exists()
    assert land(again, owner="w2")


def test_of_matches_stored_together_those_with_a_lost_lease_are_left_out(leased, played_record):
    lost, *others = tables = leased()
    matches = [
        results.referee(
            table=table, report=pb.FetchRecordResponse(record_json=json.dumps(played_record(table)))
        )
        for table in tables
    ]
    Table.objects.filter(pk=lost.pk).update(lease_owner="w2")
    assert results.store(matches=matches, owner="w1") == {table.pk for table in others}
    assert set(MatchRecord.objects.values_list("table", flat=True)) == {table.pk for table in others}
    assert Result.objects.count() == 3 * len(others)
    assert lost.block.over_at is None
    assert results.store(matches=matches, owner="w2") == {lost.pk}
    lost.block.refresh_from_db()
    assert lost.block.over_at is not None
    assert Result.objects.count() == 3 * len(tables)


def test_a_cancelled_table_lands_nothing(leased, land):
    table, *_ = leased()
    lifecycle.cancel(tournament=table.block.tournament)
    assert not land(table)
    assert not Result.objects.exists()


def test_a_record_of_other_cards_is_refused(leased, land, played_record):
    table, *_ = leased()
    with pytest.raises(MatchFailed, match="is not correct"):
        land(table, played_record(table, seed=bytes(32)))
    assert not MatchRecord.objects.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": [99, 0, 0]}, "is not correct"),
        ({"seats": [{"bot": "house/flat", "version": 1}] * 3}, "has seats"),
        ({"game": "sticheln"}, "is not correct"),
        ({"deals": []}, "is not correct"),
    ],
)
def test_an_altered_record_is_refused_and_leaves_nothing(leased, land, played_record, change, message):
    table, *_ = leased()
    with pytest.raises(MatchFailed, match=message):
        land(table, {**played_record(table), **change})
    assert not Result.objects.exists()
    assert Table.objects.get(pk=table.pk).state == "open"


def test_nothing_of_a_block_is_open_before_its_last_table_has_ended(leased, land):
    first, second, last = leased()
    land(first)
    land(second)
    with pytest.raises(NotShown, match="not over yet"):
        record_files.record_text(first.pk)
    assert list(record_files.export(first.block.tournament)) == []
    assert not queries.shown_tables().exists()
    assert not queries.shown_results().exists()
    land(last)
    assert record_files.record(first.pk)["game"] == "stiche-raten"
    assert len(list(record_files.export(first.block.tournament))) == 3
    assert queries.shown_results().count() == 9


def test_faults_are_kept_with_their_place(leased, land, played_record):
    table, *_ = leased(fault_allowance=2)
    record = played_record(table, faulting={0})
    land(table, record)
    offender, *others = Result.objects.filter(seat__table=table).order_by("seat__number")
    assert offender.faults == len(record["faults"]) == 2
    assert not any(other.faults for other in others)
    places = [(fault["deal"], fault["move"], fault["kind"]) for fault in record["faults"]]
    assert list(Fault.objects.values_list("deal", "move", "kind")) == places


@pytest.mark.parametrize(
    ("allowance", "kept", "kind", "forfeited"),
    [
        (0, 1, "timeout", True),
        (1, 1, "timeout", False),
        (1, 2, "timeout", True),
        (2, 2, "timeout", True),  # at each of its two decisions: no move was its own
        (2, 1, "resigned", True),
    ],
)
def test_a_hand_is_forfeited_by_one_fault_too_many_no_own_move_or_resigning(
    leased, land, played_record, allowance, kept, kind, forfeited
):
    table, *_ = leased(fault_allowance=allowance)
    record = played_record(table, faulting={0})
    assert len(record["faults"]) == 2
    record["faults"] = [{**fault, "kind": kind} for fault in record["faults"][:kept]]
    land(table, record)
    assert Result.objects.get(seat__table=table, seat__number=0).forfeited is forfeited


def test_a_bots_stderr_is_for_its_owner_and_staff_only(person, submitted, make_tournament, land, house):
    ann, bob, staff = person("ann"), person("bob"), person("chief", is_staff=True)
    karl = submitted(ann)
    tournament = make_tournament(versions=[karl, house["thumb"], house["bold"]], blocks=1)
    lifecycle.start(tournament=tournament)
    tables = leases.take(block_id=tournament.blocks.get().pk, owner="w1")
    for table in tables:
        seat = next(seat.number for seat in table.seats.all() if seat.entrant.version == karl)
        land(table, reports=[pb.SeatReport(seat=seat, stderr="I hold \0 R0", complaints=["late"])])
    assert SeatReport.objects.count() == 3
    assert queries.reports_for(ann).count() == queries.reports_for(staff).count() == 3
    assert not queries.reports_for(bob).exists()


def test_the_record_is_exported_as_it_came(leased, land, played_record):
    tables = leased()
    texts = [json.dumps(played_record(table)) for table in tables]
    for table, text in zip(tables, texts, strict=True):
        land(table, json.loads(text))
    assert [line.rstrip("\n") for line in record_files.export(tables[0].block.tournament)] == texts
