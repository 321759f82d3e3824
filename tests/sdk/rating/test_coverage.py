import numpy as np
from stichkampf.rating import Results, rate

BOTS = 8
BLOCKS = 84
SEASONS = 250
LUCK_OF_A_HAND = 1.4  # in units of the luck of play: cards are two thirds of the luck
FORFEITER = "bot2"


def test_intervals_hold_the_truth_in_93_to_97_seasons_of_a_hundred():
    chance = np.random.default_rng(2026)
    names = tuple(f"bot{number}" for number in range(BOTS))
    skill = np.linspace(-0.6, 0.6, BOTS)

    def season(blocks: int) -> Results:
        """Blocks of four bots drawn at random, each holding each hand once."""
        bots = np.argsort(chance.random((blocks, BOTS)), axis=1)[:, :4]
        block, table, hand = np.indices((blocks, 4, 4))
        who = bots[block, hand ^ table]
        cards = LUCK_OF_A_HAND * chance.normal(size=(blocks, 1, 4))
        score = np.round(4 * (skill[who] + cards + chance.normal(size=who.shape)))
        forfeit = (who == 2) & (chance.random(who.shape) < 0.15)
        return Results(
            names,
            tuple(range(blocks)),
            entrant=who.ravel(),
            block=block.ravel(),
            hand=hand.ravel(),
            score=score.ravel(),
            table=(4 * block + table).ravel(),
            forfeit=forfeit.ravel(),
        )

    truth = rate(season(30_000))
    held: dict[str, list[bool]] = {name: [] for name in names}
    for _ in range(SEASONS):
        for rating in rate(season(BLOCKS)):
            held[rating.entrant].append(abs(rating.elo - truth[rating.entrant].elo) <= rating.plus_minus)
    assert 0.93 <= np.mean(list(held.values())) <= 0.97
    assert 0.92 <= np.mean(held[FORFEITER]) <= 0.98  # one that forfeits 15 hands of a hundred
