"""A database that is busy or away: pages say so, and when to try again."""

import sqlite3

import pytest
from asgiref.sync import async_to_sync
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from stichkampf_platform.core.errors import BUSY
from stichkampf_platform.people.models import User

JOIN = {"username": "ada", "password": "correct horse battery"}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def visitor(client):
    """A browser that sees what the site answers, whatever goes wrong there."""
    client.raise_request_exception = False
    return client


@pytest.fixture
def hurried():
    """This connection waits for others only for a millisecond."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 1")
    yield
    connection.close()


@pytest.fixture
def writer(hurried):
    """Somebody else, who begins to write when called."""
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    yield lambda: other.execute("BEGIN IMMEDIATE")
    other.close()


@pytest.fixture
def no_database(monkeypatch, tmp_path):
    """The database cannot be reached, although connections to it were made before."""
    connection.close()
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "NAME", tmp_path / "nowhere" / "database")
        yield
        connection.close()


def assert_busy(answer):
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert BUSY in answer.content.decode()


def test_who_waits_in_vain_to_write_is_asked_to_try_again(visitor, writer):
    writer()
    assert_busy(visitor.post("/join/", JOIN))
    assert not User.objects.exists()


def test_so_is_who_waits_in_vain_for_the_session_to_be_saved(visitor, writer, monkeypatch):
    really = SessionStore.save

    def save(store, must_create=False):
        if not must_create:  # the view makes a session, a middleware saves it when the view is done
            writer()
        really(store, must_create)

    monkeypatch.setattr(SessionStore, "save", save)
    assert_busy(visitor.post("/join/", JOIN))
    assert User.objects.exists()


@pytest.mark.parametrize("address", ["/", "/ladders/", "/tournaments/", "/bots/karl/", "/health/"])
def test_no_page_breaks_where_the_database_is_away(visitor, no_database, address):
    assert_busy(visitor.get(address))


def test_nor_under_asgi(async_client, no_database):
    async_client.raise_request_exception = False
    assert_busy(async_to_sync(async_client.get)("/ladders/"))


def test_the_api_says_the_same(visitor, no_database):
    answer = visitor.get("/api/tournaments/")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert answer.json() == {"detail": BUSY}


def test_a_mistake_of_ours_is_still_one(visitor, monkeypatch):
    monkeypatch.setattr("stichkampf_platform.web.views.home.main_ladders", None)
    answer = visitor.get("/")
    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.content.decode()
