"""The search: it knows only what its seat knows, repeats, and finds what can be counted by hand."""

from __future__ import annotations

import pytest
from stichkampf import new_game
from stichkampf.engine.policy import Policy, Valuation
from stichkampf.engine.search import Search, search
from stichkampf.engine.seeds import Chance
from stichkampf.games import GAMES

EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]


def first_deal(name, seats, number=0, **options):
    game = new_game(name, seats, options)
    chance = Chance(bytes([seats]) * 32, f"deal {number}")
    return game.new_deal(number, seats - 1, game.shuffle(chance, number, game.start()), game.start())


def later(deal, moves):
    """Play random moves, but stop before the last one that still leaves a choice."""
    x = 11
    for _ in range(moves):
        x = x * 48271 % 2147483647
        following = deal.clone()
        following.apply(following.pick(x))
        if following.is_over():
            return deal
        deal = following
    return deal


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
@pytest.mark.parametrize("moves", [0, 7, 30])
def test_every_iteration_visits_one_legal_action_and_leaves_the_deal_unchanged(name, seats, moves):
    deal = later(first_deal(name, seats), moves)
    seat = deal.to_act()[-1]
    before = deal.key()
    found = search(deal, seat, iterations=40, seed=5)
    assert found.actions == deal.legal_of(seat)
    assert sum(found.visits) == 40
    assert found.action in found.actions
    assert deal.key() == before


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_a_seed_repeats_the_search_and_a_full_deal_adds_no_knowledge(name, seats):
    deal = later(first_deal(name, seats), 9)
    seat = deal.to_act()[0]
    full, again, blind = (
        search(d, seat, iterations=60, seed=8) for d in (deal, deal, deal.information_set(seat))
    )
    assert full.visits == again.visits == blind.visits
    assert full.values == again.values == blind.values
    assert search(deal, seat, iterations=60, seed=9).values != full.values or len(full.actions) == 1


def test_iterations_run_in_stretches_are_the_same_as_in_one_go():
    deal = first_deal("stiche-raten", 3, number=5)
    whole = search(deal, deal.player(), iterations=90, seed=3)
    tree = Search(deal, deal.player(), most_iterations=90, seed=3)
    for stretch in (1, 50, 30, 500):
        tree.run(stretch)
    assert tree.iterations == 90
    assert tree.result().visits == whole.visits


def highest_trump_of_one_card():
    game = new_game("stiche-raten", 3)
    dealt = {"hands": [["SA"], ["C7"], ["D8"]], "stock": ["S7"]}
    rest = [suit + rank for suit in "CDHS" for rank in "789TJQKA" for _ in range(2)]
    for card in ("SA", "C7", "D8", "S7"):
        rest.remove(card)
    return game.new_deal(0, 2, {**dealt, "stock": ["S7", *rest]}, game.start())


def test_the_highest_trump_in_a_round_of_one_card_makes_the_bid_one():
    deal = highest_trump_of_one_card()
    found = search(deal, 0, iterations=200, seed=1)
    assert deal.word(found.action) == "bid 1"
    assert found.values[1] > found.values[0] + 1  # 3 points for the trick against -1, less the table's mean


def test_a_value_is_the_mean_of_the_own_score_above_the_tables_mean():
    """At the last card everything is known: the value is the side's score, less the mean of both sides."""
    deal = first_deal("sixes-and-sevens", 4)
    x = 3
    while sum(deal.hand_size(s) for s in range(4)) > 1:
        x = x * 48271 % 2147483647
        deal.apply(deal.pick(x))
    seat = deal.player()
    end = deal.clone()
    end.playout(1)
    ours, theirs = end.scores()[seat], end.scores()[(seat + 1) % 4]
    assert search(deal, seat, iterations=10, seed=1).values == [(ours - theirs) / 2]


def test_a_simultaneous_choice_is_searched_for_the_asked_seat():
    deal = first_deal("sticheln", 4)
    alone = search(deal, 2, iterations=60, seed=4)
    answered = deal.clone()
    answered.apply_by(0, deal.legal_of(0)[3])
    assert search(answered, 2, iterations=60, seed=4).visits == alone.visits


