"""The examples in docstrings are true."""

import doctest
import importlib
from pathlib import Path

import pytest
import stichkampf

SDK = Path(stichkampf.__file__).parent
EXAMPLES = sorted(
    ".".join(["stichkampf", *path.relative_to(SDK).with_suffix("").parts])
    for path in SDK.rglob("*.py")
    if ">>>" in path.read_text()
)


def test_there_are_examples():
    assert "stichkampf.engine.seeds" in EXAMPLES


@pytest.mark.parametrize("module", EXAMPLES)
def test_every_example_gives_what_it_says(module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0
