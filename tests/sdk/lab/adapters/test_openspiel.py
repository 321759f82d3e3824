"""The OpenSpiel-like state against the referee of matches."""

from __future__ import annotations

import copy
import doctest
import pickle
import subprocess
import sys
from random import Random

import numpy
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import (
    cfr,
    exploitability,
    external_sampling_mccfr,
    ismcts,
    mcts,
    outcome_sampling_mccfr,
)
from stichkampf.errors import ActionError, IllegalAction, OptionError, SeatsError, SeedError, UnknownGame
from stichkampf.games import GAMES, new_game
from stichkampf.lab.adapters import openspiel
from stichkampf.lab.adapters.openspiel import TERMINAL, load_game
from stichkampf.lab.adapters.vocabulary import vocabulary_of
from stichkampf.match.match import Match
from stichkampf_oracle import GAMES as REFEREED
from stichkampf_oracle import default_options, wilful

EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]
SHORT = {"stiche-raten": {"length": "deals:4", "greifen_passen": True}, "was-sticht": {"max_deals": 2}}
SEED = bytes(range(32))


def short(name):
    return SHORT.get(name, {"length": "deals:2"})


def choose(rng, state):
    """Choose with a bias that reaches every phase."""
    player = state.current_player()
    words = {state.action_to_string(player, action): action for action in state.legal_actions()}
    return words[wilful(rng, sorted(words))]


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_state_follows_the_match_from_first_to_last_choice(name, seats):
    rng = Random(3)
    state = load_game(name, seats, short(name)).new_initial_state(SEED)
    match = Match(new_game(name, seats, short(name)), seed=SEED)
    returns = [0.0] * seats
    while not state.is_terminal():
        player = state.current_player()
        assert player == match.to_act()[0]
        words = [state.action_to_string(player, action) for action in state.legal_actions()]
        assert sorted(words) == sorted(match.legal(player))
        assert [state.string_to_action(word) for word in words] == state.legal_actions(player)
        assert state.legal_actions((player + 1) % seats) == []
        assert state.legal_actions() == sorted(set(state.legal_actions()))
        assert not state.is_chance_node()
        assert not state.is_simultaneous_node()
        action = choose(rng, state)
        state.apply_action(action)
        match.play(player, state.action_to_string(player, action))
        assert state.returns() == match.scores
        returns = [total + reward for total, reward in zip(returns, state.rewards(), strict=True)]
        assert returns == state.returns()
    assert match.over
    assert state.current_player() == TERMINAL
    assert state.legal_actions() == []


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_clone_goes_its_own_way(name, seats):
    rng = Random(4)
    state = load_game(name, seats, short(name)).new_initial_state(SEED)
    for _ in range(12):
        state.apply_action(choose(rng, state))
    before = (str(state), state.legal_actions(), state.current_player(), state.information_state_string())
    clone = state.clone()
    assert (str(clone), clone.legal_actions(), clone.current_player()) == before[:3]
    assert clone.information_state_string() == before[3]
    while not clone.is_terminal():
        clone.apply_action(choose(rng, clone))
    after = (str(state), state.legal_actions(), state.current_player(), state.information_state_string())
    assert after == before
    assert state.returns() != clone.returns() or str(state) != str(clone)


@pytest.mark.parametrize("name", GAMES)
def test_state_pickles_and_copies(name):
    rng = Random(6)
    state = load_game(name, GAMES[name].players[-1], short(name)).new_initial_state(SEED)
    for _ in range(9):
        state.apply_action(choose(rng, state))
    for other in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        original = state.clone()
        while not original.is_terminal():
            action = choose(rng, original)
            original.apply_action(action)
            other.apply_action(action)
        assert (str(other), other.returns(), other.rewards()) == (
            str(original),
            original.returns(),
            original.rewards(),
        )


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_the_information_state_is_the_events_of_the_seat_and_no_more(name, seats):
    rng = Random(5)
    state = load_game(name, seats, short(name)).new_initial_state(SEED)
    match = Match(new_game(name, seats, short(name)), seed=SEED)
    for _ in range(25):
        player, action = state.current_player(), choose(rng, state)
        state.apply_action(action)
        match.play(player, state.action_to_string(player, action))
    for seat in range(seats):
        assert len(state.information_state_string(seat).splitlines()) == len(match.events(seat))
    own = state.current_player()
    assert state.information_state_string() == state.information_state_string(own)
    others_cards = set(match.deal.hand((own + 1) % seats)) - set(match.deal.hand(own))
    first_line = state.information_state_string(own).splitlines()[0]
    assert "hands" not in first_line
    assert others_cards


