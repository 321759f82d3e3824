"""The paired difference in simulated seasons, where the true one is known.

Who does better with the same hand follows the model of the ratings: the strength of each, and a Gumbel
variate for what chance makes of the hand. What chance makes of the hands of a player in a block, of a hand
with either version, and of an opponent in both plays is correlated, as it is with real cards.
"""

import os

import numpy as np
import pytest
from scipy.special import ndtr
from stichkampf.rating import ELO_PER_STRENGTH, Results, rate
from stichkampf_platform.experiments.verdicts import paired

SEASONS = int(os.environ.get("STICHKAMPF_SEASONS", "60"))
BLOCKS = 60
OLD, NEW = 100, 101
STRENGTHS = {1: -0.8, 2: -0.4, 3: 0.0, 4: 0.2, 5: 0.5, 6: 0.9, OLD: 0.1, NEW: 0.35}
SEATS = 4
OF_A_PLAYER, OF_VERSIONS, OF_AN_OPPONENT = 0.3, 0.5, 0.8
"""The correlations of a player's hands, of two versions with a hand, and of an opponent in the two plays."""


def mixed(random, luck, share):
    return np.sqrt(share) * luck + np.sqrt(1 - share) * random.standard_normal(luck.shape)


def rows(label, players, luck, hands=SEATS):
    """The rows of a block; everybody holds every hand once."""
    gumbel = -np.log(-np.log(ndtr(luck)))
    return [
        (label, hand, who, STRENGTHS[who] + gumbel[at, hand], (label, (at - hand) % SEATS), False)
        for at, who in enumerate(players)
        for hand in range(hands)
    ]


def season(random):
    """The past blocks of the old version, the same ones with the new version, and as many fresh ones."""
    before, again, fresh = [], [], []
    for block in range(BLOCKS):
        for label, own, played in ((block, OLD, before), (BLOCKS + block, NEW, fresh)):
            opponents = random.choice(6, SEATS - 1, replace=False) + 1
            player = random.standard_normal((SEATS, 1)).repeat(SEATS, axis=1)
            luck = mixed(random, player, OF_A_PLAYER)
            played += rows(label, [own, *opponents], luck)
            if own == OLD:
                shares = np.array([[OF_VERSIONS], *[[OF_AN_OPPONENT]] * (SEATS - 1)])
                again += rows(block, [NEW, *opponents], mixed(random, luck, shares))
    return before, again, fresh


@pytest.mark.slow
def test_the_interval_holds_the_truth_and_is_narrower_than_that_of_fresh_blocks():
    random = np.random.default_rng(20261122)
    truth = ELO_PER_STRENGTH * (STRENGTHS[NEW] - STRENGTHS[OLD])
    held, widths, fresh_widths, errors = 0, [], [], []
    for _ in range(SEASONS):
        before, again, fresh = season(random)
        _, elo = paired(again, before, NEW, OLD, game="sticheln")
        held += elo.low <= truth <= elo.high
        errors.append(elo.estimate - truth)
        widths.append(elo.high - elo.low)
        apart = rate(Results.from_rows(before + fresh)).difference(NEW, OLD)
        fresh_widths.append(2 * apart.plus_minus)
    share = held / SEASONS
    allowed = 2.6 * np.sqrt(0.95 * 0.05 / SEASONS)
    print(f"{SEASONS} seasons: {share:.1%} hold the truth, bias {np.mean(errors):+.1f} Elo,"
          f" width {np.mean(widths):.0f} against {np.mean(fresh_widths):.0f} of fresh blocks")  # fmt: skip
    assert 0.93 - allowed / 2 <= share <= 0.97 + allowed / 2
    assert np.mean(widths) < 0.9 * np.mean(fresh_widths)


def test_two_plays_of_one_block_are_never_compared_with_each_other():
    players = [OLD, 1, 2, 3]
    luck = np.random.default_rng(1).standard_normal((SEATS, SEATS))
    before = rows(0, players, luck) + rows(1, players, -luck)
    same = [(block, hand, NEW if who == OLD else who, *rest) for block, hand, who, *rest in before]
    points, elo = paired(same, before, NEW, OLD, game="sticheln")
    assert points == (0, None, None)
    assert abs(elo.estimate) < 1e-6
    assert (elo.low, elo.high) == (None, None)
