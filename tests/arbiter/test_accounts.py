"""What a reply costs, by either way of measuring."""

import pytest
from stichkampf_arbiter.accounts import CpuAccount, WallAccount


class Meter:
    def __init__(self):
        self.seconds = 5.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def meter():
    return Meter()


@pytest.fixture
def account(meter):
    account = CpuAccount(meter)
    account.open(100.0)
    return account


def test_on_the_wall_clock_a_reply_costs_the_time_since_the_question_or_the_reply_before():
    account = WallAccount()
    assert account.charge(10.0, 12.0, 2.0) == 2.0
    assert account.charge(10.0, 12.5, 2.0) == 0.5
    assert account.charge(20.0, 20.25, 2.0) == 0.25


def test_cpu_time_before_the_first_table_is_nobodys(account, meter):
    assert account.charge(100.0, 101.0, 2.0) == 0.0


def test_cpu_time_between_questions_is_charged_with_the_next_reply(account, meter):
    meter.seconds += 0.2
    assert account.charge(100.0, 101.0, 2.0) == pytest.approx(0.2)
    meter.seconds += 0.7
    assert account.charge(105.0, 105.1, 2.0) == pytest.approx(0.7)


def test_opening_another_table_forgives_nothing(account, meter):
    meter.seconds += 0.4
    account.open(101.0)
    assert account.charge(101.0, 102.0, 2.0) == pytest.approx(0.4)


def test_cpu_time_after_a_reply_arrived_is_charged_with_the_next_one(account, meter):
    meter.seconds += 0.5
    assert account.charge(100.0, 100.1, 2.0) == pytest.approx(0.1)
    assert account.charge(100.0, 101.0, 2.0) == pytest.approx(0.4)


def test_waiting_costs_no_cpu_time_and_is_stopped_all_the_same(account):
    assert not account.is_over(100.0, 2.0, 106.9)
    assert account.is_over(100.0, 2.0, 107.1)
    assert account.charge(100.0, 106.9, 2.0) == 0.0


def test_a_question_is_over_as_soon_as_its_cpu_time_is_spent(account, meter):
    meter.seconds += 2.1
    assert account.is_over(100.0, 2.0, 102.2)
    assert account.give_up(100.0, 102.2, 2.0) == pytest.approx(2.1)
    assert not account.is_over(102.2, 2.0, 102.3)


def test_a_meter_that_is_lost_charges_nothing(account, meter):
    meter.seconds = 0.0
    assert account.charge(100.0, 101.0, 2.0) == 0.0
