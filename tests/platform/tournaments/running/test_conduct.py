import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace

import pytest
from celery import current_app
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from documents import words_of
from hypothesis import given
from hypothesis import strategies as st
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.bots import services as bots
from stichkampf_platform.core import clock
from stichkampf_platform.people.models import Notice, NoticeKind
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Entrant, Fault, Table
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.running.conduct import OUTAGE, Conduct, conduct_of
from stichkampf_platform.tournaments.scheduling import ladder_draws

pytestmark = pytest.mark.database


def told_of_conduct():
    return Notice.objects.filter(kind=NoticeKind.CONDUCT)


@pytest.fixture
def ann(person):
    return person("ann", email="ann@cards.example")


@pytest.fixture
def karl(ann, submitted):
    return submitted(ann)


@pytest.fixture
def strict(settings):
    """Two forfeited matches are too many."""
    settings.CONDUCT_SUSPENDED_WITH_POINTS = 6


@pytest.fixture
def play_block(make_tournament, house, land, played_record):
    """Play one block of karl and two house bots; he faults at every move of these tables, counted from 0."""

    def play(karl, faulting=(), *, faults=None, stderr="", leave=0, **fields):
        name = f"Cup {lifecycle.Tournament.objects.count() + 1}"
        versions = [karl, house["thumb"], house["random"]]
        settings = {"blocks": 1, "fault_allowance": 0, **fields}
        tournament = make_tournament(name=name, versions=versions, **settings)
        lifecycle.start(tournament=tournament)
        tables = leases.take(block_id=tournament.blocks.get().pk, owner="w1")
        for number, table in enumerate(tables[: len(tables) - leave]):
            seat = table.seats.get(entrant__version=karl).number
            record = played_record(table, faulting={seat} if number in faulting else (), faults=faults)
            reports = [pb.SeatReport(seat=seat, stderr=stderr)] if stderr else []
            assert land(table, record, reports=reports)
        karl.refresh_from_db()
        return tables

    return play


def test_a_version_that_forfeits_too_often_is_suspended_with_the_evidence(karl, ann, strict, play_block):
    tables = play_block(karl, faulting={0, 2}, stderr="I dropped my cards")
    assert (karl.state, karl.may_play) == ("suspended", False)
    assert karl.reason.startswith("Of its last 3 matches, 2 had a fault, and 2 of these were forfeited.")
    notice = told_of_conduct().get()
    assert (notice.person, notice.title) == (ann, "ann/karl v1 is suspended")
    assert [match["forfeited"] for match in notice.evidence] == [True, True]
    played = [tables[number].get_absolute_url() for number in (0, 2)]
    assert sorted(match["address"].rstrip("0123456789") for match in notice.evidence) == sorted(played)
    assert all(match["faults"].keys() == {"timeout"} for match in notice.evidence)
    assert "I dropped my cards" in notice.evidence[0]["stderr"]


def test_output_written_during_another_block_is_withheld(
    client, karl, ann, strict, play_block, make_tournament, house
):
    meanwhile = make_tournament(name="Meanwhile", versions=[karl, house["thumb"], house["random"]], blocks=1)
    lifecycle.start(tournament=meanwhile)
    assert leases.take(block_id=meanwhile.blocks.get().pk, owner="w2")
    play_block(karl, faulting={0, 2}, stderr="I hold the ace in the other block")
    notice = told_of_conduct().get()
    assert [(match["stderr"], match["stderr_waits"]) for match in notice.evidence] == [("", True)] * 2
    client.force_login(ann)
    page = client.get(notice.get_absolute_url()).content.decode()
    assert "on the bot's page" in page
    assert not re.search(r"\bace\b", page)


def test_a_version_below_the_points_plays_on(karl, strict, play_block):
    play_block(karl, faulting={1})
    assert karl.may_play
    assert conduct_of(karl).points == 3
    assert not told_of_conduct().exists()


def test_a_fault_within_the_allowance_weighs_less_than_a_forfeited_match(karl, play_block, settings):
    play_block(karl, faulting={0, 1, 2}, faults=1, fault_allowance=1000)
    conduct = conduct_of(karl)
    assert (len(conduct.bad), conduct.forfeited, conduct.points) == (3, 0, 3 * settings.CONDUCT_FAULT_POINTS)


