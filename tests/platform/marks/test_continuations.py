"""Continuations of a decision: asked for, played once, bounded, and hidden before the block is over."""

from __future__ import annotations

import html
import json
import re

import pytest
import stichkampf
from stichkampf.analysis import continuations, decision_of
from stichkampf_platform.core.errors import NotShown, TooMany
from stichkampf_platform.marks import continuing, queries, tasks
from stichkampf_platform.marks.models import StoredContinuations
from stichkampf_platform.tournaments.models import Block
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.web.charts.outcomes import MOST_COLUMNS, outcome_histogram

DECISION = 1


@pytest.fixture
def table(leased, land):
    """The first table of a block that is over."""
    for each in leased():
        land(each)
    return Block.objects.get().tables.order_by("lane").first()


@pytest.fixture
def queued(monkeypatch):
    """The tasks that were enqueued, instead of a queue."""
    sent = []
    for module in (continuing, tasks):
        monkeypatch.setattr(module, "enqueue", lambda task, *ids: sent.append((task, *ids)))
    return sent


@pytest.fixture
def legal(table):
    return decision_of(record_files.record(table.pk), DECISION).legal


@pytest.fixture
def ask(table, legal, person, queued):
    """Ask for continuations after the first legal action."""
    people = {}

    def ask(name="ann", *, decision=DECISION, bot="random", action=legal[0]):
        if name not in people:
            people[name] = person(name)
        return continuing.request_continuations(
            table_id=table.pk, decision=decision, bot=bot, action=action, by=people[name]
        )

    return ask


def test_those_that_were_asked_for_are_played_by_a_task_and_stored(ask, table, queued):
    asked = ask()
    assert queued == [("stichkampf_platform.marks.tasks.play_continuations", asked.pk)]
    tasks.play_continuations(asked.pk)
    (made,) = queries.continuations_of(table.pk, DECISION)
    assert (made.state, made.engine, made.made_at is not None) == ("made", stichkampf.__version__, True)
    record = record_files.record(table.pk)
    found = continuations(record, DECISION, made.bot, action=made.action, number=100)
    assert made.outcomes == [list(pair) for pair in found.outcomes.items()]
    assert sum(times for _, times in made.outcomes) == 100


def test_they_are_played_once(ask):
    asked = ask()
    assert continuing.play(continuations_id=asked.pk)
    assert not continuing.play(continuations_id=asked.pk)
    assert ask("otto").pk == asked.pk


def test_before_its_block_is_over_a_match_has_none_and_none_are_played(ask, table):
    asked = ask()
    Block.objects.update(over_at=None)
    assert not queries.continuations_of(table.pk, DECISION).exists()
    assert not continuing.play(continuations_id=asked.pk)
    asked.refresh_from_db()
    assert asked.state == "failed"
    with pytest.raises(NotShown):
        ask("otto")


def test_an_account_may_ask_only_so_often_and_only_so_many_wait(ask, legal, settings):
    settings.RATES = {**settings.RATES, "continuations": {"account": (1, 3600)}}
    ask()
    ask()  # asked for already: not counted
    with pytest.raises(TooMany, match="Too many continuations"):
        ask(action=legal[1])
    settings.MARKS_BACKLOG = 1
    with pytest.raises(continuing.BacklogFull, match="1 continuations wait already"):
        ask("otto", action=legal[1])


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"bot": "search"}, "plays no continuations"), ({"action": "play X9"}, "possible: bid")],
)
def test_what_cannot_be_played_on_is_refused_with_what_can(ask, wrong, told):
    with pytest.raises(continuing.WrongContinuations, match=told):
        ask(**wrong)
    assert not StoredContinuations.objects.exists()


def test_continuations_whose_workers_died_are_given_up(ask):
    asked = ask()
    past = asked.requested_at.replace(year=2020)
    StoredContinuations.objects.update(attempts=continuing.work_queue.MOST_ATTEMPTS, lease_until=past)
    tasks.enqueue_marks()
    asked.refresh_from_db()
    assert asked.state == "failed"
    assert ask().state == "waiting"


