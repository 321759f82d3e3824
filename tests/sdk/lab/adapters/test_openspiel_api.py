"""OpenSpiel's own tests of games, as far as they take a game in Python that is not in its list.

Left out are those with numbers of nodes that OpenSpiel keeps by name, those of `make_observer`, which only
games have that are compiled into it, and those that need the information state as a tensor.
"""

from __future__ import annotations

import unittest

import numpy
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python.tests import games_sim_test
from stichkampf.games import GAMES
from stichkampf.lab.adapters.openspiel import load_game

KNOWS_BY_NAME = {"test_number_of_nodes", "test_game_is_perfect_recall"}
COMPILED_ONLY = {"test_private_information_contents", "test_no_invalid_public_observations"}
OF_TENSORS = {
    "test_current_player_infosets_no_overlap_between_players",
    "test_information_state_functions_raises_on_chance_nodes",
}
LEFT_OUT = KNOWS_BY_NAME | COMPILED_ONLY | OF_TENSORS
STATES = 40  # OpenSpiel takes 400 of each game


def one_deal(name):
    return {"max_deals": 1} if name == "was-sticht" else {"length": "deals:1"}


@pytest.mark.parametrize(("name", "seats"), [(n, s) for n, game in GAMES.items() for s in game.players])
def test_openspiels_simulation_of_games_passes(name, seats):
    numpy.random.seed(1)
    game = load_game(name, seats, one_deal(name))
    games_sim_test.GamesSimTest().sim_game(game, check_pyspiel_serialization=False)


def passed(base, game):
    """Run a class of OpenSpiel's tests on a game; returns the names of its tests."""
    attributes = {"game": game, "game_name": game.get_type().short_name}
    case = type(f"Of{base.__name__}", (base,), attributes)
    names = set(unittest.defaultTestLoader.getTestCaseNames(case)) - LEFT_OUT
    result = unittest.TestResult()
    unittest.TestSuite(case(name) for name in sorted(names)).run(result)
    assert [(str(test), trace) for test, trace in result.failures + result.errors] == []
    assert result.testsRun == len(names)
    return names


def test_openspiels_tests_of_a_whole_tree_pass():
    seeds = [bytes([k]) * 32 for k in range(2)]
    game = load_game("stiche-raten", 3, {"length": "deals:1", "hook": False}, seeds)
    names = passed(api_test.EnforceAPIOnFullTreeBase, game)
    assert "test_information_state_no_argument_raises_on_terminal_nodes" in names
    assert len(names) == 4


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_tests_of_some_states_pass(monkeypatch, name):
    sampler = api_test.sample_some_states
    sample = sampler.sample_some_states
    monkeypatch.setattr(sampler, "sample_some_states", lambda game, max_states: sample(game, STATES))
    game = load_game(name, GAMES[name].players[0], one_deal(name))
    names = passed(api_test.EnforceAPIOnPartialTreeBase, game)
    assert "test_observations_raises_error_on_invalid_player" in names
    assert len(names) == 3
