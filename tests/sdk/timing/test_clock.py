"""Move time, bank and cap."""

from stichkampf.time_control import TimeControl
from stichkampf.timing.clock import Clock

CONTROL = TimeControl(move_seconds=2.0, bank_seconds=5.0, cap_seconds=4.0)


def test_a_decision_within_the_move_time_costs_no_bank():
    clock = Clock(CONTROL)
    assert clock.charge(2.0)
    assert clock.bank_seconds == 5.0


def test_time_beyond_the_move_time_comes_out_of_the_bank():
    clock = Clock(CONTROL)
    assert clock.charge(3.5)
    assert clock.bank_seconds == 3.5


def test_the_cap_holds_even_with_a_full_bank():
    clock = Clock(CONTROL)
    assert clock.limit_seconds() == 4.0
    assert not clock.charge(4.1)


def test_time_out_of_reach_comes_out_of_the_bank_and_makes_no_decision_late():
    clock = Clock(CONTROL)
    assert clock.charge(1.5, away_seconds=3.5)
    assert clock.bank_seconds == 2.0
    assert clock.charge(4.0, away_seconds=20.0)
    assert clock.bank_seconds == 0.0


def test_an_empty_bank_leaves_the_move_time():
    clock = Clock(CONTROL)
    for _ in range(3):
        clock.charge(4.0)
    assert clock.bank_seconds == 0.0
    assert clock.limit_seconds() == 2.0
    assert clock.charge(1.9)
    assert not clock.charge(2.1)
