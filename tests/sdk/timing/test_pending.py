"""The cost of answers when several questions are open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stichkampf.timing.pending import RESERVE_SECONDS, PendingDecision, PendingDecisions
from stichkampf.timing.time_accounts import WallAccount

STEPS = st.lists(st.tuples(st.floats(0.0, 5.0), st.one_of(st.none(), st.integers(0, 9))), max_size=40)


@pytest.fixture
def questions():
    return PendingDecisions(WallAccount())


def ask(questions, table, now, limit_seconds=10.0):
    asked = PendingDecision(table, 1, limit_seconds)
    questions.add(asked, now)
    return asked


def answer(questions, asked, now):
    assert questions.take(asked.table, asked.number) is asked
    (seconds,) = questions.charge([asked], now)
    return seconds


def test_the_time_before_a_later_question_is_charged_to_the_one_that_was_open(questions):
    first = ask(questions, 1, 100.0)
    second = ask(questions, 2, 105.0)
    assert answer(questions, second, 105.5) == 0.5
    assert not questions.is_slow(first, 110.4)
    assert questions.is_slow(first, 110.6)
    assert answer(questions, first, 107.0) == 5.0 + 1.5


def test_a_bot_that_leaves_pays_once_with_its_oldest_question(questions):
    first, second = ask(questions, 1, 100.0), ask(questions, 2, 101.0)
    questions.leave(103.0)
    assert (first.spent_seconds, first.left) == (3.0, 103.0)
    assert (second.spent_seconds, second.left) == (0.0, 0.0)


def test_a_question_after_the_last_sign_of_life_costs_nothing(questions):
    asked = ask(questions, 1, 100.0)
    questions.leave(95.0)
    assert (asked.spent_seconds, asked.left) == (0.0, 100.0)


def test_giving_up_costs_the_used_time(questions):
    first, second = ask(questions, 1, 100.0), ask(questions, 2, 104.0)
    assert questions.give_up(second, 106.0) == 2.0
    assert questions.give_up(first, 107.0) == pytest.approx(4.0 + 1.0)
    assert not len(questions)


def test_a_delay_of_the_arbiter_makes_no_question_overdue(questions):
    asked = ask(questions, 1, 100.0)
    now = 100.0
    for _ in range(50):
        now += 5.05
        questions.credit_lag(5.0)
        assert not questions.long_overdue(now)
    assert now > 300.0
    end = now + 20.0 + RESERVE_SECONDS - 50 * 0.05
    questions.credit_lag(1.0)
    assert questions.long_overdue(end - 0.01 + 1.0) == []
    assert questions.long_overdue(end + 0.01 + 1.0) == [asked]


def test_a_delay_before_a_question_is_not_credited_to_it(questions):
    ask(questions, 1, 100.0, limit_seconds=100.0)
    questions.credit_lag(50.0)
    later = ask(questions, 2, 150.0, limit_seconds=1.0)
    questions.drop(1)
    assert later.lag_seconds == 0.0


@given(STEPS)
def test_a_bot_pays_for_every_moment_once_in_any_order_of_answers(steps):
    """Each step lets time pass, then asks at a new table or answers an open question.

    The total never exceeds the time that has passed.
    """
    questions = PendingDecisions(WallAccount())
    now, busy_seconds, charged_seconds = 1_000.0, 0.0, 0.0
    for table, (pause, which) in enumerate(steps):
        now += pause
        busy_seconds += pause if len(questions) else 0.0
        if which is None or not len(questions):
            ask(questions, table, now)
            continue
        asked = questions.all()[which % len(questions)]
        seconds = answer(questions, asked, now)
        assert seconds <= now - asked.sent + 1e-6
        charged_seconds += seconds
    still_open = questions.all()
    questions.leave(now)
    charged_seconds += sum(asked.spent_seconds for asked in still_open)
    assert charged_seconds == pytest.approx(busy_seconds, abs=1e-6)
