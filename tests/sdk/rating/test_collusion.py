"""Fields with and without a pair that helps itself, played by a simple model of a card game."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stichkampf.rating import Gift, Results, gifts

LUCK_OF_A_HAND = 1.4  # in units of the luck of play: cards are two thirds of the luck


def field(
    seed: int,
    *,
    bots: int = 12,
    blocks: int = 300,
    spread: float = 0.8,
    seats: int = 4,
    helped: float = 0.0,
    paid: float = 0.0,
    loose: float = 0.0,
    twice: bool = False,
) -> Results:
    """Base blocks of bots drawn at random; bot 2 is the giver, bot 9 the taker.

    :param helped: what the taker scores more at tables where the giver sits.
    :param paid: what the giver scores less there.
    :param loose: what everybody scores more at tables where the giver sits.
    :param twice: a deal is played once at each of two full tables, as with remote bots.
    """
    chance = np.random.default_rng(seed)
    drawn = np.argsort(chance.random((blocks, bots)), axis=1)
    if twice:
        who = drawn[:, : 2 * seats].reshape(blocks, 2, seats)
    else:
        block, table, hand = np.indices((blocks, seats, seats))
        who = drawn[block, hand ^ table]
    skill = np.linspace(-spread, spread, bots)
    cards = LUCK_OF_A_HAND * chance.normal(size=(blocks, 1, seats))
    score = skill[who] + cards + chance.normal(size=who.shape)
    giver, taker = (who == 2).any(axis=2, keepdims=True), (who == 9).any(axis=2, keepdims=True)
    score += helped * ((who == 9) & giver) - paid * ((who == 2) & taker) + loose * ((who != 2) & giver)
    block, table, hand = np.indices(who.shape)
    return Results(
        tuple(f"bot{number:02}" for number in range(bots)),
        tuple(range(blocks)),
        entrant=who.ravel(),
        block=block.ravel(),
        hand=hand.ravel(),
        score=np.round(4 * score).ravel(),
        table=(block * who.shape[1] + table).ravel(),
        forfeit=np.zeros(who.size, dtype=np.bool_),
    )


def searched(results: Results) -> tuple[Gift, ...]:
    return gifts(results)


def found(results: Results) -> set[tuple[str, str, str]]:
    return {(gift.giver, gift.taker, gift.way) for gift in searched(results) if gift.is_found}


def by_pair(results: Results) -> dict[tuple[str, str, str], Gift]:
    return {(gift.giver, gift.taker, gift.way): gift for gift in searched(results)}


def test_a_planted_pair_is_found_and_nobody_else():
    for seed in range(5):
        everything = found(field(seed, helped=1.2, paid=1.2))
        assert ("bot02", "bot09", "help") in everything
        assert {gift[:2] for gift in everything} == {("bot02", "bot09")}


def test_a_great_gift_in_a_small_field_casts_no_shadow_on_the_others():
    for seed in range(5):
        everything = found(field(seed, bots=10, blocks=700, seats=3, helped=4, paid=4))
        assert {gift[:2] for gift in everything} == {("bot02", "bot09")}


def test_a_bot_that_only_loses_to_one_other_is_found_as_thrown():
    assert found(field(1, blocks=600, paid=1.5)) == {("bot02", "bot09", "thrown")}


def test_a_bot_that_plays_loosely_for_everybody_helps_nobody_in_particular():
    assert found(field(3, loose=1.2)) == set()


@pytest.mark.parametrize(("bots", "blocks", "spread"), [(8, 100, 0.6), (24, 500, 1.5), (40, 600, 2.5)])
def test_in_honest_fields_all_intervals_hold_nought_together_in_95_of_a_hundred(bots, blocks, spread):
    fields = 40 if bots > 8 else 120
    accused = 0
    for seed in range(fields):
        everything = searched(field(seed, bots=bots, blocks=blocks, spread=spread))
        assert everything
        accused += any(gift.low > 0 or gift.high < 0 for gift in everything)
    # three standard errors above one field in twenty
    assert accused <= 0.05 * fields + 3 * (fields * 0.05 * 0.95) ** 0.5


def test_the_intervals_hold_what_was_planted():
    planted = "bot02", "bot09", "help"
    truth = by_pair(field(8, blocks=6000, helped=1.0))[planted].points
    assert truth > 0.2
    for seed in range(10):
        gift = by_pair(field(seed, helped=1.0))[planted]
        assert gift.low < truth < gift.high


def test_help_counts_at_the_own_table_and_not_at_another_of_the_block():
    everything = by_pair(field(5, bots=10, blocks=900, helped=1.5, twice=True))
    assert everything["bot02", "bot09", "help"].is_found
    together = everything["bot02", "bot09", "help"].blocks
    compared = everything["bot02", "bot09", "thrown"].blocks
    # of ten bots eight play a block: 3 of the 7 others at the own table, 1 of them on the same hand
    assert 2.2 < together / compared < 3.8


def test_at_two_seats_there_is_no_third_party_and_no_help():
    assert {gift.way for gift in searched(field(1, bots=4, seats=2, blocks=200))} == {"thrown"}


def test_pairs_that_met_too_seldom_are_not_judged():
    assert searched(field(1, bots=12, blocks=20)) == ()
    assert all(gift.blocks >= 10 for gift in searched(field(1, bots=12, blocks=120)))


def test_what_one_throws_to_the_other_is_the_opposite_of_the_reverse():
    thrown = {(g.giver, g.taker): g for g in searched(field(4)) if g.way == "thrown"}
    for (giver, taker), gift in thrown.items():
        back = thrown[taker, giver]
        assert gift.points == pytest.approx(-back.points)
        assert (gift.low, gift.high) == pytest.approx((-back.high, -back.low))
    assert len(thrown) == 12 * 11


def test_the_best_proved_comes_first():
    everything = searched(field(0, helped=1.2, paid=1.2))
    proved = [gift.is_found for gift in everything]
    assert proved == sorted(proved, reverse=True)
    assert sum(proved) in (1, 2)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_neither_names_nor_the_order_of_rows_change_a_gift(seed, tables_told_apart):
    chance = random.Random(seed)
    rows = [
        (block, hand, f"bot{bot}", chance.gauss(), f"{block}/{table}" if tables_told_apart else block, False)
        for block in range(24)
        for playing in [chance.sample(range(5), 3)]
        for table in range(3)
        for hand, bot in enumerate(playing[table:] + playing[:table])
    ]
    straight = by_pair(Results.from_rows(rows))
    other_name = {f"bot{bot}": f"{9 - bot}" for bot in range(5)}
    chance.shuffle(rows)
    renamed = [(block, hand, other_name[bot], *rest) for block, hand, bot, *rest in rows]
    turned = by_pair(Results.from_rows(renamed))
    assert len(turned) == len(straight)
    for (giver, taker, way), gift in straight.items():
        other = turned[other_name[giver], other_name[taker], way]
        assert (other.points, other.low, other.high) == pytest.approx((gift.points, gift.low, gift.high))
        assert other.blocks == gift.blocks
        assert gift.low <= gift.points <= gift.high


def test_nothing_is_asked_of_no_comparisons_that_repeat():
    rows = [(block, hand, f"bot{(hand + block) % 3}", 1) for block in range(3) for hand in range(3)]
    rows += [(block, hand, f"bot{(hand + block + 1) % 3}", 1) for block in range(3) for hand in range(3)]
    assert searched(Results.from_rows(rows)) == ()


def test_when_a_pair_met_in_all_blocks_nothing_is_left_to_search():
    wins = {0: ("rock", "scissors"), 1: ("paper", "rock"), 2: ("scissors", "paper")}
    rows = [
        (block, hand, bot, score, f"{block}/{hand}", False)
        for block in range(60)
        for hand, pair in wins.items()
        for bot, score in zip(pair, (1, 0), strict=True)
    ]
    found = {(gift.giver, gift.taker) for gift in searched(Results.from_rows(rows)) if gift.is_found}
    assert len(found) == 1
    assert found < {(loser, winner) for winner, loser in wins.values()}
