"""The limit on answers: one per question and a few more, which refill slowly."""

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
    """Replace the clock by one that a test moves."""
    clock = [1_000.0]
    monkeypatch.setattr(answer_limit, "monotonic", lambda: clock[0])
    return clock


@pytest.fixture
def spare(clock):
    return AnswerLimit(8)


def test_one_answer_per_question_never_exceeds_the_limit(spare):
    for _ in range(1_000):
        spare.add(8)
        spare.take(8)
        assert not spare.is_exceeded


def test_extra_answers_exceed_the_limit_until_it_has_refilled(spare, clock):
    spare.take(10)
    assert spare.is_exceeded
    clock[0] += 9 / SPARE_ANSWERS_A_SECOND
    spare.take(1)
    assert spare.is_exceeded
    clock[0] += 3 / SPARE_ANSWERS_A_SECOND
    spare.take(1)
    assert not spare.is_exceeded


def test_a_question_allows_one_more_answer(spare):
    spare.take(1)
    spare.add(1)
    assert not spare.is_exceeded


def test_more_than_the_spare_answers_are_a_flood(spare):
    spare.take(int(SPARE_ANSWERS))
    with pytest.raises(FloodError):
        spare.take(1)


def test_a_long_pause_refills_the_spare_answers_only(spare, clock):
    clock[0] += 1e6
    spare.take(int(SPARE_ANSWERS))
    spare.take(int(SPARE_ANSWERS))
    with pytest.raises(FloodError):
        spare.take(1)
