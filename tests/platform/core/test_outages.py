"""An outage is no failure of what was being worked on: nothing is counted, parked or given up for it."""

import sqlite3
from errno import EACCES, ENOENT, ENOSPC

import pytest
from botocore.exceptions import EndpointConnectionError
from django.db import IntegrityError, OperationalError, ProgrammingError, connection, transaction
from kombu.exceptions import OperationalError as QueueError
from redis.exceptions import ConnectionError as RedisAway
from redis.exceptions import ResponseError
from stichkampf_platform.core import errors
from stichkampf_platform.core.machines import failures, outages
from stichkampf_platform.core.machines.outages import ARBITER, DATABASE, REDIS, SERVICE, STORE, outage
from stichkampf_platform.core.models import ItemFailure
from stichkampf_platform.storage.store_errors import as_os_errors
from stichkampf_platform.tournaments import tasks
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.troubles import PLAY, ROUNDS

pytestmark = pytest.mark.django_db


def of_the_store():
    with as_os_errors("records/7"):
        raise EndpointConnectionError(endpoint_url="https://bucket.example")


AWAY = [
    (OperationalError("the connection was closed"), DATABASE),
    (QueueError("no route to host"), REDIS),
    (RedisAway("refused"), REDIS),
    (errors.ArbiterGone("no answer"), ARBITER),
    (errors.ArbiterBusy("no room"), ARBITER),
    (errors.ArchiveAway("no archive"), STORE),
    (errors.RecordAway("no record"), STORE),
    (OSError(ENOSPC, "No space left on device"), STORE),
    (OSError(EACCES, "Permission denied"), STORE),
    (ConnectionRefusedError(), SERVICE),
]
THEIR_OWN = [
    ValueError("no such card"),
    IntegrityError("twice"),
    ProgrammingError("no such column"),
    errors.MatchFailed("The arbiter refuses."),
    errors.RequestRefused("over already"),
    ResponseError("WRONGTYPE"),
    OSError(ENOENT, "No such file or directory"),
]


@pytest.mark.parametrize(("error", "what"), AWAY, ids=repr)
def test_an_outage_is_never_counted_and_says_what_is_away(error, what):
    parked = []
    for _ in range(2 * failures.PARKED_AFTER):
        with failures.by_itself(ROUNDS, 7, give_up=lambda item, reason: parked.append(item)):
            raise error
    failure = ItemFailure.objects.get()
    assert (failure.times, failure.reason.startswith(what)) == (0, True)
    assert not parked
    assert not failures.parked().exists()
    assert failures.waiting(ROUNDS) == {"7"}
    with failures.by_itself(ROUNDS, 7):
        pass
    assert not ItemFailure.objects.exists()


@pytest.mark.parametrize("error", THEIR_OWN, ids=repr)
def test_a_failure_of_ones_own_is_counted_before_and_after_an_outage(error):
    parked = []
    for each in [error] * 4 + [OperationalError("away")] * 3 + [error]:
        ItemFailure.objects.update(next_try_at="2000-01-01T00:00:00Z")
        with failures.by_itself(ROUNDS, 7, give_up=lambda item, reason: parked.append(reason)):
            raise each
    assert ItemFailure.objects.get().times == failures.PARKED_AFTER
    assert parked == [failures.in_words(error)]


def test_a_bucket_that_is_away_is_an_outage_of_the_store():
    with pytest.raises(errors.StoreAway) as away:
        of_the_store()
    assert outage(away.value) == STORE


@pytest.mark.database
def test_a_database_that_times_out_or_lacks_a_table_is_told_apart():
    with pytest.raises((OperationalError, ProgrammingError)) as lacking, transaction.atomic():
        run("SELECT * FROM no_such_table")
    assert outage(lacking.value) == ""
    if connection.vendor == "postgresql":
        with pytest.raises(OperationalError) as late, transaction.atomic():
            run("SET LOCAL statement_timeout = 1; SELECT pg_sleep(10)")
        assert outage(late.value) == DATABASE


def test_a_locked_or_full_sqlite_is_an_outage():
    for code in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_BUSY_SNAPSHOT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_ERROR,
    ):
        error, cause = OperationalError("as SQLite says"), sqlite3.OperationalError("as SQLite says")
        cause.sqlite_errorcode, error.__cause__ = code, cause
        assert outage(error) == ("" if code == sqlite3.SQLITE_ERROR else DATABASE)


@pytest.mark.parametrize(("error", "what"), AWAY[:1] + AWAY[5:8], ids=repr)
def test_an_outage_during_play_pauses_no_tournament(make_tournament, monkeypatch, error, what):
    tournament = make_tournament(blocks=1)
    lifecycle.start(tournament=tournament)

    def play(**asked):
        raise error

    monkeypatch.setattr(tasks, "play", play)
    monkeypatch.setattr(tasks, "enqueue_blocks", lambda how_many: None)
    for _ in range(2 * failures.PARKED_AFTER):
        tasks.play_block(tournament.blocks.get().pk)
    assert Tournament.objects.get().state == Tournament.State.RUNNING
    assert failures.reasons([PLAY], tournament)[0].startswith(what)


def test_what_is_noted_once_the_database_is_back_is_tried_again_for_a_minute():
    pauses, left = [], [3]

    def note():
        left[0] -= 1
        if left[0]:
            raise OperationalError("away")

    outages.once_back(note, pauses.append)
    assert pauses == [0.0, 1.0, 2.0]
    left[0] = 100
    with pytest.raises(OperationalError):
        outages.once_back(note, pauses.append)
    assert sum(pauses[3:]) <= 60


def run(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
