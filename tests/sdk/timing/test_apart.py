"""Decisions of persons who share a stream: an answer of one is nothing to another's clock."""

from stichkampf.timing.apart import ApartDecisions
from stichkampf.timing.pending import PendingDecision, PendingDecisions
from stichkampf.timing.time_accounts import WallAccount

ANN, BEN = 1, 2


def asked(decisions):
    """Ask Ann at 0 and Ben at 1, ten seconds each."""
    both = PendingDecision(ANN, 1, 10.0), PendingDecision(BEN, 1, 10.0)
    for now, pending in enumerate(both):
        decisions.add(pending, float(now))
    return both


def test_each_pays_for_the_own_time_however_often_others_answer():
    apart = ApartDecisions(WallAccount)
    _ann, ben = asked(apart)
    assert apart.charge([apart.take(BEN, 1)], 5.0) == [4.0]
    assert apart.charge([apart.take(ANN, 1)], 8.0) == [8.0]
    serial = PendingDecisions(WallAccount())
    asked(serial)
    serial.take(BEN, 1)
    assert serial.charge([ben], 5.0) == [4.0]
    assert serial.charge([serial.take(ANN, 1)], 8.0) == [4.0]  # one after the other, as a bot decides


def test_only_a_question_beyond_its_own_limit_is_over():
    apart = ApartDecisions(WallAccount)
    ann, ben = asked(apart)
    assert apart.over(9.0) == []
    assert apart.over(10.5) == [ann]
    assert apart.give_up(ann, 10.5) == 10.5
    assert ann not in apart
    assert ben in apart
    assert apart.over(10.9) == []
    assert apart.over(11.5) == [ben]


def test_a_lost_stream_leaves_each_with_the_time_that_it_has_used():
    apart = ApartDecisions(WallAccount)
    ann, ben = asked(apart)
    apart.leave(4.0)
    assert (ann.spent_seconds, ben.spent_seconds) == (4.0, 3.0)
    assert (ann.left, ben.left) == (4.0, 4.0)
    assert len(apart) == 0


def test_a_table_that_ends_takes_its_questions_along():
    apart = ApartDecisions(WallAccount)
    asked(apart)
    apart.drop(ANN)
    assert apart.take(ANN, 1) is None
    assert len(apart) == 1
