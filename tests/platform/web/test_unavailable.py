"""A busy or unreachable database: pages answer 503 and say when to try again."""

import sqlite3

import pytest
from asgiref.sync import async_to_sync
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import InternalError, connection
from psycopg.errors import ReadOnlySqlTransaction
from stichkampf_platform.core.errors import BUSY
from stichkampf_platform.operations import state_texts
from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import create_token
from stichkampf_platform.settings import base as of_the_site

JOIN = {"username": "ada", "password": "correct horse battery"}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def visitor(client):
    """A client that gets the site's answer to an error instead of the exception."""
    client.raise_request_exception = False
    return client


@pytest.fixture
def hurried():
    """Makes this connection wait for others only a millisecond."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 1")
    yield
    connection.close()


@pytest.fixture
def writer(hurried):
    """Returns a function that begins to write on another connection."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    yield lambda: other.execute("BEGIN IMMEDIATE")
    other.close()


@pytest.fixture
def for_reading_only():
    """Answers every write as PostgreSQL does that is for reading only, such as a standby."""

    def refuse_writes(execute, sql, *words):
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            raise InternalError("cannot execute it in a read-only transaction") from ReadOnlySqlTransaction()
        return execute(sql, *words)

    with connection.execute_wrapper(refuse_writes):
        yield


@pytest.fixture
def no_database(monkeypatch, tmp_path):
    """Makes the database unreachable, although connections to it were made before."""
    connection.close()
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "NAME", tmp_path / "nowhere" / "database")
        yield
        connection.close()


def assert_busy(answer):
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert str(BUSY) in answer.content.decode()


def test_the_page_of_the_state_is_read_while_another_writes(visitor, writer, settings, monkeypatch):
    """Nothing is kept for the next reader then, and no lock is waited for."""
    settings.CACHES = {**settings.CACHES, "default": of_the_site.CACHES["default"]}
    call_command("createcachetable")
    monkeypatch.setattr(state_texts, "FRESH_SECONDS", -1)
    assert visitor.get("/status/").status_code == 200
    writer()
    for address in ("/status/", "/de/status/", "/api/v1/status/"):
        assert visitor.get(address).status_code == 200, address


def test_the_page_of_the_state_is_read_from_a_database_for_reading_only(
    visitor, settings, monkeypatch, request
):
    settings.CACHES = {**settings.CACHES, "default": of_the_site.CACHES["default"]}
    call_command("createcachetable")
    monkeypatch.setattr(state_texts, "FRESH_SECONDS", -1)
    assert visitor.get("/status/").status_code == 200
    request.getfixturevalue("for_reading_only")
    for address in ("/status/", "/api/v1/status/"):
        assert visitor.get(address).status_code == 200, address


def test_a_write_that_a_database_for_reading_only_refuses_is_answered_503(visitor, for_reading_only):
    assert_busy(visitor.post("/join/", JOIN))


def test_the_api_answers_503_where_a_database_for_reading_only_refuses_a_write(visitor, person, request):
    _, token = create_token(owner=person("ada"), name="laptop")
    request.getfixturevalue("for_reading_only")
    header = {"authorization": f"Bearer {token}"}
    assert_busy(visitor.post("/api/v1/bots/", {"slug": "karl", "name": "Karl"}, headers=header))


def test_a_blocked_write_is_answered_503_with_retry_after(visitor, writer):
    writer()
    assert_busy(visitor.post("/join/", JOIN))
    assert not User.objects.exists()


def test_a_blocked_session_is_answered_503_with_retry_after(visitor, writer, monkeypatch):
    really = SessionStore.save

    def save(store, must_create=False):
        if not must_create:  # the view makes a session, a middleware saves it when the view is done
            writer()
        really(store, must_create)

    monkeypatch.setattr(SessionStore, "save", save)
    assert_busy(visitor.post("/join/", JOIN))
    assert User.objects.exists()


@pytest.mark.parametrize("address", ["/", "/ladders/", "/tournaments/", "/bots/ann/karl/", "/health/"])
def test_every_page_answers_503_without_a_database(visitor, no_database, address):
    assert_busy(visitor.get(address))


def test_asgi_answers_503_without_a_database(async_client, no_database):
    async_client.raise_request_exception = False
    assert_busy(async_to_sync(async_client.get)("/ladders/"))


def test_the_api_answers_503_without_a_database(visitor, no_database):
    answer = visitor.get("/api/v1/tournaments/")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert answer.json() == {"detail": BUSY}


def test_other_errors_are_still_answered_500(visitor, monkeypatch):
    monkeypatch.setattr("stichkampf_platform.web.views.home.main_ladders", None)
    answer = visitor.get("/")
    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.content.decode()
