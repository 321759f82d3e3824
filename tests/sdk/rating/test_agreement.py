"""Other programs' maths: choix for the ratings, statsmodels for their errors."""

import random

import choix
import numpy as np
import pytest
from scipy.stats import t as student
from stichkampf.rating import ELO_PER_STRENGTH, Comparisons, Results, compare, fit_strengths, rate

BOTS = 6


@pytest.fixture(scope="module")
def comparisons() -> Comparisons:
    chance = random.Random(11)
    rows = []
    for block in range(80):
        luck = [chance.gauss() for _ in range(4)]
        playing = chance.sample(range(BOTS), 4)
        for table in range(4):
            for hand in range(4):
                bot = playing[hand ^ table]
                rows.append((block, hand, f"bot{bot}", round(3 * luck[hand] + bot / 2 + chance.gauss(), 1)))
    return compare(Results.from_rows(rows))


def test_strengths_agree_with_choix(comparisons):
    points = comparisons.half_point_matrix / 2
    expected = choix.ilsr_pairwise_dense(points, tol=1e-12)
    assert fit_strengths(points, prior=0) == pytest.approx(expected - expected.mean(), abs=1e-8)


def test_the_prior_is_one_drawn_game_against_an_average_opponent(comparisons):
    points = comparisons.half_point_matrix / 2
    with_opponent = np.zeros((BOTS + 1, BOTS + 1))
    with_opponent[:BOTS, :BOTS] = points
    with_opponent[BOTS, :BOTS] = with_opponent[:BOTS, BOTS] = 0.5
    expected = choix.ilsr_pairwise_dense(with_opponent, tol=1e-12)
    assert fit_strengths(points, prior=1) == pytest.approx(expected[:BOTS] - expected[BOTS], abs=1e-8)


def clustered_covariance(comparisons: Comparisons) -> np.ndarray:
    """Fit all strengths but the last, which is held at 0, by a binomial regression of statsmodels."""
    import statsmodels.api as sm  # takes two seconds, which only the process of these tests needs

    rows = np.zeros((len(comparisons), BOTS))
    rows[np.arange(len(rows)), comparisons.first] = 1
    rows[np.arange(len(rows)), comparisons.second] = -1
    half_points = comparisons.half_points
    outcome = np.column_stack([half_points / 2, comparisons.count - half_points / 2])
    fitted = sm.GLM(outcome, rows[:, :-1], family=sm.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": comparisons.block, "use_correction": False}, tol=1e-12
    )
    blocks = comparisons.block_count
    return fitted.cov_params() * blocks / (blocks - 1)


@pytest.mark.xdist_group("statsmodels")
@pytest.mark.parametrize("anchors", [None, ["bot0"], ["bot1", "bot3", "bot4"]])
def test_intervals_agree_with_statsmodels(comparisons, anchors):
    table = rate(comparisons, anchors=anchors, prior=0)
    covariance = np.zeros((BOTS, BOTS))
    covariance[:-1, :-1] = clustered_covariance(comparisons)
    panel = [int(anchor[-1]) for anchor in anchors or [f"bot{bot}" for bot in range(BOTS)]]
    for bot in range(BOTS):
        contrast = np.eye(BOTS)[bot]
        contrast[panel] -= 1 / len(panel)
        error = ELO_PER_STRENGTH * np.sqrt(contrast @ covariance @ contrast)
        rating = table[f"bot{bot}"]
        assert rating.plus_minus == pytest.approx(student.ppf(0.975, rating.blocks - 1) * error, abs=1e-6)


@pytest.mark.xdist_group("statsmodels")
def test_superiority_agrees_with_statsmodels(comparisons):
    table = rate(comparisons, prior=0)
    covariance = np.zeros((BOTS, BOTS))
    covariance[:-1, :-1] = clustered_covariance(comparisons)
    for place, first in enumerate(table):
        for other, second in enumerate(table):
            if place == other:
                assert np.isnan(table.superiority[place, other])
                continue
            contrast = np.eye(BOTS)[int(first.entrant[-1])] - np.eye(BOTS)[int(second.entrant[-1])]
            ratio = (first.elo - second.elo) / ELO_PER_STRENGTH / np.sqrt(contrast @ covariance @ contrast)
            freedom = min(first.blocks, second.blocks) - 1
            assert table.superiority[place, other] == pytest.approx(student.cdf(ratio, freedom), abs=1e-8)
