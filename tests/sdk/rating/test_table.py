import random

import numpy as np
import pytest
from stichkampf.rating import RatingError, Results, mean_of_errors, overall, rate, standard_error_of
from stichkampf.rating.table import RatingDifference


def season(blocks: int, skills: dict[str, float], seed: int = 1, luck: float = 2.0) -> list[tuple]:
    """Draw four bots for each block of four tables; the holders of a hand share its luck."""
    chance = random.Random(seed)
    rows = []
    for block in range(blocks):
        hands = [chance.gauss(0, luck) for _ in range(4)]
        bots = chance.sample(sorted(skills), 4)
        for table in range(4):
            for hand in range(4):
                bot = bots[hand ^ table]
                rows.append((block, hand, bot, hands[hand] + skills[bot] + chance.gauss()))
    return rows


SKILLS = {"ann": 1.5, "bob": 0.5, "cid": 0.0, "dot": 0.0, "eve": -1.5}


def test_ranks_follow_elo_and_ranges_hold_them():
    table = rate(Results.from_rows(season(100, SKILLS)))
    assert [rating.rank for rating in table] == [1, 2, 3, 4, 5]
    assert [rating.elo for rating in table] == sorted((rating.elo for rating in table), reverse=True)
    assert table["ann"].rank_worst == 1
    assert table["eve"].rank_best == 5
    assert (table["cid"].rank_best, table["cid"].rank_worst) == (3, 4)
    assert (table["dot"].rank_best, table["dot"].rank_worst) == (3, 4)


def test_likelihoods_of_superiority_of_a_pair_add_up_to_one():
    superiority = rate(Results.from_rows(season(30, SKILLS))).superiority
    off_diagonal = ~np.eye(5, dtype=bool)
    assert (superiority + superiority.T)[off_diagonal] == pytest.approx(1)
    assert superiority[0, 4] > 0.99


def test_anchors_average_1500_and_leave_differences_as_they_are():
    rows = Results.from_rows(season(50, SKILLS))
    free, anchored = rate(rows), rate(rows, anchors=["bob", "cid", "eve"])
    assert np.mean([anchored[bot].elo for bot in ("bob", "cid", "eve")]) == pytest.approx(1500)
    shift = anchored["ann"].elo - free["ann"].elo
    assert all(anchored[bot].elo - free[bot].elo == pytest.approx(shift) for bot in SKILLS)


def test_a_lone_anchor_is_certain():
    assert rate(Results.from_rows(season(50, SKILLS)), anchors=["cid"])["cid"].plus_minus == pytest.approx(
        0, abs=1e-6
    )


@pytest.mark.parametrize(
    ("anchors", "words"), [(["zoe"], "anchor zoe"), ([], "one or more"), (["ann", "ann"], "once")]
)
def test_impossible_anchors_are_refused(anchors, words):
    with pytest.raises(RatingError, match=words):
        rate(Results.from_rows(season(5, SKILLS)), anchors=anchors)


def test_one_block_tells_nothing_about_luck():
    table = rate(Results.from_rows([("b", 0, "ann", 1), ("b", 0, "bob", 0)]))
    assert [(rating.plus_minus, rating.rank_best, rating.rank_worst) for rating in table] == [
        (None, 1, 2)
    ] * 2
    assert np.isnan(table.superiority).all()


def test_blocks_that_all_ended_level_give_no_interval_however_many():
    rows = [(block, hand, who, 7) for block in range(30) for hand in (0, 1) for who in ("ann", "bob")]
    assert rate(Results.from_rows(rows)).difference("ann", "bob") == RatingDifference(0.0, None, 0.5)
    rows[0] = (0, 0, "ann", 8)
    difference = rate(Results.from_rows(rows)).difference("ann", "bob")
    assert difference.elo - difference.plus_minus < 0 < difference.elo


def test_a_bot_with_one_block_among_others_with_more_has_no_interval():
    rows = [*season(20, SKILLS), ("last", 0, "ann", 1), ("last", 0, "zoe", 2)]
    table = rate(Results.from_rows(rows))
    assert table["zoe"].plus_minus is None
    assert (table["zoe"].rank_best, table["zoe"].rank_worst) == (1, 6)
    assert table["ann"].plus_minus is not None


