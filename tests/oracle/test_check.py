"""The second referee accepts its own matches and notices a changed one."""

import copy
from random import Random

import pytest
from stichkampf_oracle import (
    GAMES,
    Disagreement,
    Walk,
    check,
    default_options,
    fresh_deals,
    perft,
    random_record,
)

TABLES = [(game, seats) for game, rules in GAMES.items() for seats in rules.SEATS]


def short_match(game, seats, seed=1):
    options = default_options(game, seats)
    if "length" in options:
        options["length"] = "deals:2"
    return random_record(game, seats, options, Random(seed))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_random_match_is_accepted(game, seats):
    check(short_match(game, seats))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_every_deal_needs_its_last_move_and_allows_no_more(game, seats):
    record = short_match(game, seats)
    moves = record["deals"][0]["moves"]
    moves.append(moves[-1])
    with pytest.raises(Disagreement, match="over before this move"):
        check(record)
    del moves[-2:]
    with pytest.raises(Disagreement, match="cut short") as difference:
        check(record)
    assert (difference.value.deal, difference.value.move) == (0, len(moves))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_wrong_figures_are_named(game, seats):
    record = short_match(game, seats)
    for change in (
        lambda it: it["deals"][-1]["scores"].__setitem__(0, 99),
        lambda it: it["scores"].__setitem__(0, it["scores"][0] + 1),
        lambda it: it["ranks"].__setitem__(0, it["ranks"][0] + 1),
        lambda it: it["deals"][1].__setitem__("dealer", it["deals"][0]["dealer"]),
        lambda it: it["deals"].pop(),
        lambda it: it["options"].popitem(),
    ):
        altered = copy.deepcopy(record)
        change(altered)
        with pytest.raises(Disagreement):
            check(altered)


def test_simultaneous_choices_are_written_from_the_dealers_left():
    options = default_options("sticheln", 4) | {"length": "deals:1"}
    deal = {**next(fresh_deals("sticheln", 4, options, Random(1))), "dealer": 2}
    walk = Walk("sticheln", 4, options, [deal])
    for seat in (1, 0, 2, 3):
        walk.play(seat, walk.legal(seat)[0])
    assert [seat for seat, _ in walk.moves] == [3, 0, 1, 2]


def test_perft_counts_the_openings_of_a_sticheln_deal():
    options = default_options("sticheln", 3)
    walk = Walk("sticheln", 3, options, fresh_deals("sticheln", 3, options, Random(1)))
    assert perft(walk, 2) == 15 * 15
