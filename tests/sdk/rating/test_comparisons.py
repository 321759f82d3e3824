import random

import pytest
from stichkampf.rating import RatingError, Results, compare, rate


def points(rows, **options) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the points that the entrants of each pair took from each other."""
    comparisons = compare(Results.from_rows(rows), **options)
    matrix = comparisons.half_point_matrix / 2
    bots = comparisons.entrants
    return {
        (bots[i], bots[j]): (matrix[i, j], matrix[j, i])
        for i in range(len(bots))
        for j in range(i + 1, len(bots))
        if matrix[i, j] + matrix[j, i]
    }


def tables(*seats: list[tuple[str, int]], block: str = "b", offenders: tuple = ()) -> list[tuple]:
    """Rows of the tables of a block; offenders are (table, seat)."""
    return [
        (block, hand, bot, score, f"{block}/{table}", (table, hand) in offenders)
        for table, row in enumerate(seats)
        for hand, (bot, score) in enumerate(row)
    ]


def test_only_bots_that_held_the_same_hand_of_the_same_block_are_compared():
    rows = [("b1", 0, "a", 5), ("b1", 1, "b", 3), ("b1", 0, "c", 4), ("b2", 0, "b", 9)]
    assert points(rows) == {("a", "c"): (1, 0)}


def test_equal_scores_are_a_draw():
    assert points([("b", 0, "a", 2), ("b", 0, "c", 2.0)]) == {("a", "c"): (0.5, 0.5)}


def test_a_bot_is_never_compared_with_itself():
    assert points([("b", 0, "a", 1), ("b", 0, "a", 3), ("b", 0, "c", 2)]) == {("a", "c"): (1, 1)}


def test_four_bots_at_four_tables_make_six_comparisons_a_hand():
    rows = [("b", hand, "abcd"[hand ^ table], (hand ^ table)) for table in range(4) for hand in range(4)]
    comparisons = compare(Results.from_rows(rows))
    assert comparisons.count.tolist() == [4] * 6
    assert comparisons.count_of.tolist() == [12] * 4
    assert comparisons.blocks_of.tolist() == [1] * 4


def test_an_offender_loses_every_comparison_on_its_hand_and_spoils_its_table():
    rows = tables(
        [("a", 90), ("b", 10), ("c", 20)],
        [("b", 1), ("c", 2), ("a", 3)],
        [("c", 4), ("a", 1), ("b", 50)],
        offenders=((0, 0),),
    )
    # Hand 0: a loses to b and c, b-c counts. Hands 1 and 2: what b and c did at table 0 is void.
    assert points(rows) == {("a", "b"): (0, 2), ("a", "c"): (0, 2), ("b", "c"): (0, 1)}


def test_an_offender_loses_even_to_a_bot_whose_table_was_spoilt():
    rows = tables(
        [("a", 90), ("b", 10)],
        [("c", 1), ("d", 2)],
        offenders=((0, 0), (1, 1)),
    )
    assert points(rows) == {("a", "c"): (0, 1), ("b", "d"): (1, 0)}


def test_two_offenders_on_one_hand_draw():
    rows = tables([("a", 90), ("b", 10)], [("c", 1), ("d", 2)], offenders=((0, 0), (1, 0)))
    assert points(rows) == {("a", "c"): (0.5, 0.5)}


def test_partners_make_one_comparison_of_a_pair_and_block():
    rows = tables([("a", 15), ("b", 8), ("a", 15), ("b", 8)], [("b", 12), ("a", 10), ("b", 12), ("a", 10)])
    # a: 15 + 10 in both places against 12 + 8, though b was better than a with one of the hands.
    assert points(rows) == {("a", "b"): (4, 0)}
    assert points(rows, partners=True) == {("a", "b"): (1, 0)}
    rows = tables([("a", 5), ("b", 8)], [("b", 9), ("a", 2)])
    assert points(rows, partners=True) == {("a", "b"): (0, 1)}
    rows = tables([("a", 5), ("b", 8)], [("b", 9), ("a", 12)])
    assert points(rows, partners=True) == {("a", "b"): (0.5, 0.5)}


def test_a_partnership_that_faults_loses_its_one_comparison():
    rows = tables([("a", 90), ("b", 1)], [("b", 1), ("a", 90)], offenders=((0, 0),))
    assert points(rows, partners=True) == {("a", "b"): (0, 1)}
    rows = tables([("a", 90), ("b", 1)], [("b", 1), ("a", 90)], offenders=((0, 0), (1, 0)))
    assert points(rows, partners=True) == {("a", "b"): (0.5, 0.5)}


def test_many_bots_on_one_hand_agree_with_counting_by_hand():
    chance = random.Random(3)
    rows = [
        (chance.randrange(3), chance.randrange(2), f"b{chance.randrange(7)}", chance.randrange(4))
        for _ in range(90)
    ]
    expected: dict[tuple[str, str], list[float]] = {}
    for i, (block, hand, bot, score) in enumerate(rows):
        for other_block, other_hand, other, other_score in rows[:i]:
            if (block, hand) == (other_block, other_hand) and bot != other:
                first, second = sorted([(bot, score), (other, other_score)])
                share = expected.setdefault((first[0], second[0]), [0, 0])
                won = 0.5 if first[1] == second[1] else float(first[1] > second[1])
                share[0] += won
                share[1] += 1 - won
    assert points(rows) == {pair: tuple(share) for pair, share in expected.items()}


@pytest.mark.parametrize("score", ["high", None, float("nan"), float("inf")])
def test_a_score_that_is_no_finite_number_is_refused(score):
    with pytest.raises(RatingError, match="score must be a"):
        Results.from_rows([("b", 0, "a", score), ("b", 0, "c", 1)])


@pytest.mark.parametrize("rows", [[("b", 0, "a")], [("b", 0, "a", 1), ("b", 0, "c", 1, "t", False)]])
def test_rows_of_the_wrong_length_are_refused(rows):
    with pytest.raises(RatingError, match="a row is"):
        Results.from_rows(rows)


def test_no_results_and_nothing_to_compare_are_refused():
    with pytest.raises(RatingError, match="no results"):
        Results.from_rows([])
    with pytest.raises(RatingError, match="nothing to compare"):
        rate(Results.from_rows([("b", 0, "a", 1), ("b", 1, "c", 1)]))