def test_more_exploration_spreads_the_visits():
    deal = first_deal("sixes-and-sevens", 4)
    bold, careful = (
        max(search(deal, deal.player(), iterations=400, seed=2, exploration=e).visits) for e in (0.1, 8.0)
    )
    assert careful < bold


class Preferring(Policy):
    """Prefers the highest action."""

    def weights(self, deal, seat, actions):
        return [1] * (len(actions) - 1) + [999]


class Modest(Policy):
    """Likes to bid nothing, against all reason."""

    def weights(self, deal, seat, actions):
        return [9 if deal.word(action) == "bid 0" else 1 for action in actions]


@pytest.mark.parametrize(("name", "seats"), [("mue", 5), ("meinz", 3), ("was-sticht", 3), ("sticheln", 4)])
def test_a_policy_without_an_opinion_is_the_search_without_one(name, seats):
    deal = later(first_deal(name, seats), 9)
    seat = deal.to_act()[-1]
    plain = search(deal, seat, iterations=60, seed=8)
    found = search(deal, seat, iterations=60, seed=8, policy=Policy(), priors=Policy())
    assert found.visits == plain.visits
    assert found.values == plain.values


def test_a_policy_draws_actions_by_their_weights():
    deal = first_deal("sixes-and-sevens", 4)
    highest = max(deal.legal_actions())
    x, picked = 1, []
    for _ in range(1000):
        x = x * 48271 % 2147483647
        picked.append(Preferring().pick(deal, x))
    assert 970 < picked.count(highest) < 1000
    assert set(picked) <= set(deal.legal_actions())


def test_playouts_by_a_policy_change_what_an_action_is_worth():
    """An imagined player who always bids most makes every bid of the others too high."""
    deal = first_deal("stiche-raten", 4, number=7)
    plain = search(deal, deal.player(), iterations=400, seed=2)
    found = search(deal, deal.player(), iterations=400, seed=2, policy=Preferring(), priors=Preferring())
    assert sum(found.values) > sum(plain.values)


def test_priors_choose_what_is_tried_first_and_do_not_blind_the_search():
    deal = first_deal("mue", 4)
    few = search(deal, deal.player(), iterations=8, seed=2, priors=Preferring())
    assert few.visits[-1] >= 6
    best_trump = highest_trump_of_one_card()
    found = search(best_trump, 0, iterations=200, seed=1, priors=Modest())
    assert best_trump.word(found.action) == "bid 1"


def test_a_valuation_takes_the_place_of_playouts():
    class Known(Valuation):
        def scores(self, deal):
            return [12, 0, 0]

    deal = first_deal("sticheln", 3)
    seat = deal.to_act()[0]
    values = search(deal, seat, iterations=60, seed=2, value=Known()).values
    assert set(values) <= {8.0, -4.0, 0.0}


@pytest.mark.parametrize(
    ("weigh", "complaint"),
    [
        (lambda n: [1] * (n + 1), r"\d+ weights for \d+ actions"),
        (lambda n: [0] * n, "every action the weight 0"),
        (lambda n: [-1] + [2] * (n - 1), "gave the weight -1"),
    ],
)
def test_weights_that_are_none_are_refused(weigh, complaint):
    class Odd(Policy):
        def weights(self, deal, seat, actions):
            return weigh(len(actions))

    deal = first_deal("sixes-and-sevens", 4)
    with pytest.raises(ValueError, match=complaint):
        search(deal, 0, iterations=10, seed=1, policy=Odd())
    with pytest.raises(ValueError, match=complaint):
        search(deal, 0, iterations=10, seed=1, priors=Odd())


def test_a_seat_that_is_not_asked_and_a_search_without_iterations_are_refused():
    deal = first_deal("sixes-and-sevens", 4)
    with pytest.raises(ValueError, match=r"seat 2 is not to choose now; awaited: \[0\]"):
        search(deal, 2, iterations=10, seed=1)
    with pytest.raises(ValueError, match="needs 1 iteration or more, not 0"):
        search(deal, 0, iterations=0, seed=1)
