"""Fields with and without a pair that helps itself, played by a simple model of a card game."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stichkampf.rating import CollusionEvidence, Results, collusion_evidence
from support import examples

pytestmark = pytest.mark.slow

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


def searched(results: Results, **chosen) -> tuple[CollusionEvidence, ...]:
    """Return the evidence about pairs that can be measured."""
    return tuple(gift for gift in collusion_evidence(results, **chosen) if gift.state != "not measurable")


def found(results: Results, **chosen) -> set[tuple[str, str, str]]:
    return {
        (gift.giver, gift.taker, gift.way)
        for gift in collusion_evidence(results, **chosen)
        if gift.is_reported
    }


def by_pair(results: Results) -> dict[tuple[str, str, str], CollusionEvidence]:
    return {(gift.giver, gift.taker, gift.way): gift for gift in searched(results)}


def test_a_planted_pair_is_found_and_no_other():
    for seed in range(5):
        everything = found(field(seed, blocks=600, helped=1.2, paid=1.2))
        assert ("bot02", "bot09", "help") in everything
        assert {gift[:2] for gift in everything} == {("bot02", "bot09")}


def test_a_great_gift_in_a_small_field_casts_no_shadow_on_the_others():
    for seed in range(5):
        everything = found(field(seed, bots=10, blocks=1400, seats=3, helped=4, paid=4))
        assert {gift[:2] for gift in everything} == {("bot02", "bot09")}


def test_a_bot_that_only_loses_to_one_other_is_found_as_thrown():
    assert found(field(1, blocks=1500, paid=2.5)) == {("bot02", "bot09", "thrown")}


def test_a_bot_that_plays_loosely_against_all_is_not_accused():
    assert found(field(3, loose=1.2)) == set()


@pytest.mark.parametrize(("bots", "blocks", "spread"), [(8, 100, 0.6), (24, 500, 1.5), (40, 600, 2.5)])
def test_in_honest_fields_all_intervals_hold_zero_in_95_of_a_hundred(bots, blocks, spread):
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
    assert everything["bot02", "bot09", "help"].is_reported
    together = everything["bot02", "bot09", "help"].together
    compared = everything["bot02", "bot09", "thrown"].together
    # of ten bots eight play a block: 3 of the 7 others at the own table, 1 of them on the same hand
    assert 2.2 < together / compared < 3.8


def test_at_two_seats_there_is_no_third_party_and_no_help():
    assert {gift.way for gift in searched(field(1, bots=4, seats=2, blocks=200))} == {"thrown"}


def test_pairs_that_met_too_seldom_are_not_judged():
    assert searched(field(1, bots=12, blocks=20)) == ()
    assert all(gift.together >= 10 for gift in searched(field(1, bots=12, blocks=120)))


def test_points_thrown_one_way_are_minus_those_thrown_the_other_way():
    thrown = {(g.giver, g.taker): g for g in searched(field(4)) if g.way == "thrown"}
    for (giver, taker), gift in thrown.items():
        back = thrown[taker, giver]
        assert gift.points == pytest.approx(-back.points)
        assert (gift.low, gift.high) == pytest.approx((-back.high, -back.low))
    assert len(thrown) == 12 * 11


def test_the_best_proved_comes_first():
    everything = searched(field(0, blocks=600, helped=1.2, paid=1.2))
    proved = [gift.is_reported for gift in everything]
    assert proved == sorted(proved, reverse=True)
    assert sum(proved) in (1, 2)


@settings(max_examples=examples(40))
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
        assert other.together == gift.together
        assert gift.low <= gift.points <= gift.high


def test_results_without_repeated_comparisons_give_no_evidence():
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
    pairs = {(giver, taker) for giver, taker, _ in found(Results.from_rows(rows))}
    assert len(pairs) == 1
    assert pairs < {(loser, winner) for winner, loser in wins.values()}


def test_a_pair_that_always_meets_is_not_measurable_and_said_to_be_so():
    everything = collusion_evidence(field(1, bots=4, blocks=40))
    helps = [gift for gift in everything if gift.way == "help"]
    assert len(helps) == 12
    for gift in helps:
        assert (gift.state, gift.together, gift.apart) == ("not measurable", 40, 0)
        assert (gift.points, gift.low, gift.high) == (None, None, None)


def test_only_suspects_are_named_among_pairs_that_met_too_seldom():
    suspects = [frozenset({"bot02", "bot09"})]
    named = collusion_evidence(field(1, bots=12, blocks=20), suspects=suspects)
    assert {gift.pair for gift in named} == set(suspects)
    assert {gift.state for gift in named} == {"not measurable"}


def test_a_suspected_pair_is_reported_sooner():
    suspects = [frozenset({"bot02", "bot09"}), frozenset({"bot00", "bot01"})]
    sooner = 0
    for seed in range(6):
        results = field(seed, blocks=300, helped=1.0)
        plain, suspected = found(results), found(results, suspects=suspects)
        assert plain <= suspected
        sooner += len(suspected) > len(plain)
    assert sooner >= 2


def test_suspects_get_most_of_the_chance_of_error_and_none_is_spent_twice():
    results = field(0)
    width = {
        number: {
            (g.giver, g.taker): g.high - g.low
            for g in searched(
                results, suspects=[frozenset({"bot00", f"bot{k:02}"}) for k in range(1, 1 + number)]
            )
            if g.way == "help"
        }
        for number in (0, 1, 5)
    }
    suspected, other = ("bot01", "bot00"), ("bot07", "bot06")
    assert width[1][suspected] < width[5][suspected] < width[0][suspected]
    assert width[0][other] < width[1][other]


def test_suspects_that_did_not_play_or_are_not_asked_about_change_nothing():
    results = field(0, blocks=120)
    strangers = [frozenset({"bot00", "stranger"}), frozenset({"somebody", "else"})]
    assert collusion_evidence(results, suspects=strangers) == collusion_evidence(results)
    known = {"bot00", "bot01", "bot02"}
    asked = collusion_evidence(results, asked=known, suspects=[frozenset({"bot02", "bot09"})])
    assert {name for gift in asked for name in gift.pair} <= known
    assert asked == collusion_evidence(results, asked=known)


def test_the_fewer_are_asked_about_the_narrower_the_intervals():
    results, pair = field(0), ("bot01", "bot00", "help")
    everybody = by_pair(results)[pair]
    (few,) = (
        g for g in collusion_evidence(results, asked={"bot00", "bot01"}) if (g.giver, g.taker, g.way) == pair
    )
    assert few.points == everybody.points
    assert few.high - few.low < everybody.high - everybody.low


def test_a_giver_whose_style_suits_several_is_not_accused():
    results = field(2, blocks=900, helped=1.0)
    assert ("bot02", "bot09", "help") in found(results)
    also = field_with_friends(2, friends=(8, 9, 10), blocks=900, helped=1.0)
    assert found(also) == set()
    style = by_pair(also)["bot02", "bot09", "help"].style
    assert 0.03 < style <= 0.1


def test_a_great_gift_to_two_is_reported_all_the_same():
    pairs = {
        (giver, taker)
        for giver, taker, _ in found(field_with_friends(3, friends=(8, 9), blocks=900, helped=3.0))
    }
    assert ("bot02", "bot08") in pairs
    assert ("bot02", "bot09") in pairs


def test_a_bot_that_forfeits_beside_one_other_more_often_than_elsewhere_is_reported():
    results = field(4, bots=8)
    who = results.entrant.reshape(-1, 4)
    beside = ((who == 2).any(axis=1) & (who == 5).any(axis=1)).repeat(4)
    chance = np.random.default_rng(5)
    forfeit = (results.entrant == 2) & (chance.random(len(results)) < np.where(beside, 0.3, 0.02))
    assert ("bot02", "bot05", "forfeit") in found(replace(results, forfeit=forfeit))
    alike = (results.entrant == 2) & (chance.random(len(results)) < 0.1)
    measured = [gift for gift in searched(replace(results, forfeit=alike)) if gift.way == "forfeit"]
    assert {gift.giver for gift in measured} == {"bot02"}
    assert len(measured) == 7
    assert not any(gift.is_reported for gift in measured)


@pytest.mark.parametrize("fields", [10, pytest.param(40, marks=pytest.mark.nightly)])
def test_looking_after_every_tenth_block_accuses_hardly_anybody_in_honest_fields(fields):
    accused = sum(
        any(found(first_blocks(results, blocks)) for blocks in range(20, 301, 10))
        for results in (field(seed, bots=6) for seed in range(fields))
    )
    assert accused <= 0.05 * fields + 3 * (fields * 0.05 * 0.95) ** 0.5


def field_with_friends(seed: int, *, friends: tuple[int, ...], blocks: int, helped: float) -> Results:
    """A field in which bot 2 helps several alike."""
    plain = field(seed, blocks=blocks)
    seats = 4
    who = plain.entrant.reshape(blocks, seats, seats)
    there = (who == 2).any(axis=2, keepdims=True)
    score = plain.score.reshape(who.shape) + 4 * helped * (np.isin(who, friends) & there)
    return replace(plain, score=np.round(score).ravel())


def first_blocks(results: Results, blocks: int) -> Results:
    kept = results.block < blocks
    columns = ("entrant", "block", "hand", "score", "table", "forfeit")
    return replace(
        results,
        blocks=results.blocks[:blocks],
        **{name: getattr(results, name)[kept] for name in columns},
    )
