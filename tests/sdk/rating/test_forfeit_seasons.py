"""The simulation of bots that fail on purpose, in a small form."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[3] / "benchmarks" / "forfeits"
SEED = [7, 1]
SITE = "another bot with that group"


@pytest.fixture(scope="module")
def benchmark():
    """The modules of the benchmark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        yield import_module("failing"), import_module("rules"), import_module("competitions")


@pytest.fixture(scope="module")
def mean_and_error(benchmark):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        return import_module("differences").mean_and_error


def gained(benchmark, rule, failure, seasons=6, stronger_by=0.0):
    """Return by bot how many Elo the others of a ladder gain on average by one that fails."""
    failing, rules, competitions = benchmark
    cast = competitions.cast_of(competitions.LADDER_BOTS, stronger_by)
    fails, by = failing.FAILURES[failure], rules.RULES[rule]
    pairs = [
        [competitions.ladder_season(cast, by, one, [*SEED, number]).elo for one in (fails, None)]
        for number in range(seasons)
    ]
    elo = np.array([after - before for after, before in pairs]).mean(axis=0)
    return cast, elo


def test_no_other_of_a_ladder_moves_by_a_bot_that_fails_on_purpose(benchmark):
    for failure in ("always", "only in the second half"):  # it forfeits everything
        _, elo = gained(benchmark, SITE, failure, seasons=1)
        assert np.nanmax(np.abs(elo)) < 1e-6, failure
    for failure in ("with its last cards, where it is ahead beside its friend", "only beside a named rival"):
        cast, elo = gained(benchmark, SITE, failure)
        assert np.nanmax(np.abs(elo[[cast.friends[0], cast.rival]])) < 3, failure


def test_a_strong_bot_that_fails_beside_a_rival_moves_it_no_more(benchmark):
    cast, elo = gained(benchmark, "stands", "only beside a named rival", stronger_by=100.0)
    assert elo[cast.rival] > 4, "as it would, were the bot one and the same everywhere"
    cast, elo = gained(benchmark, SITE, "only beside a named rival", stronger_by=100.0)
    assert abs(elo[cast.rival]) < 3


def test_the_same_failures_move_others_where_their_results_are_void_or_counted_apart(benchmark):
    cast, elo = gained(benchmark, "void at that table", "only when its friend is behind")
    assert elo[cast.friends[0]] > 15
    cast, elo = gained(
        benchmark, "another bot on that hand", "with its last cards, where it is ahead beside its friend"
    )
    assert elo[cast.friends[0]] > 1


@pytest.mark.parametrize("name", ["round-robin", "swiss", "knock-out", "gauntlet", "regression"])
def test_no_other_of_a_tournament_moves(benchmark, name):
    failing, _, competitions = benchmark
    cast = competitions.cast_of(competitions.FORMATS[name]["entrants"])
    before = competitions.tournament(name, cast, None, SEED)
    for failure in ("always", "at random"):
        after = competitions.tournament(name, cast, failing.FAILURES[failure], SEED)
        if failure == "always":
            np.testing.assert_allclose(after.elo, before.elo, atol=1e-6)
        if failure == "always" or name in ("swiss", "knock-out"):
            np.testing.assert_array_equal(after.place, before.place)


def test_intervals_without_more_of_the_control_are_those_of_the_mean(mean_and_error):
    own = np.array([[1.0, 4.0], [2.0, 4.0], [6.0, 4.0]])
    for control in (own, own[:, ::-1], np.zeros((3, 2))):
        mean, error = mean_and_error(own, control)
        np.testing.assert_allclose(mean, [3.0, 4.0])
        np.testing.assert_allclose(error, [1.96 * own[:, 0].std() / np.sqrt(3), 0.0])


def test_a_control_of_which_all_follows_has_the_mean_and_the_interval_of_all_its_seasons(mean_and_error):
    control = np.random.default_rng(1).normal(size=(400, 1))
    mean, error = mean_and_error(1 - 2 * control[:10], control)
    np.testing.assert_allclose(mean, 1 - 2 * control.mean(axis=0))
    np.testing.assert_allclose(error, 2 * 1.96 * control.std(axis=0) / np.sqrt(400))


@pytest.mark.parametrize("slope", [-1.5, 0.0, 0.8])
def test_nineteen_of_twenty_intervals_hold_the_truth(mean_and_error, slope):
    chance = np.random.default_rng(7)
    # many columns are many experiments at once, each with its own seasons
    control = chance.normal(size=(900, 4000))
    own = 0.3 + slope * control[:100] + chance.normal(size=(100, 4000))
    mean, error = mean_and_error(own, control)
    assert np.mean(np.abs(mean - 0.3) <= error) == pytest.approx(0.95, abs=0.015)
    assert error.mean() <= 1.05 * 1.96 * np.sqrt(1 / 100 + slope**2 / 900)


@pytest.mark.parametrize(("by", "within"), [(1.0, True), (4.0, False)])
def test_a_stronger_bot_is_judged_by_what_its_failing_adds(benchmark, by, within):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        differences = import_module("differences")
    chance = np.random.default_rng(3)
    honest = 9 + chance.normal(size=(40, 8))
    asked = ("knock-out", SITE, "at random", 100.0, 40)
    none = np.zeros(8)
    seasons = [differences.Difference(one + by, none, one, none) for one in honest]
    found = differences.moved([asked], [seasons])[asked]
    assert found.is_within is within
    assert found.elo.min() > 9
