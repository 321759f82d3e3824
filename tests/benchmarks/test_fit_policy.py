"""The fit of a policy's weights finds the weights that visits were drawn with."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "fit_policy.py"


@pytest.fixture(scope="module")
def fit_policy():
    specification = importlib.util.spec_from_file_location("fit_policy", FILE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_weights_are_those_of_the_visits(fit_policy):
    """Kinds 0, 1 and 2 are taken 6 : 3 : 1, two of them or all; a kind may stand twice."""
    decisions = [
        ([0, 1], [600, 300]),
        ([1, 2], [300, 100]),
        ([0, 1, 2], [600, 300, 100]),
        ([1, 1, 2], [300, 300, 100]),
    ] * 300
    six, three, one = fit_policy.fitted(decisions, 3)
    assert six / three == pytest.approx(2, rel=0.05)
    assert three / one == pytest.approx(3, rel=0.05)


def test_a_kind_that_never_came_up_keeps_the_middle_weight(fit_policy):
    assert fit_policy.fitted([([0, 1], [5, 5])] * 50, 3)[2] == fit_policy.UNIT