def test_the_replay_leads_to_them_with_all_hands_open_alone(table, client):
    link = f"/r/{table.pk}/continuations/3/"
    assert link in client.get(f"/r/{table.pk}/3").content.decode()
    assert link not in client.get(f"/r/{table.pk}/3?view=1").content.decode()
    assert link not in client.get(f"/embed/r/{table.pk}/3").content.decode()


def test_the_page_asks_for_them_and_draws_them(table, legal, person, queued, client):
    address = f"/r/{table.pk}/continuations/{DECISION}/"
    assert "Sign in to have continuations played" in client.get(address).content.decode()
    assert client.post(address)["Location"] == f"/login/?next={address}"
    client.force_login(person())
    sent = {"bot": "random", "action": legal[0]}
    assert client.post(address, sent).status_code == 302
    assert "These continuations wait to be played." in client.get(address).content.decode()
    tasks.play_continuations(StoredContinuations.objects.get().pk)
    page = client.get(address).content.decode()
    assert 'class="chart outcomes"' in page
    assert re.search(r"comes to <b>.?[\d.]+ ± [\d.]+</b> points", " ".join(page.split()))
    client.post(address, {**sent, "bot": "search"})
    assert "plays no continuations" in html.unescape(client.get(address).content.decode())
    german = client.get(f"/de{address}").content.decode()
    assert "Was wäre daraus geworden?" in german
    assert re.search(r"<option value=\"bid \d\"> Platz \d sagt", " ".join(german.split()))


def test_a_decision_that_the_match_has_not_or_a_running_block_has_no_page(table, client):
    assert client.get(f"/r/{table.pk}/continuations/0/").status_code == 404
    assert client.get(f"/r/{table.pk}/continuations/9999/").status_code == 404
    assert client.get("/r/987654/continuations/1/").status_code == 404
    Block.objects.update(over_at=None)
    assert client.get(f"/r/{table.pk}/continuations/1/").status_code == 403


def test_the_api_asks_for_them_and_tells_them(table, legal, token, queued, client):
    address = f"/api/v1/tables/{table.pk}/decisions/{DECISION}/continuations/"
    sent = json.dumps({"bot": "random", "action": legal[0]})
    assert client.get(address).json() == []
    assert client.post(address, sent, content_type="application/json").status_code == 401
    ann = token()
    asked = client.post(address, sent, content_type="application/json", headers=ann)
    assert (asked.status_code, asked.json()["state"], asked.json()["mean"]) == (202, "waiting", None)
    tasks.play_continuations(StoredContinuations.objects.get().pk)
    (made,) = client.get(address).json()
    number = sum(times for _, times in made["outcomes"])
    mean = sum(score * times for score, times in made["outcomes"]) / number
    assert (number, made["state"], made["mean"]) == (100, "made", round(mean, 3))
    for wrong, told in (({"bot": "search"}, "search"), ({"action": "play X9"}, "possible: bid")):
        refused = client.post(
            address, json.dumps({"bot": "random", "action": legal[0], **wrong}),
            content_type="application/json", headers=ann,
        )  # fmt: skip
        assert (refused.status_code, told in refused.json()["detail"]) == (400, True)
    nowhere = client.get(f"/api/v1/tables/{table.pk}/decisions/9999/continuations/")
    assert (nowhere.status_code, "has decisions 1 to" in nowhere.json()["detail"]) == (404, True)
    Block.objects.update(over_at=None)
    assert client.get(address).status_code == 404


def test_many_outcomes_share_columns_and_the_chart_says_them_all():
    outcomes = dict.fromkeys(range(-37, 90), 1)
    chart = outcome_histogram(outcomes, 26.0)
    assert chart.count('class="column"') <= MOST_COLUMNS + 1
    few = outcome_histogram({-1: 3, 11: 97}, 10.6)
    assert few.count('class="column"') == 2
    assert re.search("3 times .1, 97 times 11", few)
