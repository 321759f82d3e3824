"""Blocks begin a few at a time: who waits for an arbiter lets the next one begin, and so does who ends."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident

import pytest
from django.db import IntegrityError, connection, transaction
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines import database_turns
from stichkampf_platform.core.machines.database_turns import (
    Turns,
    database_turn,
    may_be_lost,
    return_to_database,
    without_database,
)
from stichkampf_platform.core.models import ItemFailure


@pytest.fixture
def threads():
    with ThreadPoolExecutor(3) as threads:
        yield threads


def test_who_leaves_the_database_lets_the_next_begin_and_goes_on(threads):
    turns, left, goes_on, begun = Turns(1), Event(), Event(), Event()

    def plays():
        with turns.turn():
            turns.end()
            left.set()
            return goes_on.wait(30)

    def begins():
        with turns.turn():
            begun.set()

    first = threads.submit(plays)
    assert left.wait(30)
    threads.submit(begins)
    assert begun.wait(30)
    assert not first.done()
    goes_on.set()
    assert first.result(30)


def test_no_more_begin_at_once_than_have_turns(threads):
    turns, inside, most = Turns(2), set(), []

    def begins(number):
        with turns.turn():
            inside.add(number)
            most.append(len(inside))
            inside.remove(number)

    for each in [threads.submit(begins, number) for number in range(200)]:
        each.result(30)
    assert len(most) == 200
    assert max(most) <= 2


def test_a_turn_ends_with_an_error(threads):
    turns = Turns(1)

    def fails():
        with turns.turn():
            raise LookupError

    for each in [threads.submit(fails) for _ in range(3)]:
        with pytest.raises(LookupError):
            each.result(30)


@pytest.fixture
def spares(monkeypatch):
    """Keep one open connection, as a worker does, until the end of the test."""
    spares = database_turns.Spares()
    spares.most = 1
    monkeypatch.setattr(database_turns, "spares", spares)
    yield spares
    spares.take()
    connection.close()


def opened():
    """Use this thread's connection, and return the one to the database behind it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return connection.connection


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_who_waits_for_an_arbiter_leaves_the_connection_to_the_next_who_begins(threads, spares):
    connection.close()
    with database_turn():
        mine = opened()
        connection.close_at = None
        with without_database():
            assert connection.connection is None
            assert threads.submit(begins_and_ends).result(30) is mine
        assert opened() is mine
    assert connection.connection is None


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_connection_that_grew_old_is_opened_anew(threads, spares):
    connection.close()
    with database_turn():
        before = opened()
        connection.close_at = 0
    assert threads.submit(begins_and_ends).result(30) is not before


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_no_more_connections_are_kept_than_wanted(threads, spares):
    connection.close()
    with database_turn():
        opened()
        assert threads.submit(begins_and_ends).result(30) is not None
    assert connection.connection is None  # closed: the other thread has left its own


@pytest.mark.django_db
def test_who_returns_to_the_database_has_a_turn_until_the_first_one_ends(monkeypatch):
    turns = Turns(1)
    monkeypatch.setattr(database_turns, "beginnings", turns)
    with database_turn():
        turns.end()
        assert not turns._held
        return_to_database()
        assert turns._held == {get_ident()}
    assert not turns._held


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_what_may_be_lost_waits_for_no_disk_and_what_follows_does():
    def waits():
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            return cursor.fetchone()[0]

    if connection.vendor == "postgresql":
        usual = waits()
        with may_be_lost():
            assert waits() == "off"
        assert waits() == usual
        with transaction.atomic(), may_be_lost():
            assert waits() == usual
    with pytest.raises(IntegrityError), may_be_lost():
        ItemFailure.objects.bulk_create(ItemFailure(work="w", next_try_at=clock.now()) for _ in range(2))
    assert not ItemFailure.objects.exists()


def begins_and_ends():
    with database_turn():
        return opened()
