"""Costs of decisions: by what their seats knew, and only where that is certain."""

from __future__ import annotations

from random import Random

import pytest
from stichkampf.analysis import costs
from stichkampf.analysis.costs import decision_cost
from stichkampf.bots.practice import entrant, play_match
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.match.records import steps

SHORT = {"stiche-raten": {"length": "deals:3"}, "was-sticht": {"max_deals": 1, "tasks_per_player": 3}}


@pytest.fixture
def quick(monkeypatch):
    """Fewer worlds than an analysis draws."""
    monkeypatch.setattr(costs, "SEARCHED_WORLDS", 24)
    monkeypatch.setattr(costs, "MEASURED_WORLDS", 12)
    monkeypatch.setattr(costs, "MOST_WORLDS", 24)


@pytest.mark.parametrize("name", GAMES)
def test_deals_that_a_seat_cannot_tell_apart_have_the_same_cost_bit_by_bit(name, quick):
    rng = Random(name)
    seats = min(GAMES[name].players)
    match = Match(new_game(name, seats, SHORT.get(name, {"length": "deals:1"})), seed=rng.randbytes(32))
    compared = differing = 0
    while not match.over:
        seat = rng.choice(match.to_act())
        legal = match.legal(seat)
        word = rng.choice(legal)
        if len(legal) > 1 and rng.random() < 0.2:
            other = match.deal.determinise(seat, rng.getrandbits(60))
            assert decision_cost(match.game, match.deal, seat, word) == decision_cost(
                match.game, other, seat, word
            )
            compared += 1
            differing += other.key() != match.deal.key()
        match.play(seat, word)
    assert compared >= differing > 0


def test_a_planted_blunder_is_marked_and_the_action_that_search_takes_is_not():
    game = new_game("sixes-and-sevens", 4, {"length": "deals:1"})
    matches = [play_match(game, [entrant("search")] * 4, bytes([number] * 32)) for number in range(2)]
    planted, own = [], []
    for step in (step for match in matches for step in steps(match.record)):
        if len(step.legal) < 4:
            continue
        deal, seat = step.match.deal, step.move.seat
        own.append(decision_cost(game, deal, seat, step.move.word).is_mistake)
        known = deal.information_set(seat)
        outcomes = {word: costs.ActionOutcomes(game, known, seat, known.action(word)) for word in step.legal}
        sums = {word: each.sample(costs.MEASURED_WORLDS).mean for word, each in outcomes.items()}
        worst = min(sums, key=sums.__getitem__)
        if max(sums.values()) - sums[worst] > 8:
            planted.append(decision_cost(game, deal, seat, worst).is_mistake)
    assert len(planted) >= 2
    assert sum(planted) >= 0.9 * len(planted)
    assert sum(own) <= 0.2 * len(own)


def test_actions_that_come_to_the_same_are_not_marked():
    game = new_game("was-sticht", 3, SHORT["was-sticht"])
    record = play_match(game, [entrant("random")] * 3, bytes(32)).record
    alike = []
    for step in steps(record):
        deal, seat = step.match.deal, step.move.seat
        outcomes = {
            tuple(after.rollout(seed))
            for seed in range(30)
            for action in deal.legal_of(seat)
            for after in [deal.determinise(seat, seed)]
            if after.apply_by(seat, action) is None
        }
        if len(step.legal) > 1 and len(outcomes) == 1:
            alike += [decision_cost(game, deal, seat, word).is_mistake for word in step.legal]
    assert alike
    assert not any(alike)


def test_an_action_that_is_not_legal_is_refused_with_those_that_are():
    game = new_game("stiche-raten", 3, {"length": "deals:1"})
    deal = Match(game, seed=bytes(32)).deal
    with pytest.raises(ValueError, match="'bid 7' is not legal now; possible: bid 0, bid 1"):
        decision_cost(game, deal, deal.player(), "bid 7")
