"""The figures of sensible play, and the goals that `thumb` meets in Mü."""

import importlib.util
import sys
from pathlib import Path

import pytest
from stichkampf.games import GAMES

FILE = Path(__file__).parents[2] / "benchmarks" / "sensible_play.py"


@pytest.fixture(scope="module")
def sensible_play():
    specification = importlib.util.spec_from_file_location("sensible_play", FILE)
    module = importlib.util.module_from_spec(specification)
    sys.modules["sensible_play"] = module  # dataclasses look a class's module up here
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_figures(sensible_play, name):
    figures = sensible_play.figures_of(name, GAMES[name].players[0], "thumb", 1, "test")
    assert figures.shares
    assert all(share.of > 0 for share in figures.shares.values())


@pytest.mark.slow
@pytest.mark.parametrize("seats", GAMES["mue"].players)
def test_in_mue_thumb_bids_what_it_can_make(sensible_play, seats):
    shares = sensible_play.figures_of("mue", seats, "thumb", 10, "test").shares
    assert shares["deals that reach the tricks"].share >= 0.9
    assert shares["highest bidder lays 6 cards or fewer"].share >= 0.9
    assert 0.35 <= shares["contracts made"].share <= 0.85
