"""Blocks begin a few at a time: who waits for an arbiter lets the next one begin, and so does who ends."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from stichkampf_platform.core.machines.database_turns import Turns


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
