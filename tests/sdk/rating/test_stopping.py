from math import inf, log, sqrt

import numpy as np
import pytest
from stichkampf.rating import (
    ConfidenceInterval,
    RatingError,
    Results,
    compare,
    confidence_sequence,
    leader_is_decided,
    regression_test,
)


def excludes_zero(interval: ConfidenceInterval) -> bool:
    return abs(interval.mean) > interval.half_width


def test_the_confidence_sequence_is_the_formula_in_the_book():
    values = [1.0, 2.0, 4.0, 3.0]
    n, rho_squared, alpha = 4, 0.0079, 0.05
    width = sqrt(
        2 * (n * rho_squared + 1) / (n**2 * rho_squared) * log(sqrt(n * rho_squared + 1) / alpha)
    ) * np.std(values, ddof=1)
    interval = confidence_sequence(values)
    assert (interval.mean, interval.half_width) == pytest.approx((2.5, width))


def test_with_fewer_than_two_values_nothing_is_decided():
    assert confidence_sequence([]).half_width == confidence_sequence([3.0]).half_width == inf


@pytest.mark.slow
def test_looking_after_every_block_raises_few_false_alarms():
    chance = np.random.default_rng(8)
    looks = range(20, 401, 10)
    alarms = naive = 0
    for _ in range(200):
        values = chance.normal(size=400)
        alarms += any(excludes_zero(confidence_sequence(values[:n])) for n in looks)
        naive += any(abs(values[:n].mean()) > 1.96 * values[:n].std(ddof=1) / sqrt(n) for n in looks)
    assert alarms <= 10
    assert naive >= 40


def test_the_sequence_does_find_a_real_difference():
    values = np.random.default_rng(9).normal(0.3, 1, size=1000)
    assert excludes_zero(confidence_sequence(values))


@pytest.mark.parametrize("alpha", [0, 1, -0.1])
def test_an_impossible_alpha_is_refused(alpha):
    with pytest.raises(RatingError, match="alpha"):
        confidence_sequence([1.0, 2.0], alpha)


def duels(blocks: int, edge: float) -> Results:
    chance = np.random.default_rng(4)
    rows = []
    for block in range(blocks):
        for bot, skill in (("ann", edge), ("bob", 0.0), ("cid", 0.0)):
            rows.append((block, 0, bot, skill + chance.normal()))
    return Results.from_rows(rows)


def test_a_leader_is_decided_when_it_is_better_than_each_of_the_others():
    assert leader_is_decided(compare(duels(150, 1.5))) == "ann"


def test_a_close_field_is_not_decided():
    assert leader_is_decided(compare(duels(150, 0.0))) is None
    assert leader_is_decided(compare(duels(3, 1.5))) is None


def test_a_better_version_passes_and_an_equal_one_does_not():
    chance = np.random.default_rng(5)
    assert regression_test(chance.binomial(8, 0.6, size=400) / 8).verdict == "better"
    assert regression_test(chance.binomial(8, 0.48, size=800) / 8).verdict == "not better"


def test_the_likelihood_ratio_is_the_formula_in_the_book():
    scores = np.random.default_rng(6).binomial(4, 0.5, size=50) / 4
    low, high = 0.5, 1 / (1 + 10 ** (-20 / 400))
    expected = 50 * (high - low) * (2 * scores.mean() - low - high) / (2 * scores.var(ddof=1))
    assert regression_test(scores).llr == pytest.approx(expected)


def test_of_many_equal_versions_hardly_one_is_called_better_by_chance():
    chance = np.random.default_rng(9)
    wrong = 0
    for _ in range(100):
        shares = chance.binomial(8, 0.5, size=(6, 400)) / 8
        looks = range(32, 401, 16)
        wrong += any(
            next((found for n in looks if (found := regression_test(one[:n], tests=6).verdict)), None)
            == "better"
            for one in shares
        )
    assert wrong <= 10


def test_no_verdict_before_thirty_two_pairs():
    assert regression_test([0.9, 1.0] * 15).verdict is None
    assert regression_test([0.9, 1.0] * 16).verdict == "better"


def test_two_bots_that_always_draw_are_not_better():
    verdict = regression_test([0.5] * 32)
    assert (verdict.llr, verdict.verdict) == (-inf, "not better")


def test_impossible_regression_tests_are_refused():
    with pytest.raises(RatingError, match="above equal_elo"):
        regression_test([0.5], equal_elo=5, better_elo=5)
    with pytest.raises(RatingError, match="between 0 and 1"):
        regression_test([1.5])