def lose_the_line(tables, seconds):
    """Let tables have ended by lost connections, each some seconds after a moment."""
    Fault.objects.update(kind="disconnected")
    for table, after in zip(tables, seconds, strict=True):
        Table.objects.filter(pk=table.pk).update(finished_at=clock.now() + timedelta(seconds=after))


def test_one_outage_counts_once_whatever_the_number_of_open_tables(karl, play_block, settings):
    lose_the_line(play_block(karl, faulting={0, 1, 2}), (0, 20, 60))
    conduct = conduct_of(karl)
    assert (len(conduct.bad), conduct.forfeited, conduct.points) == (3, 3, settings.CONDUCT_FORFEIT_POINTS)
    assert "Matches that one lost connection ended count as one." in str(conduct.in_words())


def test_outages_one_after_another_count_each(karl, play_block, settings):
    lose_the_line(play_block(karl, faulting={0, 1, 2}), (0, 100, 200))
    assert conduct_of(karl).points == 3 * settings.CONDUCT_FORFEIT_POINTS


@given(st.lists(st.tuples(st.integers(0, 2000), st.sampled_from(["disconnected", "timeout"])), max_size=30))
def test_matches_of_an_outage_count_together_and_no_others(bad):
    moment = datetime(2026, 5, 1, tzinfo=UTC)
    results = [
        SimpleNamespace(
            forfeited=True,
            fault_list=SimpleNamespace(all=lambda kind=kind: [SimpleNamespace(kind=kind)]),
            seat=SimpleNamespace(table=SimpleNamespace(finished_at=moment + timedelta(seconds=after))),
        )
        for after, kind in sorted(bad, reverse=True)
    ]
    incidents = Conduct(len(bad), results).incidents
    assert sorted(map(id, results)) == sorted(id(one) for incident in incidents for one in incident)
    for incident in incidents:
        times = [one.seat.table.finished_at for one in incident]
        assert max(times) - min(times) <= OUTAGE
    outages = [one[0] for one in incidents if one[0].fault_list.all()[0].kind == "disconnected"]
    firsts = [first.seat.table.finished_at for first in outages]
    assert all(later - earlier > OUTAGE for earlier, later in pairwise(firsts))
    assert sum(len(incident) > 1 for incident in incidents) <= len(firsts)


def test_only_the_last_matches_count(karl, strict, settings, play_block):
    settings.CONDUCT_MATCHES = 3
    play_block(karl, faulting={0})
    play_block(karl, faulting={0})
    assert karl.may_play
    assert conduct_of(karl).matches == 3


def test_nothing_counts_before_the_block_is_over(karl, strict, play_block, land):
    tables = play_block(karl, faulting={0, 1}, leave=1)
    assert karl.may_play
    assert land(tables[2])
    karl.refresh_from_db()
    assert not karl.may_play
    assert karl.told_state == "suspended: too many faults"


def test_a_void_block_does_not_count(karl, settings, play_block):
    settings.CONDUCT_SUSPENDED_WITH_POINTS = 100
    block = play_block(karl, faulting={0, 1, 2})[0].block
    assert conduct_of(karl).points == 9
    rulings.run_again(block=block)
    assert conduct_of(karl).points == 0


def test_matches_with_less_time_than_the_validation_gives_do_not_count(karl, strict, play_block):
    play_block(karl, faulting={0, 1, 2}, move_seconds=1.9)
    assert karl.state == "approved"
    assert conduct_of(karl).matches == 0


def test_a_failure_of_the_platform_counts_as_no_fault(karl, strict, make_tournament, house):
    versions = [karl, house["thumb"], house["random"]]
    tournament = make_tournament(versions=versions, blocks=1)
    lifecycle.start(tournament=tournament)
    for table in leases.take(block_id=tournament.blocks.get().pk, owner="w1"):
        leases.give_up(table=table, owner="w1", trouble="the sandbox did not start")
    assert set(Table.objects.values_list("generation", flat=True)) == {1}
    assert conduct_of(karl).matches == 0