def test_provisional_are_few_blocks_however_wide_the_interval():
    assert all(rating.provisional for rating in rate(Results.from_rows(season(10, SKILLS))))
    table = rate(Results.from_rows(season(40, SKILLS)))
    assert any(rating.plus_minus > 50 for rating in table)
    assert not any(rating.provisional for rating in table)


def test_ranks_among_some_count_only_those():
    table = rate(Results.from_rows(season(100, SKILLS)))
    chosen = table.among(["bob", "eve"])
    assert [(rating.entrant, rating.rank, rating.rank_best, rating.rank_worst) for rating in chosen] == [
        ("bob", 1, 1, 1),
        ("eve", 2, 2, 2),
    ]
    assert chosen[0].elo == table["bob"].elo


def test_a_bot_without_any_comparison_is_listed_as_average():
    rows = [*season(10, SKILLS), ("lonely", 0, "zoe", 5)]
    rating = rate(Results.from_rows(rows))["zoe"]
    assert (rating.blocks, rating.comparisons, rating.plus_minus, rating.provisional) == (0, 0, None, True)


def test_without_a_prior_sets_that_never_met_are_named():
    rows = [("x", 0, "ann", 1), ("x", 0, "bob", 1), ("y", 0, "cid", 1), ("y", 0, "dot", 1)]
    with pytest.raises(RatingError, match=r"never compared.*: ann, bob; cid, dot"):
        rate(Results.from_rows(rows), prior=0)
    assert len(rate(Results.from_rows(rows))) == 4


def test_without_a_prior_the_unbeaten_and_the_winless_are_named():
    rows = [
        ("x", 0, "ann", 3),
        ("x", 0, "bob", 1),
        ("x", 0, "cid", 1),
        ("x", 1, "cid", 2),
        ("x", 1, "dot", 1),
    ]
    with pytest.raises(RatingError, match=r"ann: unbeaten.*dot: winless") as caught:
        rate(Results.from_rows(rows), prior=0)
    assert "bob" not in str(caught.value)


@pytest.mark.parametrize("prior", [-1, float("nan"), float("inf")])
def test_an_impossible_prior_is_refused(prior):
    with pytest.raises(RatingError, match="weight of the prior"):
        rate(Results.from_rows(season(5, SKILLS)), prior=prior)


def test_a_feeble_prior_still_finds_the_maximum():
    rows = [(block, 0, bot, score) for block in range(50) for bot, score in (("ann", 1), ("bob", 0))]
    gap = [rate(Results.from_rows(rows), prior=prior)["ann"].elo for prior in (1, 1e-3, 1e-6)]
    assert gap == sorted(gap)
    assert gap[-1] < 1500 + 4000


def test_overall_is_the_mean_of_the_ladders_with_its_error():
    ladders = {
        "one": rate(Results.from_rows(season(60, SKILLS, seed=1))),
        "two": rate(Results.from_rows(season(40, {**SKILLS, "zoe": 0.2}, seed=2))),
    }
    lines = {line.entrant: line for line in overall(ladders)}
    assert sorted(lines) == sorted(SKILLS)
    ann = [ladder["ann"] for ladder in ladders.values()]
    assert lines["ann"].elo == pytest.approx((ann[0].elo + ann[1].elo) / 2)
    assert lines["ann"].standard_error == pytest.approx(
        np.hypot(ann[0].standard_error, ann[1].standard_error) / 2
    )
    assert lines["ann"].rank == 1


def test_a_half_width_gives_its_standard_error_back():
    for rating in rate(Results.from_rows(season(30, SKILLS))):
        assert standard_error_of(rating.plus_minus, rating.blocks) == pytest.approx(rating.standard_error)
    assert standard_error_of(None, 1) is None
    assert mean_of_errors([12.0, None]) == mean_of_errors([]) == (None, None)


def test_overall_needs_a_ladder():
    with pytest.raises(RatingError, match="at least one ladder"):
        overall({})
