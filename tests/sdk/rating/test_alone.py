"""The rating of one player by what others, whose strengths are known, made of the same hands."""

from __future__ import annotations

import numpy as np
import pytest
from stichkampf.rating.errors import RatingError
from stichkampf.rating.table import AVERAGE_ELO, ELO_PER_STRENGTH, rate_alone

KNOWN = {"flat": 1250.0, "gentle": 1400.0, "even": 1500.0, "bold": 1560.0, "strong": 1700.0}


def played(elo, matches, chance):
    """Draw matches in which the player's luck is shared by all comparisons."""
    strengths = np.array(list(KNOWN.values())) / ELO_PER_STRENGTH
    mine = elo / ELO_PER_STRENGTH + chance.gumbel(size=(matches, 1))
    more = mine > strengths + chance.gumbel(size=(matches, len(KNOWN)))
    return [dict(zip(KNOWN, map(float, row), strict=True)) for row in more]


@pytest.mark.parametrize("elo", [1300, 1500, 1750])
@pytest.mark.parametrize("matches", [6, 40])
def test_the_interval_holds_the_true_strength_as_often_as_it_says(elo, matches):
    chance = np.random.default_rng(elo + matches)
    found = [rate_alone(played(elo, matches, chance), KNOWN) for _ in range(200)]
    held = np.mean([abs(rating.elo - elo) <= rating.plus_minus for rating in found])
    assert held >= 0.91


def test_the_strength_is_found_where_there_are_many_matches():
    rating = rate_alone(played(1600, 4000, np.random.default_rng(7)), KNOWN)
    assert abs(rating.elo - 1600) < rating.plus_minus < 12


def test_who_lost_everything_is_not_known_well():
    rating = rate_alone([dict.fromkeys(KNOWN, 0.0)] * 20, KNOWN)
    assert rating.elo < min(KNOWN.values())
    assert rating.plus_minus > 200


def test_one_match_has_no_interval_and_few_are_provisional():
    one = rate_alone([{"even": 1.0}], KNOWN)
    assert (one.plus_minus, one.matches, one.comparisons, one.provisional) == (None, 1, 1, True)
    assert one.elo > AVERAGE_ELO
    assert not rate_alone([{"even": 0.5}] * 20, KNOWN).provisional


@pytest.mark.parametrize(
    ("matches", "told"),
    [([], "no match"), ([{}], "no match"), ([{"god": 1.0}], "strength of god is not known")],
)
def test_a_rating_needs_matches_with_known_others(matches, told):
    with pytest.raises(RatingError, match=told):
        rate_alone(matches, KNOWN)
