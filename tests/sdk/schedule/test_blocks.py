from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stichkampf.schedule import (
    Block,
    MeetingCounts,
    ScheduleError,
    balanced_groups,
    block_of,
    gauntlet_blocks,
    regression_blocks,
    remote_blocks,
    round_robin_blocks,
)
from support import examples


def names(number: int) -> list[str]:
    return [f"bot{i:03}" for i in range(number)]


def met(entrants: list[str], blocks: list[Block[str]]) -> list[int]:
    """Count the blocks that each pair shared."""
    pairs = Counter(pair for block in blocks for pair in combinations(sorted(block.entrants), 2))
    return [pairs[pair] for pair in combinations(sorted(entrants), 2)]


def played(entrants: list[str], blocks: list[Block[str]]) -> list[int]:
    count = Counter(entrant for block in blocks for entrant in block.entrants)
    return [count[entrant] for entrant in entrants]


def spread(numbers: list[int]) -> int:
    return max(numbers) - min(numbers)


@pytest.mark.parametrize(
    ("entrants", "size", "groups", "meetings"),
    [
        (7, 3, 7, 1),
        (13, 4, 13, 1),
        (21, 5, 21, 1),
        (31, 6, 31, 1),
        (12, 4, 33, 3),
        (4, 4, 1, 1),
        (5, 4, 5, 3),
        (9, 2, 36, 1),
        (10, 2, 45, 1),
    ],
)
def test_in_a_design_every_pair_meets_equally_often(entrants, size, groups, meetings):
    design = balanced_groups(entrants, size)
    assert len(design) == groups
    assert all(len(set(group)) == size for group in design)
    pairs = Counter(pair for group in design for pair in combinations(sorted(group), 2))
    assert len(pairs) == entrants * (entrants - 1) // 2
    assert set(pairs.values()) == {meetings}


@pytest.mark.parametrize(("entrants", "size"), [(12, 4), (10, 2)])
def test_a_design_in_rounds_lets_everybody_play_before_anybody_plays_again(entrants, size):
    design = balanced_groups(entrants, size)
    tables = entrants // size
    for start in range(0, len(design), tables):
        assert sorted(sum(design[start : start + tables], ())) == list(range(entrants))


plans = st.integers(2, 6).flatmap(
    lambda seats: st.tuples(
        st.just(seats), st.integers(seats, 40), st.integers(1, 120), st.integers(0, 10**6)
    )
)


@settings(max_examples=examples(60))
@given(plans)
def test_in_a_round_robin_every_entrant_holds_every_hand_once_a_block(plan):
    seats, number, blocks, seed = plan
    plan = round_robin_blocks(names(number), seats, blocks, seed=seed)
    assert len(plan) == blocks
    for block in plan:
        assert len(set(block.entrants)) == len(block.tables) == seats
        for seat in range(seats):
            assert sorted(table[seat] for table in block.tables) == sorted(block.entrants)


@settings(max_examples=examples(60))
@given(plans)
def test_a_round_robin_forgets_no_entrant(plan):
    seats, number, blocks, seed = plan
    entrants = names(number)
    plan = round_robin_blocks(entrants, seats, blocks, seed=seed)
    assert spread(played(entrants, plan)) <= 5
    assert spread(met(entrants, plan)) <= 5


@pytest.mark.parametrize(
    ("number", "seats", "blocks"), [(13, 4, 26), (12, 4, 33), (7, 3, 14), (6, 6, 5), (6, 2, 30)]
)
def test_a_round_robin_by_design_is_exactly_balanced(number, seats, blocks):
    entrants = names(number)
    plan = round_robin_blocks(entrants, seats, blocks)
    assert spread(met(entrants, plan)) == spread(played(entrants, plan)) == 0


@pytest.mark.parametrize(("number", "seats"), [(9, 4), (16, 4), (20, 5), (30, 4), (25, 3), (26, 6)])
def test_greedy_is_close_to_the_best_once_pairs_have_met_three_times(number, seats):
    entrants = names(number)
    blocks = round(3 * number * (number - 1) / (seats * (seats - 1)))
    plan = round_robin_blocks(entrants, seats, blocks, seed=4)
    laplacian = np.zeros((number, number))
    for (i, j), times in zip(combinations(range(number), 2), met(entrants, plan), strict=True):
        laplacian[i, j] = laplacian[j, i] = -times
    np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
    roots = np.linalg.eigvalsh(laplacian)[1:]
    # The mean variance of the differences between two entrants, against equal meetings of all.
    assert np.mean(1 / roots) * np.mean(roots) <= 1.025


def test_the_same_entrants_take_the_next_coset_each_time():
    plan = round_robin_blocks(names(4), 4, 6)
    assert len({table for block in plan[:3] for table in block.tables}) == 12
    assert [block.tables for block in plan[:3]] == [block.tables for block in plan[3:]]


