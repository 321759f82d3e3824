"""How many answers a bot may send: as many as it was asked for, and a few beyond, which come back slowly."""

import pytest
from stichkampf_arbiter.connection import answer_limit
from stichkampf_arbiter.connection.answer_limit import (
    SPARE_ANSWERS,
    SPARE_ANSWERS_A_SECOND,
    AnswerLimit,
    FloodError,
)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until a test moves it."""
    clock = [1_000.0]
    monkeypatch.setattr(answer_limit, "monotonic", lambda: clock[0])
    return clock


@pytest.fixture
def spare(clock):
    return AnswerLimit(8)


def test_who_answers_what_was_asked_is_never_overdrawn(spare):
    for _ in range(1_000):
        spare.add(8)
        spare.take(8)
        assert not spare.is_exceeded


def test_who_sends_more_is_overdrawn_until_time_has_made_up_for_it(spare, clock):
    spare.take(10)
    assert spare.is_exceeded
    clock[0] += 9 / SPARE_ANSWERS_A_SECOND
    spare.take(1)
    assert spare.is_exceeded
    clock[0] += 3 / SPARE_ANSWERS_A_SECOND
    spare.take(1)
    assert not spare.is_exceeded


def test_a_question_makes_up_for_an_answer(spare):
    spare.take(1)
    spare.add(1)
    assert not spare.is_exceeded


def test_beyond_the_spare_ones_it_is_a_flood(spare):
    spare.take(int(SPARE_ANSWERS))
    with pytest.raises(FloodError):
        spare.take(1)


def test_a_long_rest_earns_no_more_than_the_spare_ones(spare, clock):
    clock[0] += 1e6
    spare.take(int(SPARE_ANSWERS))
    spare.take(int(SPARE_ANSWERS))
    with pytest.raises(FloodError):
        spare.take(1)
