"""Cases whose answers are known from elsewhere."""

import random
from collections.abc import Iterable

import pytest
from stichkampf.rating import RatingTable, Results, rate


def games(first: str, second: str, won: int, lost: int, drawn: int = 0) -> list[tuple[str, int, str, int]]:
    """Games of two bots, each a block of its own with one hand."""
    rows = []
    for game, outcome in enumerate([1] * won + [0] * drawn + [-1] * lost):
        block = f"{first}-{second}-{game}"
        rows += [(block, 0, first, outcome), (block, 0, second, 0)]
    return rows


def elo_of(table: RatingTable) -> dict[str, float]:
    return {rating.entrant: round(rating.elo, 4) for rating in table}


def on_the_elo_scale(rows: Iterable[tuple], *, prior: float) -> dict[str, float]:
    return elo_of(rate(Results.from_rows(rows), centre=0, prior=prior))


def test_a_triangle_of_thirty_games_a_pair_is_rated_as_known():
    rows = games("a", "b", 22, 7, 1) + games("b", "c", 22, 7, 1) + games("a", "c", 27, 3)
    assert on_the_elo_scale(rows, prior=0) == {"a": 190.8485, "b": 0.0, "c": -190.8485}


def test_rankings_broken_into_their_pairs_are_rated_as_known():
    rows = []
    counts = {"ABC": 40, "ACB": 20, "BAC": 24, "BCA": 6, "CAB": 10, "CBA": 5}
    for order, times in counts.items():
        for time in range(times):
            rows += [(f"{order}{time}", 0, bot, -place) for place, bot in enumerate(order)]
    assert on_the_elo_scale(rows, prior=0) == {"A": 120.4120, "B": 0.0, "C": -120.4120}


def test_five_to_nil_stays_finite_with_the_prior():
    assert on_the_elo_scale(games("a", "b", 5, 0), prior=1) == {"a": 239.4009, "b": -239.4009}


@pytest.mark.parametrize("prior", [0, 1])
def test_rock_paper_scissors_are_all_equal_and_share_the_first_rank(prior):
    rows = games("rock", "scissors", 8, 2) + games("scissors", "paper", 8, 2) + games("paper", "rock", 8, 2)
    table = rate(Results.from_rows(rows), prior=prior)
    assert [rating.entrant for rating in table] == ["paper", "rock", "scissors"]
    assert [rating.elo for rating in table] == [1500.0, 1500.0, 1500.0]
    assert [(rating.rank, rating.rank_best, rating.rank_worst) for rating in table] == [(1, 1, 3)] * 3


@pytest.mark.parametrize("prior", [0, 1])
def test_shuffled_rows_give_the_same_ratings_to_the_bit(prior):
    chance = random.Random(5)
    rows = [
        (block, hand, f"bot{bot}", chance.gauss(bot / 3), f"{block}/{table}", chance.random() < 0.01)
        for block in range(60)
        for hand in range(4)
        for table, bot in enumerate(chance.sample(range(9), 4))
    ]
    once = rate(Results.from_rows(rows), prior=prior)
    for _ in range(5):
        chance.shuffle(rows)
        again = rate(Results.from_rows(rows), prior=prior)
        assert again.ratings == once.ratings
        assert again.superiority.tobytes() == once.superiority.tobytes()
