from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from stichkampf_platform.tournaments.formats.ladder import RecentBlocks, compared, draw, seated
from stichkampf_platform.tournaments.formats.ladder_turns import NEW_BELOW, Candidate

pytestmark = pytest.mark.slow


class Simulation:
    """A ladder that goes on and on, drawn forty blocks at a time."""

    def __init__(self, candidates, size=4, apart=()):
        self.candidates, self.size, self.number, self.apart = dict(candidates), size, 0, apart
        self.lately = RecentBlocks()
        self.drawn = []

    def go(self, blocks):
        end = self.number + blocks
        while self.number < end:
            groups = draw(
                self.candidates, self.lately, size=self.size, first=self.number, blocks=40, apart=self.apart
            )
            assert groups, "a ladder never stands still"
            for group in groups:
                for entrant in group:
                    candidate = self.candidates[entrant]
                    if candidate.new and candidate.author:
                        self.lately.newcomer_blocks[candidate.author] += 1
                    self.candidates[entrant] = replace(
                        candidate, played=candidate.played + 1, last=self.number
                    )
                for holders in compared(group, self.size):
                    self.lately.add(holders)
                self.drawn.append(group)
                self.number += 1


def field(entrants, played=NEW_BELOW):
    elo = Random(5).gauss
    return {
        number: Candidate(f"author-{number % 400}", played=played, elo=elo(1500, 150))
        for number in range(entrants)
    }


def longest_waits(ladder):
    """Return the longest wait of each entrant, in blocks."""
    waits, last = Counter(), dict.fromkeys(ladder.candidates, -1)
    for number, group in enumerate([*ladder.drawn, tuple(ladder.candidates)]):
        for entrant in group:
            waits[entrant] = max(waits[entrant], number - last[entrant])
            last[entrant] = number
    return waits


def test_of_500_entrants_none_waits_longer_than_its_share_of_the_turns():
    ladder = Simulation(field(500))
    ladder.go(2600)
    bots = Counter(candidate.author for candidate in ladder.candidates.values())
    waits = longest_waits(ladder)
    assert len(waits) == 500
    for entrant, candidate in ladder.candidates.items():
        assert waits[entrant] <= 4 * len(bots) * bots[candidate.author] + 4


def test_an_author_with_many_bots_keeps_no_other_waiting():
    many = {number: Candidate("many", NEW_BELOW) for number in range(5, 105)}
    ladder = Simulation({**{number: Candidate(f"a{number}", NEW_BELOW) for number in range(5)}, **many})
    ladder.go(800)
    waits = longest_waits(ladder)
    assert max(waits[number] for number in range(5)) <= 4 * 6 + 4
    assert max(waits.values()) <= 4 * 6 * 100 + 4


def test_a_newcomer_among_500_has_twenty_blocks_after_31():
    ladder = Simulation(field(500))
    ladder.go(160)
    ladder.candidates[500] = Candidate("new")
    ladder.go(40)
    assert sum(500 in group for group in ladder.drawn[160:191]) >= NEW_BELOW


@pytest.mark.parametrize("authors", [2, 5])
def test_newcomers_of_several_authors_all_have_twenty_blocks_after_27_for_each(authors):
    ladder = Simulation(field(100))
    ladder.go(160)
    ladder.candidates.update({100 + n: Candidate(f"new-{n}") for n in range(authors)})
    ladder.go(27 * authors + 4)
    assert all(candidate.played >= NEW_BELOW for candidate in ladder.candidates.values())


def test_a_flood_of_newcomers_starves_no_old_hand():
    ladder = Simulation({**field(25), **{n: Candidate(f"flood-{n}") for n in range(25, 100)}})
    ladder.go(4 * 100 + 8)
    assert all(candidate.last >= 0 for candidate in ladder.candidates.values())
    ladder.go(2600)
    assert all(candidate.played >= NEW_BELOW for candidate in ladder.candidates.values())


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_a_table_has_entrants_of_different_authors_and_each_once(size):
    ladder = Simulation({n: Candidate(None if n < 3 else f"author-{n % 7}") for n in range(20)}, size)
    ladder.go(200)
    for group in ladder.drawn:
        authors = [ladder.candidates[e].author for e in group if ladder.candidates[e].author]
        assert len(set(group)) == size
        assert len(set(authors)) == len(authors)


def test_those_near_in_strength_meet_more_often_than_those_far_apart():
    ladder = Simulation({n: Candidate(f"a{n}", NEW_BELOW, elo=1500 + 40 * n) for n in range(20)}, size=2)
    ladder.go(1600)
    tables = ladder.lately.tables.items()
    near = sum(times for pair, times in tables if max(pair) - min(pair) <= 3)
    far = sum(times for pair, times in tables if max(pair) - min(pair) >= 15)
    assert near / 54 > 1.3 * far / 15


