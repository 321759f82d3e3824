import random
from dataclasses import fields

import pytest
import support
from hypothesis import given, settings, strategies
from stichkampf.rating import RatingError, Results, compare, rate, standings


def points(rows, **options) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the points that the entrants of each pair took from each other and keep."""
    comparisons = compare(Results.from_rows(rows), **options)
    matrix = comparisons.kept_matrix / 2
    bots = comparisons.entrants
    return {
        (bots[i], bots[j]): (matrix[i, j], matrix[j, i])
        for i in range(len(bots))
        for j in range(i + 1, len(bots))
        if comparisons.half_point_matrix[i, j] + comparisons.half_point_matrix[j, i]
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


def test_who_forfeits_keeps_nothing_of_its_hand_and_what_the_others_played_stands():
    rows = tables(
        [("a", 90), ("b", 10), ("c", 20)],
        [("b", 1), ("c", 2), ("a", 3)],
        [("c", 4), ("a", 1), ("b", 50)],
        offenders=((0, 0),),
    )
    # Hand 0 went to a's seat, then c, then b: a keeps none of it. Hands 1 and 2 stand, also at table 0.
    assert points(rows) == {("a", "b"): (0, 2), ("a", "c"): (0, 2), ("b", "c"): (2, 1)}


def test_no_other_gets_what_a_forfeit_costs():
    rows = tables([("a", 90), ("b", 10)], [("c", 1), ("d", 2)], offenders=((0, 0), (1, 1)))
    assert points(rows) == {("a", "c"): (0, 0), ("b", "d"): (1, 0)}


def test_two_that_forfeit_one_hand_both_keep_nothing_of_it():
    rows = tables([("a", 90), ("b", 10)], [("c", 1), ("d", 2)], offenders=((0, 0), (1, 0)))
    assert points(rows) == {("a", "c"): (0, 0), ("b", "d"): (1, 0)}


def drawn_blocks(chance):
    """Six blocks of four of six bots at four tables each, and the same with some hands forfeited."""
    rows = [
        (block, hand, "abcdef"[bot], chance.randrange(5), f"{block}/{hand ^ place}", False)
        for block in range(6)
        for bots in [chance.sample(range(6), 4)]
        for hand in range(4)
        for place, bot in enumerate(bots)
    ]
    forfeiters = chance.sample("abcdef", chance.randrange(1, 4))
    spoilt = [(*row[:5], row[2] in forfeiters and chance.random() < 0.3) for row in rows]
    return rows, spoilt


@pytest.mark.parametrize("partners", [False, True])
@settings(max_examples=support.examples(60))
@given(chance=strategies.randoms(use_true_random=False))
def test_whatever_is_forfeited_what_the_others_took_stays(partners, chance):
    rows, spoilt = drawn_blocks(chance)
    forfeiters = {row[2] for row in spoilt if row[5]}
    before, after = (
        {line.entrant: line for line in standings(compare(Results.from_rows(each), partners=partners))}
        for each in (rows, spoilt)
    )
    for bot, line in after.items():
        for column in ("comparisons",) if bot in forfeiters else [field.name for field in fields(line)]:
            assert column == "place" or getattr(line, column) == getattr(before[bot], column)
        assert line.points <= before[bot].points


@pytest.mark.parametrize("partners", [False, True])
@settings(max_examples=support.examples(60))
@given(chance=strategies.randoms(use_true_random=False))
def test_others_are_rated_as_if_another_bot_had_sat_with_a_group_beside_a_forfeit(partners, chance):
    _, spoilt = drawn_blocks(chance)
    group = {block: frozenset(row[2] for row in spoilt if row[0] == block) for block in range(6)}
    with_group = {(group[block], bot) for block, _, bot, _, _, lost in spoilt if lost}
    forfeited = {(block, bot) for block in group for bot in group[block] if (group[block], bot) in with_group}
    blocks = {bot: {row[0] for row in spoilt if row[2] == bot} for bot in "abcdef"}
    in_all = {bot for bot in "abcdef" if all((block, bot) in forfeited for block in blocks[bot])}
    renamed = [
        (block, hand, bot.upper() if (block, bot) in forfeited and bot not in in_all else bot, *rest, False)
        for block, hand, bot, *rest, _ in spoilt
    ]
    others = sorted({row[2] for row in spoilt} - {bot for _, bot in forfeited})
    if not others:
        return
    ratings, wanted = (
        {line.entrant: line for line in rate(Results.from_rows(each), anchors=others[:1], partners=partners)}
        for each in (spoilt, renamed)
    )
    for bot in others:
        assert ratings[bot].elo == pytest.approx(wanted[bot].elo, abs=1e-6)
        assert ratings[bot].plus_minus == pytest.approx(wanted[bot].plus_minus, abs=1e-6)


def test_who_forfeits_everything_counts_for_the_others_as_it_played():
    chance = random.Random(5)
    rows, _ = drawn_blocks(chance)
    spoilt = [(*row[:5], row[2] == "c") for row in rows]
    before, after = (
        {line.entrant: line for line in rate(Results.from_rows(each))} for each in (rows, spoilt)
    )
    assert all(after[bot].elo == before[bot].elo for bot in "abdef")
    assert after["c"].elo < before["c"].elo


def test_partners_make_one_comparison_of_a_pair_and_block():
    rows = tables([("a", 15), ("b", 8), ("a", 15), ("b", 8)], [("b", 12), ("a", 10), ("b", 12), ("a", 10)])
    # a: 15 + 10 in both places against 12 + 8, though b was better than a with one of the hands.
    assert points(rows) == {("a", "b"): (4, 0)}
    assert points(rows, partners=True) == {("a", "b"): (1, 0)}
    rows = tables([("a", 5), ("b", 8)], [("b", 9), ("a", 2)])
    assert points(rows, partners=True) == {("a", "b"): (0, 1)}
    rows = tables([("a", 5), ("b", 8)], [("b", 9), ("a", 12)])
    assert points(rows, partners=True) == {("a", "b"): (0.5, 0.5)}


def test_a_partnership_that_forfeits_keeps_nothing_of_its_one_comparison():
    rows = tables([("a", 90), ("b", 1)], [("b", 1), ("a", 90)], offenders=((0, 0),))
    assert points(rows, partners=True) == {("a", "b"): (0, 0)}
    rows = tables([("a", 1), ("b", 90)], [("b", 90), ("a", 1)], offenders=((0, 0), (1, 0)))
    assert points(rows, partners=True) == {("a", "b"): (0, 0)}
    rows = tables([("a", 1), ("b", 90)], [("b", 90), ("a", 1)], offenders=((0, 0),))
    assert points(rows, partners=True) == {("a", "b"): (0, 1)}


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


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_friend_that_forfeits_where_its_friend_is_behind_gains_it_nothing(is_kept):
    """Gain it much where the tables of a forfeit count for nobody, as once they did."""
    chance = random.Random(10)
    rows, spoilt = [], set()
    for block in range(200):
        bots = ["main", "friend", "ann", "bob"]
        for table in range(4):
            scores = [chance.gauss(0, 10) for _ in bots]
            seats = [(bots[(hand + table) % 4], score) for hand, score in enumerate(scores)]
            behind = dict(seats)["main"] < 0
            rows += [(block, hand, bot, score, f"{block}/{table}", behind and bot == "friend")
                     for hand, (bot, score) in enumerate(seats)]  # fmt: skip
            if behind:
                spoilt.add(f"{block}/{table}")

    def share(counted):
        seen = points(counted)
        pairs = [seen.get(("main", other)) or seen[other, "main"][::-1] for other in ("ann", "bob")]
        return sum(own for own, _ in pairs) / sum(own + others for own, others in pairs)

    honest = share([(*row[:5], False) for row in rows])
    if is_kept:
        assert share(rows) == honest
    else:
        assert share([row for row in rows if row[4] not in spoilt]) > honest + 0.15
