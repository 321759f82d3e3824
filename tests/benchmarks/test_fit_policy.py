"""The fit of a policy's weights finds the weights that visits were drawn with."""

import pytest

from benchmarks import fit_policy


def test_weights_are_those_of_the_visits():
    """Kinds 0, 1 and 2 are taken 6 : 3 : 1, two of them or all; a kind may stand twice."""
    decisions = [
        ([0, 1], [600, 300]),
        ([1, 2], [300, 100]),
        ([0, 1, 2], [600, 300, 100]),
        ([1, 1, 2], [300, 300, 100]),
    ] * 300
    six, three, one = fit_policy.likeliest_weights(decisions, 3)
    assert six / three == pytest.approx(2, rel=0.05)
    assert three / one == pytest.approx(3, rel=0.05)


def test_a_kind_that_never_came_up_keeps_the_middle_weight():
    assert fit_policy.likeliest_weights([([0, 1], [5, 5])] * 50, 3)[2] == fit_policy.UNIT