def test_the_same_four_sit_in_another_order_each_time():
    group = (3, 1, 2, 0)
    lately = RecentBlocks()
    orders = set()
    for _ in range(3):
        orders.add(seated(group, lately, number=0, seats=4, partners=False).tables)
        lately.add(group)
    assert len(orders) == 3


def test_too_few_authors_draw_nothing():
    assert draw({0: Candidate("ann"), 1: Candidate("ann")}, RecentBlocks(), size=2, first=0, blocks=3) == []


def remote_field(entrants, remote):
    return {
        number: replace(candidate, remote=number in remote) for number, candidate in field(entrants).items()
    }


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6])
def test_a_block_with_a_remote_entrant_is_dealt_once_at_two_tables(size):
    ladder = Simulation(remote_field(30, {4, 11}), size)
    ladder.go(200)
    once = [group for group in ladder.drawn if len(group) > size]
    assert {4, 11} <= {entrant for group in once for entrant in group}
    assert not {4, 11} & {entrant for group in ladder.drawn if len(group) == size for entrant in group}
    for group in once:
        tables = seated(group, ladder.lately, number=7, seats=size, partners=False).tables
        assert [len(table) for table in tables] == [size, size]
        assert {entrant for table in tables for entrant in table} == set(group)
        assert len(set(group)) == 2 * size
        holders = {frozenset(hand) for hand in zip(*tables, strict=True)}
        assert holders == {frozenset(pair) for pair in compared(group, size)}


def test_remote_entrants_make_no_other_wait_longer():
    ladder = Simulation(remote_field(60, set(range(0, 60, 4))))
    ladder.go(4 * 60 + 4)
    assert all(candidate.last >= 0 for candidate in ladder.candidates.values())


def test_a_remote_newcomer_has_its_twenty_blocks_as_quickly_as_any():
    ladder = Simulation(field(100))
    ladder.go(160)
    ladder.candidates[100] = Candidate("new", remote=True)
    ladder.go(40)
    assert sum(100 in group for group in ladder.drawn[160:191]) >= NEW_BELOW


def test_a_block_dealt_once_seats_no_two_bots_of_one_author():
    candidates = {n: Candidate(f"author-{n % 11}", remote=n % 3 == 0) for n in range(33)}
    ladder = Simulation(candidates)
    ladder.go(100)
    for group in ladder.drawn:
        assert len({ladder.candidates[entrant].author for entrant in group}) == len(group)


def test_a_remote_entrant_meets_many_and_sits_at_every_seat():
    ladder = Simulation(remote_field(20, {0}))
    ladder.go(400)
    seats = Counter()
    for number, group in enumerate(ladder.drawn):
        for table in seated(group, ladder.lately, number=number, seats=4, partners=False).tables:
            seats.update(seat for seat, entrant in enumerate(table) if entrant == 0)
    assert min(seats[seat] for seat in range(4)) >= seats.total() / 8
    assert len(ladder.lately.met[0]) >= 12


def test_with_too_few_for_two_tables_remote_entrants_are_not_drawn():
    candidates = {n: Candidate(f"author-{n}", remote=n == 0) for n in range(7)}
    drawn = draw(candidates, RecentBlocks(), size=4, first=0, blocks=8)
    assert len(drawn) == 8
    assert all(0 not in group for group in drawn)


SUSPECTS = frozenset((0, 1))


def tables_of_suspects(ladder):
    """In how many blocks both sat together, and in how many one without the other."""
    seen = [len(SUSPECTS & set(group)) for group in ladder.drawn]
    return seen.count(2), seen.count(1)


def test_a_pair_that_is_kept_apart_has_blocks_together_and_without_each_other():
    five = {number: Candidate(f"author-{number}", NEW_BELOW) for number in range(5)}
    always = Simulation(five)
    always.go(400)
    together, alone = tables_of_suspects(always)
    apart = Simulation(five, apart=[SUSPECTS])
    apart.go(400)
    separated = tables_of_suspects(apart)
    assert together > alone
    assert 100 <= separated[0] < separated[1]


def test_a_suspected_pair_meets_if_no_table_can_be_filled_otherwise():
    ladder = Simulation({n: Candidate(f"author-{n}", NEW_BELOW) for n in range(4)}, apart=[SUSPECTS])
    ladder.go(80)
    assert tables_of_suspects(ladder) == (80, 0)
