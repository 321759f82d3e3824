"""Baselines of research and the levels for people."""

from __future__ import annotations

import numpy
import pytest
from open_spiel.python.algorithms import ismcts, mcts
from stichkampf import Match, new_game
from stichkampf.bots.determinised import Ismcts, Pimc, _InformationSearch
from stichkampf.bots.practice import entrant, play_match
from stichkampf.bots.registry import bots_on_request, house_bot, house_bots
from stichkampf.games import GAMES
from stichkampf.lab.adapters.openspiel import load_game
from stichkampf.match.records import dump
from stichkampf.match.table import Table


def short(name):
    seats = GAMES[name].players[-1]
    return new_game(name, seats, {"max_deals": 1} if name == "was-sticht" else {"length": "deals:1"})


@pytest.mark.parametrize("bot", bots_on_request())
@pytest.mark.parametrize("name", GAMES)
def test_a_bot_on_request_plays_without_a_fault_and_the_same_again(monkeypatch, bot, name):
    monkeypatch.setattr(Pimc, "worlds", 2)
    monkeypatch.setattr(Pimc, "iterations", 4)
    monkeypatch.setattr(Ismcts, "iterations", 12)
    monkeypatch.setattr(house_bot("strong"), "iterations", 20)
    game = short(name)
    field = [entrant(bot), *[entrant("random")] * (game.seats - 1)]
    first, second = (play_match(game, field, bytes([7] * 32)) for _ in range(2))
    assert first.failures == []
    assert dump(first.record) == dump(second.record)
    assert first.record["seats"][0] == {"bot": f"house/{bot}", "version": 1}


def test_bots_on_request_are_on_no_ladder_and_reserve_no_names_of_the_house():
    assert not bots_on_request().keys() & house_bots().keys()
    levels = [house_bot(name) for name in ("gentle", "even", "strong")]
    assert [level.iterations for level in levels] == [12, 60, 1000]


def asked(game, seed):
    """The first bid of a match, to the seat that is asked."""
    match = Match(game, seed=seed)
    seat = match.to_act()[0]
    table = Table(game, seat, seed)
    table.follow(match.events(seat))
    table.legal = match.legal(seat)
    return table


@pytest.mark.parametrize("bot", ["pimc", "ismcts"])
def test_a_search_bids_a_trick_on_a_card_that_mostly_takes_it(bot):
    game = new_game("stiche-raten", 3, {"length": "deals:1"})
    bids = {True: [], False: []}
    for seed in range(24):
        table = asked(game, bytes([seed] * 32))
        worth = often_takes(table)
        if not 0.35 < worth < 0.5:
            word, _ = house_bot(bot)().choose(table)
            bids[worth >= 0.5].append(int(word.removeprefix("bid ")))
    strong, weak = (sum(found) / len(found) for found in (bids[True], bids[False]))
    assert strong > weak + 0.5


def often_takes(table):
    """Count the playouts at random in which the only card of a seat takes the trick."""
    won = 0
    for number in range(60):
        world = table.deal.determinise(table.seat, number)
        while world.turn >= 0:
            legal = world.legal_actions()
            world.apply(legal[number % len(legal)])
        won += world.facts()["tricks"][table.seat]
    return won / 60


def test_ismcts_visits_actions_as_often_as_openspiels_own():
    simulations = 300
    seed = bytes([3] * 32)
    rules = new_game("stiche-raten", 3, {"length": "deals:1"})
    table = asked(rules, seed)
    ours = _InformationSearch(table)
    for _ in range(simulations):
        ours.simulate()
    game = load_game("stiche-raten", 3, {"length": "deals:1"})
    state = game.new_initial_state(seed)
    evaluator = mcts.RandomRolloutEvaluator(1, numpy.random.RandomState(1))
    theirs = ismcts.ISMCTSBot(
        game,
        evaluator,
        ours._bonus,
        simulations,
        random_state=numpy.random.RandomState(2),
        final_policy_type=ismcts.ISMCTSFinalPolicyType.NORMALIZED_VISITED_COUNT,
    )
    shares = {state.action_to_string(table.seat, action): share for action, share in theirs.get_policy(state)}
    for action, tried in ours.root.tried.items():
        assert tried.visits / simulations == pytest.approx(shares[table.deal.word(action)], abs=0.12)
