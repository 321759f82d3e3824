"""The round trip to a remote bot: its measurement, and that it decides no move."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from stichkampf import limits
from stichkampf.timing.time_accounts import WallAccount
from stichkampf_arbiter.bots.remote.latency import RoundTrip

JITTER = limits.REMOTE_JITTER_SECONDS
LIMITS = st.floats(limits.REMOTE_MOVE_SECONDS_MIN, 600.0)
WAYS = st.floats(0.0, JITTER)
PINGS = st.lists(st.floats(0.0, 100.0), max_size=30)
# The error of subtracting two clocks from one another.
ROUNDING = 1e-6


def measured(*seconds):
    round_trip = RoundTrip()
    for each in seconds:
        round_trip.note(each)
    return round_trip


def test_a_steady_round_trip_is_measured_exactly():
    assert measured(*[0.08] * 40).seconds == pytest.approx(0.08)


def test_one_late_pong_hardly_moves_the_round_trip():
    assert measured(*[0.08] * 40, 0.88).seconds == pytest.approx(0.18)


def test_the_allowance_is_largest_before_the_first_measurement():
    assert RoundTrip().allowance_seconds(10.0) == limits.REMOTE_ALLOWANCE_SECONDS


def test_on_a_fast_connection_the_allowance_is_the_jitter_of_both_ways():
    assert measured(*[0.0] * 40).allowance_seconds(10.0) == pytest.approx(2 * JITTER)


def test_a_longer_round_trip_has_a_larger_allowance():
    near, far = measured(*[0.01] * 40), measured(*[0.2] * 40)
    assert far.allowance_seconds(10.0) - near.allowance_seconds(10.0) == pytest.approx(0.19, abs=0.001)


@given(PINGS, LIMITS)
def test_the_allowance_stays_below_its_cap_and_the_limit(pings, limit):
    allowance = measured(*pings).allowance_seconds(limit)
    assert allowance <= limits.REMOTE_ALLOWANCE_SECONDS
    assert allowance < limit


@given(PINGS, LIMITS)
def test_the_allowance_covers_the_jitter_of_both_ways_under_every_limit(pings, limit):
    assert measured(*pings).allowance_seconds(limit) >= 2 * JITTER


@given(PINGS, st.lists(st.tuples(LIMITS, WAYS, WAYS, st.floats(0.0, 1.0), st.floats(0.0, 5.0)), min_size=1))
def test_no_jitter_costs_an_honest_bot_a_move(pings, decisions):
    """Questions arrive while it thinks about others; it decides one by one, each within its limit."""
    account = WallAccount(measured(*pings).allowance_seconds)
    sent, free, arrived = 1_000.0, 0.0, 0.0
    for limit, there, back, share, pause in decisions:
        free = max(free, sent + there) + share * limit
        # Messages on one stream never overtake one another.
        arrived = max(arrived, free + back)
        assert not account.is_over(sent, limit, arrived - ROUNDING)
        assert account.charge(sent, arrived, limit) <= limit + ROUNDING
        sent += pause


@given(PINGS, LIMITS, WAYS, WAYS, st.floats(2.0, 10.0))
def test_an_overrun_of_twice_the_limit_is_always_too_late(pings, limit, there, back, factor):
    account = WallAccount(measured(*pings).allowance_seconds)
    arrival = 1_000.0 + there + factor * limit + back
    assert account.is_over(1_000.0, limit, arrival)
    assert account.charge(1_000.0, arrival, limit) > limit


@given(PINGS, LIMITS, LIMITS, WAYS, WAYS)
def test_an_overrun_behind_another_decision_is_too_late_too(pings, first, limit, back_first, back):
    account = WallAccount(measured(*pings).allowance_seconds)
    first_reply = 1_000.0 + first
    account.charge(1_000.0, first_reply + back_first, first)
    arrival = first_reply + 2 * limit + back
    # Replies arrive in the order in which they were given.
    assume(arrival > first_reply + back_first)
    assert account.charge(1_000.0, arrival, limit) > limit


@given(LIMITS)
def test_a_question_stays_open_for_its_limit_and_the_allowance(limit):
    round_trip = measured(0.1)
    account = WallAccount(round_trip.allowance_seconds)
    stop = account.stop_seconds(limit)
    assert stop == pytest.approx(limit + round_trip.allowance_seconds(limit))
    assert not account.is_over(1_000.0, limit, 1_000.0 + stop - ROUNDING)
    assert account.is_over(1_000.0, limit, 1_000.0 + stop + ROUNDING)


def test_thinking_at_one_table_is_not_charged_at_another():
    account = WallAccount(measured(*[0.0] * 40).allowance_seconds)
    assert account.charge(100.0, 103.0, 10.0) == pytest.approx(3.0 - 2 * JITTER)
    assert account.charge(100.0, 104.0, 10.0) == pytest.approx(1.0 - JITTER)


def test_work_on_a_question_begins_with_the_reply_before():
    account = WallAccount(RoundTrip().allowance_seconds)
    assert account.begun_seconds(100.0, 101.5) == 1.5
    account.charge(100.0, 101.0, 10.0)
    assert account.begun_seconds(100.0, 101.5) == 0.5
    assert account.begun_seconds(102.0, 101.5) == 0.0


def test_giving_up_charges_the_used_time():
    account = WallAccount(measured(*[0.0] * 40).allowance_seconds)
    assert account.give_up(100.0, 103.0, 2.0) == pytest.approx(3.0 - 2 * JITTER)
    assert account.give_up(100.0, 103.0, 2.0) == 0.0
