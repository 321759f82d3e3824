"""Marks of matches: asked for, made once, bounded, and hidden before the block is over."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
import stichkampf
from django.db import DataError, OperationalError
from stichkampf.analysis import ANALYSIS_VERSION, Mark, MatchAnalysis, PointsEstimate
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import NotShown, TooMany
from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.machines.failures import PARKED_AFTER
from stichkampf_platform.marks import queries, services, tasks, unasked_marks, work_queue
from stichkampf_platform.marks.models import Analysis, StoredMark
from stichkampf_platform.tournaments.models import Block


@pytest.fixture
def block(leased, land):
    """Play the three tables of a block; it is over."""
    for table in leased():
        land(table)
    return Block.objects.get()


@pytest.fixture
def tables(block):
    return list(block.tables.order_by("lane"))


@pytest.fixture
def queued(monkeypatch):
    """The tasks that services and tasks enqueue, instead of a queue."""
    sent = []
    for module in (services, tasks):
        monkeypatch.setattr(module, "enqueue", lambda task, *ids: sent.append((task, *ids)))
    return sent


@pytest.fixture
def two_marks(monkeypatch):
    """Have every analysis find two marks of seat 1, and one of seat 2."""

    def found(record):
        marks = [
            Mark(
                *(number, 0, seat, "bid 1", "bid 0", PointsEstimate(number / 2, 0.25, number), 1400),
                open_better="bid 1",
                open_cost=PointsEstimate(0.0, 0.0, 0.0),
            )
            for number, seat in ((1, 1), (2, 2), (3, 1))
        ]
        return MatchAnalysis(tuple(marks), (1, 2, 1))

    monkeypatch.setattr(services, "analyse_match", found)


def test_marks_that_were_asked_for_are_made_by_a_task_and_stored_with_version_and_date(
    tables, person, queued, two_marks
):
    asked = services.request_marks(table_id=tables[0].pk, by=person())
    assert queued == [("stichkampf_platform.marks.tasks.make_marks", asked.pk)]
    tasks.make_marks(asked.pk)
    made = queries.analysis_of(tables[0].pk)
    assert queries.is_current(made)
    assert (made.engine, made.analysis_version) == (stichkampf.__version__, ANALYSIS_VERSION)
    assert made.made_at is not None
    assert [(mark.decision, mark.judged.seat.number) for mark in queries.marks_of(tables[0].pk)] == [
        (1, 1), (2, 2), (3, 1)
    ]  # fmt: skip
    assert [mark.decision for mark in queries.marks_of(tables[0].pk, 1)] == [1, 3]


def test_a_repeated_task_makes_nothing_twice(tables, person, queued, two_marks):
    asked = services.request_marks(table_id=tables[0].pk, by=person())
    assert services.make(analysis_id=asked.pk)
    assert not services.make(analysis_id=asked.pk)
    assert StoredMark.objects.count() == 3


def test_the_real_analysis_of_a_played_match_is_stored(tables, person, queued):
    asked = services.request_marks(table_id=tables[0].pk, by=person())
    tasks.make_marks(asked.pk)
    made = queries.analysis_of(tables[0].pk)
    assert sum(judged.decisions for judged in made.seats.all()) > 0
    assert all(mark.low > 0 for mark in queries.marks_of(tables[0].pk))


def test_before_its_block_is_over_a_match_has_no_marks_and_none_are_made(
    tables, block, person, queued, two_marks
):
    asked = services.request_marks(table_id=tables[0].pk, by=person())
    tasks.make_marks(asked.pk)
    Block.objects.update(over_at=None)
    assert queries.analysis_of(tables[0].pk) is None
    assert not queries.marks_of(tables[0].pk).exists()
    versions = [seat.entrant.version for seat in tables[0].seats.all()]
    assert (queries.costliest_of(versions, 5), queries.judged_matches(versions)) == ([], 0)
    with pytest.raises(NotShown, match="its block is not over yet"):
        services.request_marks(table_id=tables[1].pk, by=person("otto"))


def test_an_account_may_ask_only_so_often(tables, person, queued, settings):
    settings.RATES = {**settings.RATES, "marks": {"account": (1, 3600)}}
    ann = person()
    services.request_marks(table_id=tables[0].pk, by=ann)
    services.request_marks(table_id=tables[0].pk, by=ann)  # asked for already: not counted
    with pytest.raises(TooMany, match="Too many matches to mark"):
        services.request_marks(table_id=tables[1].pk, by=ann)


def test_no_more_matches_wait_than_may(tables, person, queued, settings):
    settings.MARKS_BACKLOG = 2
    services.request_marks(table_id=tables[0].pk, by=person())
    assert services.make_unasked(table_ids=[tables[1].pk], reason=Analysis.Reason.COSTLY) == 0
    services.request_marks(table_id=tables[1].pk, by=person("otto"))
    with pytest.raises(services.BacklogFull, match="2 matches wait"):
        services.request_marks(table_id=tables[2].pk, by=person("karl"))
    assert queries.backlog() == 2


def test_requests_go_before_what_is_made_unasked(tables, person, queued):
    services.make_unasked(table_ids=[tables[0].pk], reason=Analysis.Reason.FEATURED)
    asked = services.request_marks(table_id=tables[1].pk, by=person())
    assert [analysis.table_id for analysis in work_queue.due(queries.waiting(), 5)] == [
        asked.table_id,
        tables[0].pk,
    ]


def test_an_analysis_whose_workers_died_is_given_up(tables, person, queued):
    asked = services.request_marks(table_id=tables[0].pk, by=person())
    past = clock.now() - timedelta(hours=1)
    Analysis.objects.update(attempts=work_queue.MOST_ATTEMPTS, lease_until=past)
    tasks.enqueue_marks()
    asked.refresh_from_db()
    assert asked.state == Analysis.State.FAILED


def test_a_lease_that_reaches_too_far_keeps_nobody_from_an_analysis(tables, person, queued, two_marks):
    asked = services.request_marks(table_id=tables[0].pk, by=person())
    Analysis.objects.update(lease_until=clock.now() + timedelta(days=365))
    assert work_queue.due(queries.waiting(), 1) == [asked]
    assert services.make(analysis_id=asked.pk)


def test_an_outage_counts_against_no_analysis(tables, person, queued, two_marks, monkeypatch):
    asked = services.request_marks(table_id=tables[0].pk, by=person())

    def store(*found):
        raise OperationalError("the server closed the connection")

    with monkeypatch.context() as outage:
        outage.setattr(services, "_store", store)
        for _ in range(2 * work_queue.MOST_ATTEMPTS):
            Analysis.objects.update(lease_until=None)
            with pytest.raises(OperationalError):
                services.make(analysis_id=asked.pk)
    Analysis.objects.update(lease_until=None)
    work_queue.give_up_lost(Analysis)
    assert services.make(analysis_id=asked.pk)


def test_an_analysis_that_fails_lets_others_pass_is_told_and_given_up(
    tables, person, queued, two_marks, monkeypatch
):
    bad = services.request_marks(table_id=tables[0].pk, by=person())
    good = services.request_marks(table_id=tables[1].pk, by=person("otto"))
    queued.clear()

    def refuse(analysis, *found):
        raise DataError("could not extend the file")

    monkeypatch.setattr(services, "_store", refuse)
    for _ in range(PARKED_AFTER):
        bad.refresh_from_db()
        assert (bad.state, bad.lease_until, bad.attempts) == (Analysis.State.WAITING, None, 0)
        tasks.make_marks(bad.pk)
    assert queued == [("stichkampf_platform.marks.tasks.make_marks", good.pk)]
    bad.refresh_from_db()
    assert bad.state == Analysis.State.FAILED
    assert [told.reason for told in failures.parked()] == ["DataError: could not extend the file"]


def test_marks_of_an_older_analysis_are_made_again_when_asked(tables, person, queued, two_marks):
    ann = person()
    asked = services.request_marks(table_id=tables[0].pk, by=ann)
    services.make(analysis_id=asked.pk)
    Analysis.objects.update(analysis_version=0)
    again = services.request_marks(table_id=tables[0].pk, by=ann)
    assert (again.pk, again.state) == (asked.pk, Analysis.State.WAITING)
    assert services.make(analysis_id=asked.pk)
    assert StoredMark.objects.count() == 3


def test_unasked_are_the_featured_match_and_the_costliest_of_each_author_s_day(
    leased, land, person, submitted, queued
):
    versions = [submitted(person(name), f"bot-of-{name}") for name in ("ann", "otto", "emil")]
    for table in leased(versions=versions):
        land(table)
    costly = unasked_marks.costliest_of_the_day()
    assert costly
    assert len(costly) <= 3 * unasked_marks.COSTLY_A_DAY
    tasks.choose_matches()
    reasons = set(Analysis.objects.values_list("reason", flat=True))
    assert "featured" in reasons
    assert set(Analysis.objects.values_list("table", flat=True)) >= set(costly)


def seen(client, table, view):
    return client.get(f"/r/{table.pk}/1?view={view}").content.decode()


def test_a_seat_s_view_has_its_own_marks_alone_and_no_figure_of_open_cards(
    tables, person, queued, two_marks, client
):
    table = tables[0]
    services.make(analysis_id=services.request_marks(table_id=table.pk, by=person()).pk)
    everything = seen(client, table, 0)
    assert "With all cards open" in everything
    assert 'data-mistake="2"' in everything
    assert everything.count('class="jump"') > 3
    first = seen(client, table, 1)
    assert "What it cost" not in first
    assert "Mistake" not in first.replace("next mistake", "")
    own = seen(client, table, 2)
    assert 'data-mistake="3"' in own
    assert "±" in own
    assert "With all cards open" not in own
    costliest = own.partition('id="costliest"')[2].partition("</section>")[0]
    assert f'href="/r/{table.pk}/1?view=2"' in costliest
    assert f'href="/r/{table.pk}/3?view=2"' not in costliest  # it is still to come


def test_the_page_of_marks_asks_for_them_and_lists_them(tables, person, queued, two_marks, client):
    address = f"/r/{tables[0].pk}/marks/"
    client.force_login(person())
    assert "Make the marks of this match" in client.get(address).content.decode()
    assert client.post(address).status_code == 302
    assert "1 match waits for its marks, of at most 100" in " ".join(
        client.get(address).content.decode().split()
    )
    services.make(analysis_id=Analysis.objects.get().pk)
    page = client.get(address).content.decode()
    assert page.count("nothing was better") == 3
    assert f"by version {ANALYSIS_VERSION} of the analysis of Stichkampf {stichkampf.__version__}" in page
    version = tables[0].seats.get(number=1).entrant.version
    assert (
        "among the 1 match that was marked so far"
        in client.get(version.bot.get_absolute_url()).content.decode()
    )


def test_guests_have_marks_made_while_half_of_the_places_are_free(
    tables, person, queued, two_marks, client, settings
):
    settings.MARKS_BACKLOG = 4
    for table in tables[:2]:
        assert f"/r/{table.pk}/marks/" in client.get(f"/r/{table.pk}/1").content.decode()
        assert client.post(f"/r/{table.pk}/marks/").status_code == 302
    assert Analysis.objects.filter(state="waiting", requested_by=None).count() == 2
    refused = client.post(f"/r/{tables[2].pk}/marks/", follow=True).content.decode()
    assert "2 matches wait for their marks already" in refused
    assert services.request_marks(table_id=tables[2].pk, by=person()).state == "waiting"
    assert services.make(analysis_id=Analysis.objects.get(table=tables[0]).pk)
    assert queries.marks_of(tables[0].pk).count() == 3


def test_guests_of_one_address_ask_only_so_often(tables, queued, settings):
    settings.RATES = {**settings.RATES, "marks": {"address": (1, 3600)}}
    services.request_marks(table_id=tables[0].pk, by=None, address="192.0.2.1")
    with pytest.raises(TooMany, match="Too many matches to mark"):
        services.request_marks(table_id=tables[1].pk, by=None, address="192.0.2.1")
    services.request_marks(table_id=tables[1].pk, by=None, address="192.0.2.2")


def test_the_page_of_two_bots_has_the_costliest_decisions_of_one_beside_the_other(
    tables, person, queued, two_marks, client, house
):
    services.make(analysis_id=services.request_marks(table_id=tables[0].pk, by=person()).pk)
    at_table = [seat.entrant.version.bot for seat in tables[0].seats.order_by("number")]
    away = next(version.bot for version in house.values() if version.bot not in at_table)
    address = f"/bots/{at_table[1].full_name}/vs/{at_table[0].full_name}/"
    page = " ".join(client.get(address).content.decode().split())
    told = page.partition('id="costliest"')[2].partition("</section>")[0]
    assert re.findall(r'href="(/r/[^"]+)"', told) == [
        f"/r/{tables[0].pk}/{decision}?view=2" for decision in (3, 1)
    ]
    assert "among the 1 match that was marked so far" in told
    german = client.get(f"/de{address}").content.decode()
    assert f"Teuerste Entscheidungen von {at_table[1].name}" in german
    alone = client.get(f"/bots/{at_table[1].full_name}/vs/{away.full_name}/").content.decode()
    assert 'id="costliest"' not in alone
    Block.objects.update(over_at=None)
    assert 'id="costliest"' not in client.get(address).content.decode()


def test_the_api_has_the_costliest_decisions_of_a_bot_and_the_featured_match(
    tables, person, queued, two_marks, client, house
):
    services.make(analysis_id=services.request_marks(table_id=tables[0].pk, by=person()).pk)
    at_table = [seat.entrant.version.bot for seat in tables[0].seats.order_by("number")]
    address = f"/api/v1/bots/{at_table[1].full_name}/marks/"
    told = client.get(address).json()
    assert (told["matches"], [mark["decision"] for mark in told["marks"]]) == (1, [3, 1])
    assert {(mark["table"], mark["game"]) for mark in told["marks"]} == {(tables[0].pk, "stiche-raten")}
    assert client.get(address, {"beside": at_table[0].full_name}).json() == told
    away = next(version.bot for version in house.values() if version.bot not in at_table)
    assert client.get(address, {"beside": away.full_name}).json() == {"matches": 0, "marks": []}
    for unknown in ("stranger", "\0", ""):
        refused = client.get(address, {"beside": unknown})
        assert (refused.status_code, "such as house/thumb" in refused.json()["detail"]) == (400, True)
    featured = client.get("/api/v1/featured/").json()
    assert (featured["table"] in {table.pk for table in tables}, featured["game"]) == (True, "stiche-raten")
    assert featured["decision"] == (3 if featured["table"] == tables[0].pk else None)
    Block.objects.update(over_at=None)
    assert client.get(address).json() == {"matches": 0, "marks": []}
    assert client.get("/api/v1/featured/").status_code == 404


def test_a_running_block_has_no_page_of_marks(tables, client):
    Block.objects.update(over_at=None)
    assert client.get(f"/r/{tables[0].pk}/marks/").status_code == 403
    assert client.get("/r/987654/marks/").status_code == 404


def test_the_api_has_the_marks_of_a_match_and_those_of_one_seat(
    tables, person, token, queued, two_marks, client
):
    address = f"/api/v1/tables/{tables[0].pk}/marks/"
    assert client.get(address).json()["state"] == "none"
    assert client.post(address).status_code == 401
    asked = client.post(address, headers=token())
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    services.make(analysis_id=Analysis.objects.get().pk)
    made = client.get(address).json()
    assert (made["state"], made["judged"]) == ("made", [1, 2, 1])
    assert [mark["seat"] for mark in made["marks"]] == [1, 2, 1]
    assert made["marks"][0]["open_cards"]["better"] == "bid 1"
    own = client.get(address, {"seat": "1"})
    assert [mark["decision"] for mark in own.json()["marks"]] == [1, 3]
    assert "open" not in json.dumps(own.json())
    refused = client.get(address, {"seat": "3"})
    assert (refused.status_code, "0 to 2" in refused.json()["detail"]) == (400, True)
    Block.objects.update(over_at=None)
    assert client.get(address).status_code == 404
