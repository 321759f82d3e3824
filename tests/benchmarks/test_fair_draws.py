"""The simulation in a small form: rests neither reward nor punish, draws are no worse than greedy ones."""

import importlib.util
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "fair_draws.py"


@pytest.fixture
def fair_draws(monkeypatch):
    specification = importlib.util.spec_from_file_location("fair_draws", FILE)
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "fair_draws", module)
    specification.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_those_that_rested_stand_where_the_others_stand(fair_draws):
    places = fair_draws.rests(5, 4, 3, 5, tournaments=600)
    assert places.tournaments > 500
    assert abs(places.difference) < 4 * places.error
    assert places.error < 0.02


def test_a_reward_for_a_rest_would_show(fair_draws, monkeypatch):
    ranking = sys.modules["stichkampf_platform.tournaments.formats.ranking"]
    means = ranking.mean_shares

    def rewarded(past):
        return {
            who: share + 0.2 * (len(past.rounds) > _played(past, who)) for who, share in means(past).items()
        }

    monkeypatch.setattr(ranking, "mean_shares", rewarded)
    places = fair_draws.rests(5, 4, 3, 5, tournaments=100)
    assert places.difference < -5 * places.error


def _played(past, who):
    return sum(who in shares for shares in map(past.shares, range(len(past.rounds))))


@pytest.mark.slow
@pytest.mark.parametrize(("entrants", "size"), [(17, 2), (24, 3), (40, 4)])
def test_no_round_has_fewer_groups_or_more_pairs_that_meet_again_than_a_greedy_one(
    fair_draws, entrants, size
):
    drawn = fair_draws.draws(entrants, size, fields=3)
    assert drawn.groups >= drawn.groups_before
    assert drawn.worse == 0
    assert drawn.again <= drawn.again_before
    assert 0 < drawn.longest < 10
