"""The addresses for monitors, guarded and honest, and what they and the pages say."""

import json
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder
from prometheus_client.parser import text_string_to_metric_families
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.operations import figures, moving
from stichkampf_platform.operations.metrics import exposition
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle

MANY = moving.LOOKED_AT + 1


class StatusAnswers:
    """An arbiter that answers about its status, or not at all."""

    def __init__(self, answer):
        self.answer = answer

    def status(self, *, seconds):
        if self.answer is None:
            raise ArbiterGone("it is away")
        return self.answer


@pytest.fixture
def arbiter_says(monkeypatch):
    def say(answer):
        monkeypatch.setattr(figures, "arbiter", lambda: StatusAnswers(answer))

    say(
        pb.GetStatusResponse(
            tables=3,
            tables_limit=256,
            sandbox_level=pb.SANDBOX_LEVEL_HOSTED,
            refused_calls={"RESOURCE_EXHAUSTED": 7},
        )
    )
    return say


def metrics(text):
    """The samples of an exposition, by name and labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.mark.parametrize(
    ("headers", "address", "status"),
    [
        ({}, "127.0.0.1", 200),
        ({}, "::1", 200),
        ({}, "203.0.113.7", 403),
        ({"X-Forwarded-For": "127.0.0.1"}, "127.0.0.1", 403),
        ({"Authorization": "Bearer open-sesame"}, "203.0.113.7", 200),
        ({"Authorization": "Bearer sesame"}, "203.0.113.7", 403),
        ({"Authorization": "Bearer "}, "203.0.113.7", 403),
    ],
)
def test_strangers_read_no_metrics(db, client, settings, arbiter_says, headers, address, status):
    settings.METRICS_TOKEN = "open-sesame"
    settings.ALLOWED_HOSTS = ["cards.example"]  # a monitor on the same machine need not name it
    assert client.get("/metrics", headers=headers, REMOTE_ADDR=address).status_code == status


def test_without_a_token_none_is_right(db, client, settings, arbiter_says):
    settings.METRICS_TOKEN = ""
    for header in ("Bearer ", "Bearer None", ""):
        headers = {"Authorization": header}
        assert client.get("/metrics", headers=headers, REMOTE_ADDR="203.0.113.7").status_code == 403


def test_metrics_say_what_is_played(client, arbiter_says, make_tournament, play_out):
    play_out(make_tournament(), faulting=())
    waiting = make_tournament(name="Another", blocks=3)
    lifecycle.start(tournament=waiting)
    said = metrics(client.get("/metrics").text)
    assert said["stichkampf_tables_busy",] == 3
    assert said["stichkampf_tables_free",] == 253
    assert said["stichkampf_blocks_waiting",] == 3
    assert said["stichkampf_tables_landed_total",] >= 6
    assert said["stichkampf_arbiter_refused_calls_total", "RESOURCE_EXHAUSTED"] == 7
    assert said["stichkampf_table_seconds", "0.5"] >= 0
    assert said["stichkampf_first_table_seconds_worst",] >= said["stichkampf_first_table_seconds",] >= 0
    assert max(value for key, value in said.items() if key[0] == "stichkampf_rating_age_seconds") > 0
    assert said["stichkampf_disk_free_bytes",] > 0


def test_metrics_cost_few_queries(client, arbiter_says, make_tournament, django_assert_max_num_queries):
    for number in range(3):
        lifecycle.start(tournament=make_tournament(name=f"Number {number}", blocks=4))
    with django_assert_max_num_queries(50):
        client.get("/metrics")


def test_metrics_cost_no_more_with_more_tournaments(
    arbiter_says, make_tournament, play_out, django_assert_max_num_queries
):
    """Running ones, starts that are due, and ended ones without final ratings."""
    asked = []
    for many in (MANY, 2 * MANY):
        for number in range(many - MANY, many):
            lifecycle.start(tournament=make_tournament(name=f"Runs {number}", blocks=1))
            due = make_tournament(name=f"Due {number}", blocks=1)
            Tournament.objects.filter(pk=due.pk).update(starts_at=clock.now() - timedelta(seconds=1))
            play_out(make_tournament(name=f"Over {number}", blocks=1))
        with django_assert_max_num_queries(140) as found:
            text = exposition()
        asked.append((len(found), len(text.splitlines())))
    assert asked[0] == asked[1]


def test_an_arbiter_that_is_away_is_said_everywhere(client, person, arbiter_says):
    arbiter_says(None)
    assert metrics(client.get("/metrics").text)["stichkampf_arbiter_up",] == 0
    assert "Nothing is played at the moment" in client.get("/status/").text
    client.force_login(person(is_staff=True, is_superuser=True))
    assert "The arbiter does not answer" in client.get("/admin/operations/").text


def test_the_operators_page_is_for_staff(client, person, make_organiser, arbiter_says):
    organiser = person("olga")
    make_organiser(organiser)
    client.force_login(organiser)
    assert client.get("/admin/operations/").status_code == 403
    client.force_login(person("stan", is_staff=True))
    page = client.get("/admin/operations/").text
    assert "3 / 256" in page
    assert 'max="256.000"' in page


def test_a_process_lives_without_its_database_and_is_ready_with_its_schema(client, db):
    assert client.get("/healthz").text == "alive\n"
    assert client.get("/readyz").text == "ready\n"
    MigrationRecorder.Migration.objects.filter(app="tournaments").latest("id").delete()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready: the database's schema is an older one\n")


def test_metrics_of_an_older_schema_say_only_that_it_is_old(client, db):
    assert metrics(client.get("/metrics").text)["stichkampf_schema_current",] == 1
    MigrationRecorder.Migration.objects.filter(app="tournaments").latest("id").delete()
    told = metrics(client.get("/metrics").text)
    assert told["stichkampf_schema_current",] == 0
    assert ("stichkampf_tables_leased",) not in told


def test_a_process_that_cannot_reach_its_database_is_not_ready(client, monkeypatch):
    def refuse(database):
        raise OperationalError("connection refused")

    monkeypatch.setattr(BaseDatabaseWrapper, "ensure_connection", refuse)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready: the database cannot be reached\n")


def test_a_process_without_its_database_lives(client):
    # the fixture `db` is missing, so any query fails
    assert client.get("/healthz").text == "alive\n"


LOGS = """
import logging
from logging.config import dictConfig

from stichkampf_platform.core.log_subject import log_subject
from stichkampf_platform.settings.logs import log_settings

dictConfig(log_settings("json"))
logger = logging.getLogger("stichkampf_platform.test")
with log_subject(table=12, match="table-12-0"), log_subject(submission=3):
    logger.error("a word with %s", 'a "quote"\\nand a line')
logger.error("outside")
"""
"""A program of its own: `dictConfig` closes all handlers of a process, some of which have pytest's output."""


def test_json_logs_carry_table_and_submission():
    told = subprocess.run([sys.executable, "-c", LOGS], capture_output=True, text=True, check=True)
    inside, outside = (json.loads(line) for line in told.stderr.splitlines())
    assert (inside["table"], inside["match"], inside["submission"]) == (12, "table-12-0", 3)
    assert (inside["level"], inside["message"]) == ("ERROR", 'a word with a "quote"\nand a line')
    assert "table" not in outside
