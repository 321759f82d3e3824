"""Draws of rounds: held to the best draw there is, found by looking at all of them."""

from collections import Counter
from itertools import combinations
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stichkampf.engine.seeds import Chance
from stichkampf_platform.tournaments.formats import ROUND_FORMATS
from stichkampf_platform.tournaments.formats.competition import Past
from stichkampf_platform.tournaments.formats.drawing import RoundField, draw_groups, most_groups
from support import examples


def field_of(authors, size, *, rested=None, met=None, points=None, seed=0):
    """Set up a round of these entrants, the best first."""
    entrants = list(range(len(authors)))
    return RoundField(
        entrants=sorted(entrants, key=lambda one: -(points or {}).get(one, 0.0)),
        size=size,
        authors=dict(enumerate(authors)),
        points={one: (points or {}).get(one, 0.0) for one in entrants},
        rested={one: (rested or {}).get(one, 0) for one in entrants},
        met=met or {},
        lot={one: place for place, one in enumerate(Random(seed).sample(entrants, len(entrants)))},
        chance=Chance(bytes([seed % 256]) * 32, "draw"),
    )


def value_of(field, groups):
    """Return what is to be least: rests, how often those have rested, pairs that met, how often they did."""
    resting = sorted(set(field.entrants) - {one for group in groups for one in group})
    met = [field.times(*pair) for group in groups for pair in combinations(group, 2)]
    profile = sorted((field.rested[one] for one in resting), reverse=True)
    return len(resting), profile, sum(times > 0 for times in met), sum(met)


def unlike(field, groups):
    """Return the differences of points in groups."""
    pairs = (pair for group in groups for pair in combinations(group, 2))
    return round(sum(abs(field.points[one] - field.points[other]) for one, other in pairs), 6)


def all_draws(field, left):
    """Yield every draw of those that are left, in which entrants of one author never meet."""
    if not left:
        yield []
        return
    first, *others = left
    yield from all_draws(field, others)
    for mates in combinations(others, field.size - 1):
        authors = [field.authors[one] for one in (first, *mates) if field.authors[one] is not None]
        if len(set(authors)) == len(authors):
            for rest in all_draws(field, [one for one in others if one not in mates]):
                yield [(first, *mates), *rest]


@st.composite
def round_fields(draw):
    size = draw(st.integers(2, 6))
    count = draw(st.integers(size, {2: 8, 3: 9, 4: 9, 5: 10, 6: 10}[size]))
    authors = draw(st.lists(st.sampled_from([None, *"abcdefghijk"]), min_size=count, max_size=count))
    pairs = list(combinations(range(count), 2))
    met = draw(st.dictionaries(st.sampled_from(pairs), st.integers(1, 3)))
    rested = draw(st.dictionaries(st.integers(0, count - 1), st.integers(0, 2)))
    points = {one: draw(st.integers(0, 8)) / 4 for one in range(count)}
    return field_of(authors, size, rested=rested, met=met, points=points, seed=draw(st.integers(0, 255)))


@settings(max_examples=examples(60))
@given(round_fields())
def test_up_to_sixteen_entrants_no_draw_is_better(field):
    draws = list(all_draws(field, list(field.entrants)))
    best = min(value_of(field, draw) for draw in draws)
    drawn = draw_groups(field)
    assert value_of(field, drawn) == best
    assert draw_groups(field_again(field)) == drawn
    resting = set(field.entrants) - {one for group in drawn for one in group}
    alike = [
        draw
        for draw in draws
        if value_of(field, draw) == best and not resting & {one for group in draw for one in group}
    ]
    assert unlike(field, drawn) == min(unlike(field, draw) for draw in alike)


class EveryDraw:
    """The least value of all draws of a field, worked out set by set: there are too many draws to list.

    :ivar playing: those that play; `None` for whoever is best.
    """

    def __init__(self, field, playing=None):
        self.field, self.of_points = field, playing is not None
        self.names = sorted(field.entrants if playing is None else playing)
        self.rests = len(self.names) - field.size * most_groups(
            [field.authors[one] for one in self.names], field.size
        )
        self.known = {}
        self.groups = [[] for _ in self.names]
        for group in combinations(range(len(self.names)), field.size):
            members = [self.names[at] for at in group]
            authors = [field.authors[one] for one in members if field.authors[one] is not None]
            if len(set(authors)) == len(authors):
                self.groups[group[0]].append((sum(1 << at for at in group), self.cost(members)))

    def cost(self, group):
        met = [self.field.times(*pair) for pair in combinations(group, 2)]
        known = sum(times > 0 for times in met), sum(met)
        return (*known, unlike(self.field, [group])) if self.of_points else known

    def least(self, left=None, rests=None):
        """Return how many of each number of rests rest, the highest first, and the costs of groups."""
        if left is None:
            left, rests = (1 << len(self.names)) - 1, self.rests
        if not left:
            return (0,) * 4, (0,) * (2 + self.of_points)
        if (left, rests) not in self.known:
            first = (left & -left).bit_length() - 1
            found = []
            if rests and (below := self.least(left ^ 1 << first, rests - 1)):
                kinds = list(below[0])
                kinds[3 - self.field.rested[self.names[first]]] += 1
                found.append((tuple(kinds), below[1]))
            for mask, cost in self.groups[first]:
                if mask & left == mask and (below := self.least(left ^ mask, rests)):
                    found.append((below[0], tuple(map(sum, zip(below[1], cost, strict=True)))))
            self.known[left, rests] = min(found, default=None)
        return self.known[left, rests]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(examples(1)))
