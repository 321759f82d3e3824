"""A benchmark that asks an address that is gone waits for ever."""

import re
from pathlib import Path

UNVERSIONED = re.compile(r"\}/?api/(?!v1/)")


def test_benchmarks_ask_for_addresses_of_the_api_that_are_there():
    asked = {
        path.name: UNVERSIONED.findall(path.read_text())
        for path in (Path(__file__).parents[2] / "benchmarks").rglob("*.py")
    }
    assert len(asked) > 50
    assert {name: found for name, found in asked.items() if found} == {}