def test_a_hidden_choice_of_another_seat_does_not_show():
    game = load_game("sticheln", 4)
    one, other = game.new_initial_state(SEED), game.new_initial_state(SEED)
    mover = one.current_player()
    one.apply_action(one.legal_actions()[0])
    other.apply_action(other.legal_actions()[-1])
    assert one.current_player() == other.current_player() != mover
    assert one.information_state_string() == other.information_state_string()
    assert one.information_state_string(mover) != other.information_state_string(mover)


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_words_and_numbers_of_actions_correspond(name, seats):
    vocabulary = vocabulary_of(name)
    assert len(set(vocabulary.words)) == len(vocabulary)
    options = default_options(name, seats)
    named = set(REFEREED[name].words(seats, options))
    possible = {word for word in named if word.split()[0] != "swap" or word[5] == word[8]}
    if name == "stiche-raten":
        possible = {word for word in possible if word != "bid 22"}  # a bid beyond all cards
    assert possible <= set(vocabulary.words)
    all_cards = {"deck": 52} if name == "stiche-raten" else {}
    deal = Match(new_game(name, seats, all_cards), seed=SEED).deal
    for word in vocabulary.words:
        assert deal.word(deal.action(word)) == word


@pytest.mark.parametrize("name", GAMES)
def test_bad_actions_are_refused_by_name_and_change_nothing(name):
    seats = GAMES[name].players[0]
    state = load_game(name, seats).new_initial_state(SEED)
    legal, information = state.legal_actions(), state.information_state_string()
    player = state.current_player()
    size = load_game(name, seats).num_distinct_actions()
    for malformed in (-1, size, 10**30, "play H7", None, 1.5, True, [0]):
        with pytest.raises(ActionError, match=f"from 0 to {size - 1}") as refused:
            state.apply_action(malformed)
        assert repr(malformed)[:60] in str(refused.value)
    illegal = next(action for action in range(size) if action not in legal)
    with pytest.raises(IllegalAction, match=f"^{illegal} .*is not legal now; possible: ") as refused:
        state.apply_action(illegal)
    assert state.action_to_string(player, legal[0]) in str(refused.value)
    assert state.action_to_string(player, illegal) in str(refused.value)
    assert (state.legal_actions(), state.current_player()) == (legal, player)
    assert state.information_state_string() == information
    assert state.history() == []


def test_bad_tables_players_and_seeds_are_refused():
    with pytest.raises(UnknownGame, match="skat"):
        load_game("skat", 3)
    with pytest.raises(SeatsError, match="not 9"):
        load_game("sticheln", 9)
    with pytest.raises(OptionError, match="tempo"):
        load_game("sticheln", 3, {"tempo": 1})
    with pytest.raises(SeedError, match="32 bytes"):
        load_game("sticheln", 3).new_initial_state(b"short")
    state = load_game("sticheln", 3).new_initial_state(SEED)
    for player in (-1, 3):
        with pytest.raises(SeatsError, match=f"players 0 to 2, not {player}"):
            state.legal_actions(player)
    with pytest.raises(ActionError, match="moo"):
        state.string_to_action("moo")


def test_match_that_is_over_takes_no_action():
    state = load_game("stiche-raten", 3, {"length": "deals:1"}).new_initial_state(SEED)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(IllegalAction, match="possible: nothing"):
        state.apply_action(0)
    with pytest.raises(IllegalAction, match="name the player"):
        state.information_state_string()
    assert state.information_state_string(0).splitlines()[-1].startswith('{"kind": "end"')


def test_states_without_a_seed_differ():
    game = load_game("sticheln", 3)
    assert len({game.new_initial_state().information_state_string(0) for _ in range(5)}) == 5


def test_example_in_the_documentation_holds():
    assert doctest.testmod(openspiel).attempted > 0
    assert doctest.testmod(openspiel).failed == 0


def test_adapter_loads_neither_open_spiel_nor_numpy():
    program = "import stichkampf.lab.adapters.openspiel, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert not {"pyspiel", "open_spiel", "numpy", "pettingzoo"} & set(loaded.split())


def one_deal(name):
    """Return options for the shortest match of a game."""
    return {"max_deals": 1} if name == "was-sticht" else {"length": "deals:1"}


@pytest.mark.parametrize("name", GAMES)
def test_open_spiels_searches_choose_a_legal_action(name):
    game = load_game(name, GAMES[name].players[-1], one_deal(name))
    state = game.new_initial_state(SEED)
    rng = Random(1)
    for _ in range(3):
        state.apply_action(choose(rng, state))
    before = (state.history(), state.information_state_string())
    evaluator = mcts.RandomRolloutEvaluator(1, numpy.random.RandomState(1))
    for bot in (
        mcts.MCTSBot(game, 1.4, 4, evaluator, random_state=numpy.random.RandomState(1)),
        ismcts.ISMCTSBot(game, evaluator, 1.4, 6, random_state=numpy.random.RandomState(1)),
    ):
        assert bot.step(state) in state.legal_actions()
    assert (state.history(), state.information_state_string()) == before