def test_the_same_seed_plans_the_same_blocks_and_another_seed_others():
    plan = round_robin_blocks(names(9), 4, 20, seed=1)
    assert plan == round_robin_blocks(names(9), 4, 20, seed=1)
    assert plan != round_robin_blocks(names(9), 4, 20, seed=2)


def test_partners_play_two_tables_a_block():
    plan = round_robin_blocks(names(5), 4, 10, partners=True)
    assert spread(met(names(5), plan)) == 0
    for block in plan:
        first, second = block.entrants
        assert block.tables == ((first, second, first, second), (second, first, second, first))


def test_bots_of_one_author_never_share_a_table():
    authors = {name: i // 3 for i, name in enumerate(names(13))}
    plan = round_robin_blocks(names(13), 4, 60, authors=authors)
    for block in plan:
        assert len({authors[entrant] for entrant in block.entrants}) == 4
    with pytest.raises(ScheduleError, match="different authors"):
        round_robin_blocks(names(6), 4, 1, authors={name: i // 2 for i, name in enumerate(names(6))})


def test_a_gauntlet_seats_the_challenger_in_every_block():
    field = names(9)
    plan = gauntlet_blocks("new", field, 4, 30)
    assert all("new" in block.entrants for block in plan)
    assert spread(played(field, plan)) <= 1


def test_a_regression_test_seats_copies_of_both_versions():
    plan = regression_blocks("v2", "v1", 4, 4)
    assert plan[0].tables == (("v2", "v2", "v1", "v1"), ("v1", "v1", "v2", "v2"))
    assert len({block.tables for block in plan}) == 3
    assert regression_blocks("v2", "v1", 4, 3, first=1) == plan[1:]
    (block,) = regression_blocks("v2", "v1", 4, 1, partners=True)
    assert block.tables == (("v2", "v1", "v2", "v1"), ("v1", "v2", "v1", "v2"))


@settings(max_examples=examples(40))
@given(st.integers(2, 6), st.integers(0, 20), st.integers(1, 40), st.integers(0, 999))
def test_a_remote_block_seats_every_entrant_once_at_full_tables(seats, more, blocks, seed):
    entrants = names(2 * seats + more)
    plan = remote_blocks(entrants, seats, blocks, seed=seed)
    for block in plan:
        assert len(block.tables) == len(entrants) // seats
        assert all(len(table) == seats for table in block.tables)
        seated = [entrant for table in block.tables for entrant in table]
        assert len(set(seated)) == len(seated)
        assert sorted(seated) == sorted(block.entrants)
    assert spread(played(entrants, plan)) <= 1


def test_remote_entrants_are_compared_with_everybody():
    entrants = names(12)
    compared = Counter()
    for block in remote_blocks(entrants, 4, 44):
        for seat in range(4):
            compared.update(combinations(sorted(table[seat] for table in block.tables), 2))
    assert len(compared) == 66
    assert max(compared.values()) - min(compared.values()) <= 3


def test_remote_partners_play_two_different_sides_at_each_table():
    (block,) = remote_blocks(names(4), 4, 1, partners=True)
    assert len(block.tables) == 2
    assert all(table[0] == table[2] != table[1] == table[3] for table in block.tables)


def test_remote_bots_of_one_author_sit_at_different_tables():
    authors = {name: i // 2 for i, name in enumerate(names(12))}
    for block in remote_blocks(names(12), 4, 40, authors=authors):
        for table in block.tables:
            assert len({authors[entrant] for entrant in table}) == 4


def test_one_full_table_is_not_enough_for_a_remote_entrant():
    with pytest.raises(ScheduleError, match="8 entrants, not 7"):
        remote_blocks(names(7), 4, 1)


@pytest.mark.parametrize(
    ("entrants", "blocks", "words"),
    [
        (["a", "b", "c"], 1, "needs 4 entrants"),
        (["a", "b", "c", "c"], 1, "named twice"),
        (list("abcd"), 0, "one block"),
    ],
)
def test_impossible_plans_are_refused(entrants, blocks, words):
    with pytest.raises(ScheduleError, match=words):
        round_robin_blocks(entrants, 4, blocks)


def test_a_block_needs_exactly_its_entrants():
    with pytest.raises(ScheduleError, match="needs 3 different entrants"):
        block_of(["a", "b", "b"], 3)


def test_meetings_go_on_from_history_without_entrants_that_left():
    meetings = MeetingCounts(["a", "b", "c", "d", "e"])
    meetings.add(["a", "b", "gone"])
    assert (meetings.played("a"), meetings.met("a", "b"), meetings.met("a", "c")) == (1, 1, 0)
    assert set(meetings.next_group(3)) == {"c", "d", "e"}
    assert "c" not in meetings.next_group(3, start=["a"], without=["c"])


def test_a_round_of_five_hundred_entrants_seats_everybody_once():
    meetings = MeetingCounts(names(500))
    groups = [meetings.next_group(4) for _ in range(125)]
    assert sorted(name for group in groups for name in group) == sorted(names(500))
