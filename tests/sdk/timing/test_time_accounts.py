"""The cost of a reply by CPU time and by wall-clock time."""

import pytest
from stichkampf.timing.time_accounts import CpuAccount, WallAccount


class Meter:
    def __init__(self):
        self.seconds = 5.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def meter():
    return Meter()


class Waits:
    """A meter that knows at once for how long the bot had no core."""

    def __init__(self):
        self.seconds = 0.0

    def measure(self, since, now):
        return self.seconds

    def postpone(self, seconds):
        pass


@pytest.fixture
def waits():
    return Waits()


@pytest.fixture
def account(meter, waits):
    account = CpuAccount(meter, waits)
    account.start(100.0)
    return account


def test_a_reply_costs_the_wall_time_since_its_question_or_the_reply_before():
    account = WallAccount()
    assert account.charge(10.0, 12.0, 2.0) == 2.0
    assert account.charge(10.0, 12.5, 2.0) == 0.5
    assert account.charge(20.0, 20.25, 2.0) == 0.25


def test_cpu_time_before_the_first_table_is_not_charged(account, meter):
    assert account.charge(100.0, 101.0, 2.0) == 0.0


def test_cpu_time_between_questions_is_charged_with_the_next_reply(account, meter):
    meter.seconds += 0.2
    assert account.charge(100.0, 101.0, 2.0) == pytest.approx(0.2)
    meter.seconds += 0.7
    assert account.charge(105.0, 105.1, 2.0) == pytest.approx(0.7)


def test_opening_another_table_forgives_nothing(account, meter):
    meter.seconds += 0.4
    account.start(101.0)
    assert account.charge(101.0, 102.0, 2.0) == pytest.approx(0.4)


def test_cpu_time_after_a_reply_arrived_is_charged_with_the_next_one(account, meter):
    meter.seconds += 0.5
    assert account.charge(100.0, 100.1, 2.0) == pytest.approx(0.1)
    assert account.charge(100.0, 101.0, 2.0) == pytest.approx(0.4)


def test_a_delay_of_the_arbiter_is_no_waiting_of_the_bot(account):
    account.credit_lag(33.0)
    assert not account.is_over(100.0, 30.0, 137.0)
    assert account.charge(100.0, 137.0, 30.0) == pytest.approx(3.0)
    # Credited once: the next decision pays for its own waiting.
    assert account.charge(137.0, 147.0, 30.0) == pytest.approx(9.0)


def test_waiting_is_free_up_to_a_second_and_twice_the_cpu_time(account, meter):
    assert account.charge(100.0, 101.0, 2.0) == 0.0
    meter.seconds += 0.5
    assert account.charge(105.0, 107.0, 2.0) == pytest.approx(0.5)


def test_further_waiting_is_charged_and_can_exceed_the_limit(account, meter):
    meter.seconds += 0.5
    assert not account.is_over(100.0, 2.0, 103.4)
    assert account.is_over(100.0, 2.0, 103.6)
    assert account.charge(100.0, 103.0, 2.0) == pytest.approx(0.5 + 1.0)
    assert account.is_over(103.0, 2.0, 106.1)
    assert account.give_up(103.0, 106.1, 2.0) == pytest.approx(2.1)


def test_time_without_a_core_is_not_charged(account, meter, waits):
    meter.seconds += 1.0
    waits.seconds += 30.0
    assert not account.is_over(100.0, 2.0, 133.0)
    assert account.charge(100.0, 133.0, 2.0) == pytest.approx(1.0)
    assert account.charge(133.0, 137.0, 2.0) == pytest.approx(3.0)


def test_time_without_a_core_before_a_question_does_not_count_for_it(account, waits):
    waits.seconds += 30.0
    account.charge(100.0, 140.0, 2.0)
    assert account.is_over(140.0, 2.0, 143.5)


def test_every_question_ends_and_only_a_bot_without_a_core_is_excused(account, meter, waits):
    end = account.stop_seconds(2.0)
    assert end == 60.0
    meter.seconds += 1.0
    waits.seconds += end / 2 - 1
    assert not account.was_kept_from_core(100.0, 100.0 + end)
    waits.seconds += 2
    assert account.was_kept_from_core(100.0, 100.0 + end)


def test_waiting_before_a_later_question_is_charged_to_the_oldest(account, meter, waits):
    assert account.begun_seconds(100.0, 105.0) == 4.0
    meter.seconds += 0.1
    waits.seconds += 3.0
    assert account.begun_seconds(100.0, 105.0) == pytest.approx(0.8)


def test_a_bot_that_only_wakes_now_and_then_had_a_core(account, meter, waits):
    meter.seconds += 0.01
    waits.seconds += 50.0
    assert account.charge(100.0, 150.0, 2.0) == pytest.approx(0.01 + 50.0 - 1.0 - 1.02)


def test_a_question_is_over_once_its_cpu_time_is_spent(account, meter):
    meter.seconds += 2.1
    assert account.is_over(100.0, 2.0, 102.2)
    assert account.give_up(100.0, 102.2, 2.0) == pytest.approx(2.1)
    assert not account.is_over(102.2, 2.0, 102.3)


def test_a_lost_meter_charges_nothing(account, meter):
    meter.seconds = 0.0
    assert account.charge(100.0, 101.0, 2.0) == 0.0