@pytest.mark.parametrize(
    ("size", "count"), [(2, 11), (2, 16), (3, 14), (3, 16), (4, 13), (4, 16), (5, 12), (5, 16), (6, 16)]
)
def test_of_eleven_to_sixteen_entrants_no_draw_is_better_either(size, count, seed):
    random = Random(f"{size} {count} {seed}")
    field = field_of(
        random.choices([None, *"abcdefghijk"], k=count), size,
        rested={one: random.randrange(3) for one in range(count)},
        met={pair: random.randint(1, 3) for pair in combinations(range(count), 2) if random.random() < 0.5},
        points={one: random.randrange(9) / 4 for one in range(count)}, seed=seed,
    )  # fmt: skip
    drawn = draw_groups(field)
    seated = [one for group in drawn for one in group]
    kinds = Counter(field.rested[one] for one in set(field.entrants) - set(seated))
    resting, _, *met = value_of(field, drawn)
    every = EveryDraw(field)
    assert every.rests == resting
    assert every.least() == (tuple(kinds[3 - at] for at in range(4)), tuple(met))
    _, (*_, least) = EveryDraw(field, seated).least()
    assert unlike(field, drawn) == pytest.approx(least)


def field_again(field):
    """Return the same field with its chance from the beginning."""
    return RoundField(**{**vars(field), "chance": Chance(field.chance._prefix[:32], "draw")})


@settings(max_examples=examples(40))
@given(
    st.integers(2, 6),
    st.lists(st.sampled_from([None, *"abcdefghijklmnop"]), min_size=17, max_size=60),
    st.integers(0, 255),
)
def test_of_more_entrants_as_many_play_as_can_and_authors_never_meet(size, authors, seed):
    random = Random(seed)
    met = Counter(tuple(sorted(random.sample(range(len(authors)), 2))) for _ in range(random.randrange(200)))
    rested = {one: random.randrange(3) for one in range(len(authors))}
    field = field_of(authors, size, rested=rested, met=met, seed=seed)
    groups = draw_groups(field)
    assert len(groups) == most_groups(authors, size)
    seated = [one for group in groups for one in group]
    assert len(seated) == len(set(seated)) == len(groups) * size
    for group in groups:
        known = [authors[one] for one in group if authors[one] is not None]
        assert len(set(known)) == len(known)
    for one in set(field.entrants) - set(seated):  # it could play in the place of none that has rested less
        for other in seated:
            count = Counter(authors[entrant] for entrant in seated if entrant != other)
            fits = authors[one] is None or count[authors[one]] < len(groups)
            assert not fits or rested[one] <= rested[other]


def test_the_two_of_one_author_leave_no_group_out(competition):
    """The six entrants at tables of three, the last two of one author, of whom three rested."""
    authors = [None, None, None, None, "ann", "ann"]
    for seed in range(20):
        asked = competition(authors=dict(enumerate(authors)), seats=3, rounds=3, seed=bytes([seed]) * 32)
        plan = ROUND_FORMATS["swiss"].next_round(asked, Past())
        assert len({frozenset(tables[0]) for tables in plan}) == 2


def test_most_groups_are_those_that_an_exhaustive_search_finds():
    random = Random(7)
    for _ in range(60):
        size, count = random.randint(2, 4), random.randint(2, 8)
        authors = [random.choice([None, "a", "b", "c", "d"]) for _ in range(count)]
        field = field_of(authors, size)
        most = max(len(draw) for draw in all_draws(field, list(range(count))))
        assert most_groups(authors, size) == most


def test_who_rests_first_is_drawn_by_lot_and_not_by_the_order_of_entry(competition):
    rests = Counter()
    for seed in range(200):
        asked = competition(5, rounds=2, seed=bytes([seed]) * 32)
        (group,) = {frozenset(tables[0]) for tables in ROUND_FORMATS["swiss"].next_round(asked, Past())}
        rests.update(set(range(5)) - group)
    assert min(rests.values()) > 20


def test_the_draw_follows_from_the_seed_alone(competition, play_on):
    def luck(who, block, hand):
        return Random(f"{who} {block} {hand}").randrange(1000)

    played = [
        play_on("swiss", competition(21, rounds=4, seed=bytes([seed]) * 32), luck).rounds
        for seed in (1, 1, 2)
    ]
    assert played[0] == played[1] != played[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", [pytest.param(2, marks=pytest.mark.nightly), 4, pytest.param(6, marks=pytest.mark.nightly)]
)
def test_a_round_of_a_thousand_is_drawn_in_ten_seconds(size):
    random, met, points = Random(1), Counter(), Counter()
    authors = [random.choice([None, *range(300)]) for _ in range(1000)]
    for _ in range(3):
        field = field_of(authors, size, met=dict(met), points=dict(points))
        begun = process_time()
        groups = draw_groups(field)
        assert process_time() - begun < 10
        assert len(groups) == 1000 // size
        assert not value_of(field, groups)[2]
        for group in groups:
            met.update(combinations(sorted(group), 2))
            points.update({one: random.random() for one in group})