def test_open_spiels_monte_carlo_cfr_learns_from_sampled_deals():
    game = load_game("stiche-raten", 3, one_deal("stiche-raten"))
    for solver in (
        outcome_sampling_mccfr.OutcomeSamplingSolver(game),
        external_sampling_mccfr.ExternalSamplingSolver(game),
    ):
        solver.iteration()
        state = game.new_initial_state(SEED)
        policy = solver.average_policy().action_probabilities(state)
        assert set(policy) == set(state.legal_actions())
        assert sum(policy.values()) == pytest.approx(1)


@pytest.mark.slow
def test_open_spiels_cfr_lowers_what_its_policy_can_be_exploited_by():
    seeds = [bytes([k]) * 32 for k in range(3)]
    game = load_game("stiche-raten", 3, {"length": "deals:1", "hook": False}, seeds)
    solver = cfr.CFRPlusSolver(game)
    before = exploitability.nash_conv(game, solver.average_policy())
    for _ in range(4):
        solver.evaluate_and_update_policy()
    after = exploitability.nash_conv(game, solver.average_policy())
    assert 0 <= after < before / 2


def test_a_game_of_few_matches_begins_with_their_chance_node():
    seeds = [SEED, bytes(32)]
    game = load_game("mue", 4, {"length": "deals:1"}, seeds)
    root = game.new_initial_state()
    assert root.is_chance_node()
    assert root.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    assert (root.current_player(), root.legal_actions(), root.is_terminal()) == (-1, [0, 1], False)
    for number, seed in enumerate(seeds):
        state, other = root.child(number), game.new_initial_state(seed)
        assert state.chance_outcomes() == []
        assert state.information_state_string() == other.information_state_string()
        state.apply_action(state.legal_actions()[0])
        other.apply_action(other.legal_actions()[0])
        assert (state.history(), state.current_player()) == (other.history(), other.current_player())
    assert root.is_chance_node()
    with pytest.raises(ActionError, match="from 0 to 1, not 2"):
        root.apply_action(2)
    for wrong in ([], [b"short"]):
        with pytest.raises(SeedError, match="32 bytes"):
            load_game("mue", 4, None, wrong)


@pytest.mark.parametrize("name", GAMES)
def test_open_spiels_rl_environment_plays_a_match(name):
    environment = rl_environment.Environment(load_game(name, GAMES[name].players[0], one_deal(name)))
    assert environment.observation_spec()["info_state"] == (environment.game.observation_tensor_size(),)
    now, rng = environment.reset(), Random(2)
    while not now.last():
        player = now.observations["current_player"]
        assert [len(seen) for seen in now.observations["info_state"]] == (
            [environment.game.observation_tensor_size()] * environment.num_players
        )
        now = environment.step([rng.choice(now.observations["legal_actions"][player])])
    assert now.rewards == environment.get_state.returns()


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_resampled_state_agrees_with_what_the_player_knows(name, seats):
    rng = Random(7)
    state = load_game(name, seats, short(name)).new_initial_state(SEED)
    others = 0
    for _ in range(20):
        player = state.current_player()
        other = state.resample_from_infostate(player, rng.random)
        assert other.current_player() == player
        assert other.legal_actions() == state.legal_actions()
        assert other.information_state_string() == state.information_state_string()
        assert other.observation_string() == state.observation_string()
        stranger = (player + 1) % seats
        others += other.observation_string(stranger) != state.observation_string(stranger)
        action = choose(rng, state)
        other.apply_action(action)
        assert other.history() == [*state.history(), action]
        with pytest.raises(IllegalAction, match="resampled"):
            other.observation_tensor()
        state.apply_action(action)
    assert others > 0


@pytest.mark.parametrize("name", GAMES)
def test_state_that_was_written_down_is_read_again(name):
    game = load_game(name, GAMES[name].players[0], short(name))
    state, rng = game.new_initial_state(SEED), Random(8)
    for _ in range(15):
        state.apply_action(choose(rng, state))
    again = game.deserialize_state(state.serialize())
    assert str(again) == str(state)
    assert again.information_state_string() == state.information_state_string()
    assert (again.observation_tensor() == state.observation_tensor()).all()
    for wrong in ("", "{}", '{"seed": "00", "actions": 3}'):
        with pytest.raises(ActionError, match="serialize"):
            game.deserialize_state(wrong)
    with pytest.raises(IllegalAction, match="resampled"):
        state.resample_from_infostate(0, rng.random).serialize()


def test_values_of_players_and_masks_follow_from_the_state():
    game = load_game("stiche-raten", 3, {"length": "deals:2"})
    state, rng = game.new_initial_state(SEED), Random(9)
    while not state.is_terminal():
        mask = state.legal_actions_mask()
        assert [action for action, legal in enumerate(mask) if legal] == state.legal_actions()
        child = state.child(state.legal_actions()[0])
        assert child.history()[:-1] == state.history()
        state.apply_action(choose(rng, state))
        assert [state.player_return(p) for p in range(state.num_players())] == state.returns()
        assert [state.player_reward(p) for p in range(state.num_players())] == state.rewards()
    assert game.get_type().reward_model != load_game("mue", 4, one_deal("mue")).get_type().reward_model