def test_the_house_is_never_suspended(house, strict, make_tournament, play_out):
    play_out(make_tournament(blocks=1), faulting=[house["random"]])
    house["random"].refresh_from_db()
    assert house["random"].may_play
    assert not told_of_conduct().exists()


def test_a_lifted_suspension_forgives_earlier_faults(karl, strict, play_block, person):
    play_block(karl, faulting={0, 1, 2})
    bots.approve(version=karl, staff=person("chief", is_staff=True))
    karl.refresh_from_db()
    play_block(karl, faulting={0})
    assert karl.may_play
    assert conduct_of(karl).points == 3
    assert told_of_conduct().first().title == "ann/karl v1 may play again"


def test_a_suspended_version_is_not_drawn_on_a_ladder(karl, house, make_tournament):
    versions = [karl, *(house[name] for name in ("thumb", "random", "timid"))]
    tournament = make_tournament(versions=versions, format="ladder", blocks=2)
    lifecycle.start(tournament=tournament)
    drawn = Entrant.objects.get(version=karl).seats.count()
    assert drawn > 0
    bots.suspend(version=karl, reason="too many faults", cause="staff")
    tournament.blocks_planned = 6
    assert ladder_draws.top_up(tournament) == 4
    assert Entrant.objects.get(version=karl).seats.count() == drawn


def test_a_suspended_version_enters_nothing(karl, house, make_tournament):
    bots.suspend(version=karl, reason="too many faults", cause="staff")
    karl.refresh_from_db()
    with pytest.raises(ValidationError, match="karl v1 is suspended and cannot play"):
        make_tournament(versions=[karl, house["thumb"], house["random"]])


def test_a_tournament_under_way_leaves_it_out_after_a_forfeited_block(
    karl, house, make_tournament, land, played_record
):
    versions = [karl, *(house[name] for name in ("thumb", "random", "timid"))]
    tournament = make_tournament(versions=versions, blocks=12)
    lifecycle.start(tournament=tournament)
    bots.suspend(version=karl, reason="too many faults", cause="staff")
    told = "a running tournament leaves it out once it has forfeited a whole block."
    assert told in told_of_conduct().get().text
    assert told.replace("a ", "A ", 1) in words_of("docs/limits.md")
    entrant = tournament.entrants.get(version=karl)
    first, second, *_ = tournament.blocks.filter(participations__entrant=entrant)
    for block, fails in ((first, False), (second, True)):
        assert entrant.out_at is None
        for table in leases.take(block_id=block.pk, owner="w1"):
            seats = {seat.number for seat in table.seats.filter(entrant=entrant)}
            assert land(table, played_record(table, faulting=seats if fails else ()))
        due_steps.leave_out_absent(block_id=block.pk)
        entrant.refresh_from_db()
    assert entrant.out_as == "away"


def test_a_suspension_is_mailed_once_it_is_sure(
    karl, strict, play_block, django_capture_on_commit_callbacks, monkeypatch
):
    from stichkampf_platform.people import notices, tasks

    monkeypatch.setattr(notices, "enqueue", lambda task, *arguments: current_app.tasks[task](*arguments))
    with django_capture_on_commit_callbacks(execute=True):
        play_block(karl, faulting={0, 1}, stderr="I dropped my cards")
        assert mail.outbox == []
    (message,) = (sent for sent in mail.outbox if "suspended" in sent.subject)
    assert message.to == ["ann@cards.example"]
    assert message.subject == "Stichkampf: ann/karl v1 is suspended"
    assert "I dropped my cards" in message.body
    assert f"http://localhost:8000/r/{Table.objects.first().pk}/" in message.body
    before = len(mail.outbox)
    tasks.mail_notice(told_of_conduct().get().pk)
    assert len(mail.outbox) == before


def test_output_is_read_only_for_the_matches_that_are_shown(karl, play_block):
    play_block(karl, faulting={0, 1}, stderr="I dropped my cards")
    with CaptureQueriesContext(connection) as asked:
        assert len(conduct_of(karl).bad) == 2
    assert not [query["sql"] for query in asked if "stderr" in query["sql"]]
