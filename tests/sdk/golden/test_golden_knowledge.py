"""Digests of what seats are shown: views, observations, rows of data sets, strings."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from stichkampf.games import GAMES

pytestmark = pytest.mark.xdist_group("golden knowledge")

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    file = tmp_path_factory.mktemp("knowledge") / "knowledge.json"
    subprocess.run([sys.executable, GOLDEN / "knowledge.py", file], check=True)
    return json.loads(file.read_text())


@pytest.mark.parametrize("name", GAMES)
def test_seats_are_shown_the_same_bits_and_words_as_ever(shown, name):
    assert shown[name] == json.loads((GOLDEN / "knowledge.json").read_text())[name]
