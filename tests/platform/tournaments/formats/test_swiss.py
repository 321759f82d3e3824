"""Swiss: points, tie-breaks, and what a rest is worth; none of them has to do with the order of entry."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stichkampf.rating import Results, compare
from stichkampf_platform.tournaments.formats import ROUND_FORMATS
from stichkampf_platform.tournaments.formats.competition import Past
from stichkampf_platform.tournaments.formats.drawing import most_groups
from stichkampf_platform.tournaments.formats.ranking import is_cut, ranks, refined
from support import examples

SWISS = ROUND_FORMATS["swiss"]


def past_of(*rounds):
    """Play rounds; each is a list of groups with the score of each entrant on every hand."""
    rows, groups, number = [], [], 0
    for drawn in rounds:
        for group in drawn:
            rows += [
                (number, hand, who, score, (number, (place + hand) % len(group)), False)
                for place, (who, score) in enumerate(group.items())
                for hand in range(len(group))
            ]
            number += 1
        groups.append(tuple(frozenset(group) for group in drawn))
    return Past(tuple(groups), compare(Results.from_rows(rows)))


def standing(asked, past):
    return {line.entrant: line for line in SWISS.standings(asked, past)}


def test_equals_that_nothing_parts_share_a_place_and_the_sentence_says_so(competition):
    asked = competition(4, seats=2, rounds=1)
    past = past_of([{0: 1, 1: 0}, {2: 1, 3: 0}])
    assert {who: line.place for who, line in standing(asked, past).items()} == {0: 1, 2: 1, 1: 3, 3: 3}
    outcome = SWISS.outcome(asked, past)
    assert "share the first place with 1.00 points" in outcome
    assert outcome.startswith(("bot-0 and bot-2", "bot-2 and bot-0"))


@pytest.mark.parametrize("winner", [0, 3])
def test_direct_encounter_parts_two_that_have_met_whatever_their_numbers(winner, competition):
    loser = 3 - winner
    asked = competition(4, seats=2, rounds=2)
    past = past_of([{winner: 1, loser: 0}, {1: 1, 2: 0}], [{1: 1, winner: 0}, {2: 0, loser: 1}])
    lines = standing(asked, past)
    assert (lines[winner].points, lines[loser].points) == (1.0, 1.0)
    assert (lines[winner].place, lines[loser].place) == (2, 3)
    assert lines[winner].tie_breaks["direct"] == 1.0
    assert lines[1].tie_breaks["direct"] is None


def test_buchholz_at_larger_tables_is_the_mean_of_the_points_of_those_one_met(competition):
    asked = competition(6, seats=3, rounds=1)
    past = past_of([{0: 2, 1: 1, 2: 0}, {3: 2, 4: 1, 5: 0}])
    lines = standing(asked, past)
    assert [lines[who].points for who in range(3)] == [1.0, 0.5, 0.0]
    assert [lines[who].tie_breaks["buchholz"] for who in range(3)] == [0.25, 0.5, 0.75]
    assert [lines[who].tie_breaks["sonneborn_berger"] for who in range(3)] == [0.25, 0.0, 0.0]


def test_the_strength_of_the_opponents_parts_those_that_have_not_met(competition):
    asked = competition(6, seats=2, rounds=2)
    past = past_of([{0: 1, 1: 0}, {2: 1, 3: 0}, {4: 1, 5: 0}], [{0: 1, 2: 0}, {4: 1, 3: 0}, {1: 1, 5: 0}])
    lines = standing(asked, past)
    assert lines[0].points == lines[4].points == 2.0
    assert lines[0].tie_breaks["direct"] is None
    assert lines[0].tie_breaks["buchholz"] > lines[4].tie_breaks["buchholz"]
    assert (lines[0].place, lines[4].place) == (1, 2)
    assert "the strength of the opponents decides (Buchholz)" in SWISS.outcome(asked, past)


def test_a_rest_is_worth_the_mean_of_the_rounds_that_one_played(competition):
    asked = competition(5, seats=4, rounds=3)
    first = {0: 3, 1: 2, 2: 1, 3: 0}
    past = past_of([first], [{0: 3, 1: 2, 2: 1, 4: 0}])
    lines = standing(asked, past)
    assert (lines[0].points, lines[3].points, lines[4].points) == (2.0, 0.0, 0.0)
    assert SWISS.rest_worth(asked, past, 4) == 0.0
    assert SWISS.rest_worth(asked, past.after(1), 4) == 0.5  # before it has played
    later = past_of([first], [{0: 3, 1: 2, 2: 1, 4: 0}], [{4: 3, 1: 2, 2: 1, 3: 0}])
    assert SWISS.rest_worth(asked, later, 4) == 0.5
    assert standing(asked, later)[4].points == 1.5


def test_rounds_that_are_over_keep_their_shares_when_one_leaves(competition):
    past = past_of([{0: 3, 1: 2, 2: 1, 3: 0}, {4: 3, 5: 2, 6: 1, 7: 0}])
    before = standing(competition(8, rounds=2), past)
    after = standing(competition(8, rounds=2, out=frozenset({0}), left_after={0: 1}), past)
    assert 0 not in after
    assert {who: line.points for who, line in after.items()} == {
        who: line.points for who, line in before.items() if who
    }
    assert [line.entrant for line in before.values() if line.entrant] == list(after)


def test_criteria_part_only_what_those_before_left_equal():
    tiers = refined([[1, 2, 3], [4]], lambda tier: {1: 0.0, 2: 1.0, 3: 0.0, 4: 9.0})
    assert tiers == [[2], [1, 3], [4]]
    assert ranks(tiers) == {2: 1, 1: 2, 3: 2, 4: 4}
    assert [is_cut(tiers, at) for at in range(5)] == [True, True, False, True, True]


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([("stiche-raten", 3), ("stiche-raten", 4), ("stiche-raten", 6), ("sixes-and-sevens", 4)]),
    st.lists(st.sampled_from([None, *"abcdefgh"]), min_size=6, max_size=12),
    st.sets(st.integers(0, 11), max_size=4),
)
def test_those_that_left_are_drawn_no_more_and_the_others_fill_all_groups_that_can_be(
    competition, game, authors, out
):
    name, seats = game
    out = frozenset(who for who in out if who < len(authors))
    asked = competition(
        authors=dict(enumerate(authors)), game=name, seats=seats, rounds=2,
        out=out, left_after=dict.fromkeys(out, 1),
    )  # fmt: skip
    first = {frozenset(tables[0]) for tables in SWISS.next_round(asked, Past())}
    assert len(first) == most_groups(authors, asked.group_size)
    present = [author for who, author in enumerate(authors) if who not in out]
    drawn = SWISS.next_round(asked, Past((tuple(first),)))
    second = {frozenset(tables[0]) for tables in drawn}
    assert len(second) == most_groups(present, asked.group_size)
    assert not out & {who for group in second for who in group}
