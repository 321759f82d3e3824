"""The nightly walk, small: it reaches every verb and phase, checks the rules' promises, and can fail."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from stichkampf.games import GAMES
from stichkampf.games.sixes_and_sevens import SixesDeal

WALK = Path(__file__).parents[3] / "benchmarks" / "walk.py"
EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]


@pytest.fixture(scope="module")
def walk():
    return runpy.run_path(str(WALK))


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_a_small_walk_reaches_every_verb_and_phase(walk, name, seats):
    small = walk["Walk"](name, seats, "walk")
    small.run(5000)
    assert small.missed() == []


def test_a_verb_that_was_never_reached_is_missed(walk):
    short = walk["Walk"]("was-sticht", 4, "short")
    short.run(10)
    short.visits.clear()
    assert "was-sticht, 4 seats: verb drop visited 0 times, not 1" in short.missed()


def test_a_walk_stops_where_the_points_of_a_deal_do_not_add_up(walk, monkeypatch):
    facts = SixesDeal.facts
    monkeypatch.setattr(SixesDeal, "facts", lambda deal: facts(deal) | {"side points": [60, 56]})
    with pytest.raises(walk["BrokenPromise"], match="60 and 56 are not 117"):
        walk["Walk"]("sixes-and-sevens", 4, "broken").run(60)
