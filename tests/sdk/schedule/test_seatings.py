from collections import Counter
from itertools import combinations, permutations

import pytest
from stichkampf.schedule import ScheduleError, cosets, mirrored, seatings

SEATS = [2, 3, 4, 5, 6]


@pytest.mark.parametrize("seats", SEATS)
def test_every_entrant_holds_every_hand_once_a_block(seats):
    for coset in range(cosets(seats)):
        tables = seatings(seats, coset)
        assert len(tables) == seats
        for seat in range(seats):
            assert sorted(table[seat] for table in tables) == list(range(seats))
        assert all(sorted(table) == list(range(seats)) for table in tables)


@pytest.mark.parametrize(("seats", "tables"), [(2, 2), (3, 6), (4, 12), (5, 20), (6, 60)])
def test_all_cosets_repeat_no_table_and_have_the_size_of_full_balance(seats, tables):
    every = [table for coset in range(cosets(seats)) for table in seatings(seats, coset)]
    assert len(every) == len(set(every)) == tables


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_in_all_cosets_every_pair_holds_every_pair_of_hands_equally_often(seats):
    held = Counter()
    for coset in range(cosets(seats)):
        for table in seatings(seats, coset):
            held.update(((table[a], table[b]), (a, b)) for a, b in permutations(range(seats), 2))
    assert len(held) == (seats * (seats - 1)) ** 2
    assert len(set(held.values())) == 1


def distances(seats: int, tables: list[tuple[int, ...]]) -> Counter:
    """Count the tables at which the second entrant sits at each distance to the left of the first."""
    return Counter(
        ((table[seat], table[(seat + distance) % seats]), distance)
        for table in tables
        for seat in range(seats)
        for distance in range(1, seats)
    )


@pytest.mark.parametrize("seats", SEATS)
def test_in_all_cosets_every_pair_sits_at_every_distance_equally_often(seats):
    found = distances(seats, [table for coset in range(cosets(seats)) for table in seatings(seats, coset)])
    assert len(found) == seats * (seats - 1) ** 2
    assert len(set(found.values())) == 1


@pytest.mark.parametrize(("seats", "base_blocks"), [(4, 1), (5, 2), (6, 1)])
def test_each_neighbour_sits_before_as_often_as_behind(seats, base_blocks):
    found = distances(seats, [table for coset in range(base_blocks) for table in seatings(seats, coset)])
    for first, second in combinations(range(seats), 2):
        assert found[(first, second), 1] == found[(second, first), 1]


def test_four_seats_play_the_klein_group_and_its_cosets():
    for coset, order in enumerate(["0123", "0231", "0312"]):
        expected = [tuple(int(order[seat ^ table]) for seat in range(4)) for table in range(4)]
        assert seatings(4, coset) == expected
    assert seatings(4, 3) == seatings(4, 0)


def test_partners_sit_opposite_and_change_places_at_the_second_table():
    assert seatings(4, partners=True) == [(0, 1, 0, 1), (1, 0, 1, 0)]
    assert cosets(4, partners=True) == 1


@pytest.mark.parametrize("seats", SEATS)
def test_mirrored_tables_are_complementary_and_take_turns(seats):
    seen = set()
    for turn in range(20):
        table, mirror = mirrored(seats, turn)
        assert all(a + b == 1 for a, b in zip(table, mirror, strict=True))
        assert sum(table) == seats // 2
        seen.add(frozenset([table, mirror]))
    assert len(seen) == {2: 1, 3: 3, 4: 3, 5: 10, 6: 10}[seats]


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_other_numbers_of_seats_are_refused(seats):
    with pytest.raises(ScheduleError, match="two to six seats"):
        seatings(seats)


def test_partners_need_four_seats():
    with pytest.raises(ScheduleError, match="tables of four"):
        seatings(6, partners=True)
