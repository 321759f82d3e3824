import itertools

import numpy as np
import pytest
from stichkampf.rating import RatingTable, Results, cyclic_share, pair_residuals, rate


def duels(odds: dict[str, float], games: int = 400) -> RatingTable:
    """Pairs such as "ab" with the probability that the first wins."""
    chance = np.random.default_rng(12)
    rows = []
    for pair, probability in odds.items():
        for game in range(games):
            won = chance.random() < probability
            rows += [(pair + str(game), 0, pair[0], int(won)), (pair + str(game), 0, pair[1], int(not won))]
    return rate(Results.from_rows(rows))


def test_rock_paper_scissors_is_all_cyclic():
    assert cyclic_share(duels({"rs": 0.8, "sp": 0.8, "pr": 0.8})) > 0.95


def test_a_plain_order_of_strength_is_not_cyclic():
    assert cyclic_share(duels({"ab": 0.75, "bc": 0.75, "ac": 0.9})) < 0.02


def test_a_field_of_equals_is_luck_and_not_cyclic():
    assert cyclic_share(duels({"ab": 0.5, "bc": 0.5, "ac": 0.5, "ad": 0.5, "bd": 0.5, "cd": 0.5})) < 0.6


def test_a_mixture_lies_between():
    assert 0.2 < cyclic_share(duels({"ab": 0.75, "bc": 0.75, "ac": 0.6})) < 0.6


def test_the_pair_that_the_ratings_do_not_explain_comes_first():
    residuals = pair_residuals(duels({"ab": 0.7, "bc": 0.7, "cd": 0.7, "ac": 0.84, "bd": 0.84, "ad": 0.2}))
    worst = residuals[0]
    assert (worst.first, worst.second) == ("a", "d")
    assert worst.z < -5
    assert worst.points < worst.expected
    assert worst.comparisons == worst.blocks == 400


def test_a_pair_that_met_in_one_block_has_no_error_to_measure_by():
    residuals = pair_residuals(rate(Results.from_rows([("x", 0, "a", 2), ("x", 0, "b", 1)])))
    assert [(pair.points, pair.z) for pair in residuals] == [(1.0, None)]


def test_a_pair_of_which_one_took_every_point_has_no_error_to_measure_by():
    rows = []
    for pair, game in itertools.product(("ab", "bc", "ac"), range(7)):
        lucky = pair != "ac" and game % 3 == 0
        rows += [(pair + str(game), 0, pair[0], int(not lucky)), (pair + str(game), 0, pair[1], int(lucky))]
    by_pair = {pair.first + pair.second: pair for pair in pair_residuals(rate(Results.from_rows(rows)))}
    assert by_pair["ac"].points == 7
    assert by_pair["ac"].z is None
    assert by_pair["ab"].z is not None


def test_residuals_balance_for_each_entrant_but_for_the_prior():
    table = duels({"ab": 0.7, "bc": 0.6, "ac": 0.8})
    balance = {"a": 0.0, "b": 0.0, "c": 0.0}
    for pair in pair_residuals(table):
        balance[pair.first] += pair.points - pair.expected
        balance[pair.second] -= pair.points - pair.expected
    assert list(balance.values()) == pytest.approx([0, 0, 0], abs=0.5)
