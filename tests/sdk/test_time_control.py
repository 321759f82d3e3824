"""The time control and its bounds."""

import pytest
from stichkampf.errors import TimeControlError
from stichkampf.time_control import TOURNAMENT_BOUNDS, TimeControl, problems


@pytest.mark.parametrize(
    ("seconds", "message"),
    [
        ({"move_seconds": 0.0}, "move_seconds must lie between 0.001 and 3600 seconds, not 0"),
        ({"move_seconds": float("nan")}, "move_seconds must lie between"),
        ({"bank_seconds": -1.0}, "bank_seconds must lie between 0 and 3600 seconds, not -1"),
        ({"bank_seconds": 4_000.0}, "bank_seconds must lie between"),
        ({"cap_seconds": float("inf")}, "cap_seconds must lie between"),
        ({"move_seconds": 3.0, "cap_seconds": 2.0}, "cap_seconds cannot be less than the time for a move"),
    ],
)
def test_an_impossible_time_control_is_refused(seconds, message):
    with pytest.raises(TimeControlError, match=message):
        TimeControl(**seconds)


def test_a_time_control_may_lie_on_its_bounds():
    TimeControl(move_seconds=0.001, bank_seconds=0.0, cap_seconds=0.001)
    TimeControl(move_seconds=3600.0, bank_seconds=3600.0, cap_seconds=3600.0)


def test_every_tournament_that_is_allowed_has_a_possible_time_control():
    for at in (0, 1):
        seconds = {name: bounds[at] for name, bounds in TOURNAMENT_BOUNDS.items()}
        seconds["cap_seconds"] = max(seconds["cap_seconds"], seconds["move_seconds"])
        assert problems(seconds, TOURNAMENT_BOUNDS) == {}
        TimeControl(**seconds)


def test_a_number_that_is_not_known_is_not_judged():
    assert problems({"cap_seconds": 1.0}) == {}
    assert problems({"move_seconds": 0.01, "cap_seconds": 1.0}, TOURNAMENT_BOUNDS).keys() == {"move_seconds"}
