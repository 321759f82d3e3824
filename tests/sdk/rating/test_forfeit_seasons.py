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
