import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "name",
    ["stichkampf.rating", "stichkampf.rating.overall", "stichkampf.rating.table", "stichkampf.schedule",
     "stichkampf.schedule.seatings"],
)  # fmt: skip
def test_the_examples_of_the_documentation_are_true(name):
    failed, attempted = doctest.testmod(import_module(name))
    assert attempted > 0
    assert failed == 0
