"""Words of the measurement of the clock about a decision that took too long."""

from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.time_control import TimeControl

from benchmarks.bank import late_decisions, used_share


def test_a_late_decision_is_told_with_its_seconds_and_what_its_clock_had_said():
    match = Match(new_game("sixes-and-sevens", 4, {"length": "deals:1"}), seed=bytes(32))
    asked = 0
    while not match.over:
        seat = match.to_act()[0]
        asked += seat == 0
        cost = {1: 3.0, 2: 4.5}.get(asked, 0.1) if seat == 0 else 9.0
        late = seat == 0 and asked == 2
        if late:
            match.fault(0, "timeout")
        match.play(seat, match.legal(seat)[0], cost_seconds=cost, wall_seconds=5.0)
    record = match.record([{"bot": "house/thumb"}] * 4)
    control = TimeControl(move_seconds=2, bank_seconds=3, cap_seconds=4)
    assert list(late_decisions(record, control)) == [
        "seat 0, decision 2 of 13 (timeout): charged 4500.0 ms, 5000.0 ms by the wall; at most 4000.0 ms; "
        "its clock said {'move': 2, 'bank': 2.0, 'cap': 4, 'spent': 1.0}"
    ]
    assert used_share(record, control) == 1
