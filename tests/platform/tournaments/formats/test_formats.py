import re
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from django.utils.translation import override
from stichkampf_platform.people import sentences
from stichkampf_platform.tournaments.formats import ROUND_FORMATS, problems
from stichkampf_platform.tournaments.formats.competition import Past


def by_number(who, block, hand):
    return -who


def luck(who, block, hand):
    return Random(f"{who} {block} {hand}").randrange(1000)


SETTINGS = {
    "round-robin": {},
    "gauntlet": {},
    "regression": {"entrants": 2, "blocks": 64, "stopping": "decided", "rated": False},
    "swiss": {"rounds": 3},
    "knock-out": {},
}


@pytest.mark.parametrize("name", ROUND_FORMATS)
def test_every_format_comes_to_an_end_and_plans_the_same_again(name, competition, play_on):
    set_up = competition(**SETTINGS[name])
    assert not problems(name, set_up)
    past = play_on(name, set_up, luck)
    assert past.rounds == play_on(name, set_up, luck).rounds
    assert past.blocks >= 2


@pytest.mark.parametrize("name", sorted(set(ROUND_FORMATS) - {"regression"}))
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_every_hand_of_a_block_is_held_by_everybody_in_it_once(name, seats, competition):
    plan = ROUND_FORMATS[name].next_round(competition(13, **{**SETTINGS[name], "seats": seats}), Past())
    assert plan
    for tables in plan:
        assert len(tables) == seats
        assert all(len(set(hand)) == seats for hand in zip(*tables, strict=True))


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "swiss", "knock-out"])
def test_with_fixed_partners_two_copies_are_a_side(name, competition):
    plan = ROUND_FORMATS[name].next_round(competition(**SETTINGS[name], game="sixes-and-sevens"), Past())
    for tables in plan:
        assert all(table[0] == table[2] != table[1] == table[3] for table in tables)


def test_the_challenger_plays_every_block_and_the_field_takes_turns(competition):
    plan = ROUND_FORMATS["gauntlet"].next_round(competition(7, blocks=12), Past())
    played = Counter(who for tables in plan for who in tables[0])
    assert played.pop(0) == 12
    assert set(played.values()) == {6}


def test_a_clear_leader_ends_a_round_robin_early_and_is_named(competition, play_on):
    set_up = competition(5, blocks=400, stopping="decided")
    past = play_on("round-robin", set_up, lambda who, block, hand: luck(who, block, hand) - 900 * who)
    assert past.blocks < 400
    assert "bot-0 is proved the best" in ROUND_FORMATS["round-robin"].outcome(set_up, past)


def test_equal_bots_play_to_the_last_block_and_stay_undecided(competition, play_on):
    set_up = competition(5, blocks=50, stopping="decided")
    past = play_on("round-robin", set_up, lambda who, block, hand: 0)
    assert past.blocks == 50
    assert [len(blocks) for blocks in past.rounds] == [16, 16, 16, 2]
    assert ROUND_FORMATS["round-robin"].outcome(set_up, past) == "Not decided after 50 blocks."


@pytest.mark.parametrize(("better", "verdict"), [(0, "is better than"), (1, "is not better than")])
def test_a_regression_test_stops_with_its_verdict(better, verdict, competition, play_on):
    set_up = competition(**{**SETTINGS["regression"], "blocks": 1000})

    def strength(who, block, hand):
        return luck(who, block, hand) + 400 * (who == better)

    past = play_on("regression", set_up, strength)
    assert 32 <= past.blocks < 1000
    told = ROUND_FORMATS["regression"].outcome(set_up, past)
    assert f"bot-0 {verdict} bot-1" in told
    assert re.search(r"LLR \S+\. That is [-+]\d+ \([-+]\w+ to [-+]\w+\) Elo\.$", told)


def test_a_regression_test_of_several_ends_for_each_with_its_verdict(competition, play_on):
    set_up = competition(**{**SETTINGS["regression"], "entrants": 4, "blocks": 400})

    def strength(who, block, hand):
        return luck(who, block, hand) + {0: 400, 1: 0, 2: -400, 3: 0}[who]

    past = play_on("regression", set_up, strength)
    played = [sum(who in block for drawn in past.rounds for block in drawn) for who in range(4)]
    assert played[3] == past.blocks == sum(played[:3]) <= 400
    assert played[1] > max(played[0], played[2])
    told = ROUND_FORMATS["regression"].outcome(set_up, past)
    assert "bot-0 is better than bot-3" in told
    assert "bot-1 is better than bot-3" not in told
    assert "bot-2 is not better than bot-3" in told


def test_a_swiss_tournament_lets_those_meet_who_stand_alike_and_have_not_met(competition, play_on):
    set_up = competition(8, seats=2, rounds=3)
    past = play_on("swiss", set_up, by_number)
    meetings = Counter(group for number in range(3) for group in past.groups(number))
    assert max(meetings.values()) == 1
    assert all(len(past.groups(number)) == 4 for number in range(3))
    assert ROUND_FORMATS["swiss"].outcome(set_up, past) == "bot-0 wins with 3.00 points from 3 rounds."
    unbeaten = {who for who, share in past.shares(0).items() if share == 1}
    assert sum(group <= unbeaten for group in past.groups(1)) == 2


@pytest.mark.parametrize(
    ("language", "told"), [("en", r"points from 1 round\b"), ("de", r"gewinnt mit .* Punkten aus 1 Runde\b")]
)
def test_a_swiss_tournament_of_one_round_is_told_in_the_singular(language, told, competition, play_on):
    set_up = competition(4, seats=4, rounds=1)
    past = play_on("swiss", set_up, by_number)
    with override(language):
        assert re.search(told, sentences.told(ROUND_FORMATS["swiss"].outcome(set_up, past)))


def test_swiss_entrants_rest_twice_only_after_all_have_rested(competition, play_on):
    past = play_on("swiss", competition(7, seats=2, rounds=7), luck)
    assert set(Counter(who for n in range(7) for group in past.groups(n) for who in group).values()) == {6}


def test_a_swiss_tournament_never_seats_two_of_one_author(competition, play_on):
    authors = dict(enumerate("aabbccdde"))
    past = play_on("swiss", competition(authors=authors, seats=3, rounds=5), luck)
    for number in range(5):
        for group in past.groups(number):
            assert len({authors[who] for who in group}) == 3


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("entrants", [6, 7, 8, 13, 32])
def test_the_best_wins_the_knock_out_and_losers_return_only_to_fill_the_final(
    seats, entrants, competition, play_on
):
    set_up = competition(entrants, seats=seats)
    past = play_on("knock-out", set_up, by_number)
    assert ROUND_FORMATS["knock-out"].outcome(set_up, past) == "bot-0 wins the knock-out."
    assert len(past.groups(-1)) == 1
    assert all(len(before) >= len(after) for before, after in pairwise(past.rounds))


def test_sixteen_at_tables_of_two_play_four_rounds(competition, play_on):
    past = play_on("knock-out", competition(16, seats=2), luck)
    assert [len(past.groups(number)) for number in range(4)] == [8, 4, 2, 1]


def test_the_disqualified_play_no_further_round(competition, play_on):
    for name in ("swiss", "knock-out"):
        past = play_on(name, competition(9, seats=3, out=frozenset({0, 4}), rounds=3), by_number)
        assert not {who for blocks in past.rounds for group in blocks for who in group} & {0, 4}


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("round-robin", {"entrants": 3}, "needs 4 entrants"),
        ("round-robin", {"blocks": 0}, "one block or more"),
        ("round-robin", {"rounds": 3}, "leave the rounds empty"),
        ("round-robin", {"stopping": "decided", "blocks": 16}, "the first look is after 16 blocks"),
        ("gauntlet", {"stopping": "decided"}, "ends after a fixed number of blocks"),
        ("gauntlet", {"authors": {0: "ann", 1: "ann", 2: "b", 3: "c", 4: "d"}}, "bot-1 and the challenger"),
        ("gauntlet", {"entrants": 2}, "needs 4 entrants"),
        ("regression", {"entrants": 8}, "6 at most"),
        ("regression", {"entrants": 3, "blocks": 63}, "fewer than 64 blocks"),
        ("regression", {"rated": True}, "cannot be rated"),
        ("regression", {"stopping": "fixed"}, "ends until decided"),
        ("regression", {"blocks": 31}, "fewer than 32 blocks"),
        ("swiss", {"rounds": None}, "needs a number of rounds"),
        ("swiss", {"entrants": 3}, "needs 4 entrants"),
        ("swiss", {"authors": dict(enumerate("aabb"))}, "of different authors"),
        ("swiss", {"stopping": "decided"}, "ends after a fixed number of blocks"),
        ("knock-out", {"entrants": 3}, "needs 4 entrants"),
        ("knock-out", {"authors": dict(enumerate("abcda"))}, "one version of each author"),
    ],
)
def test_an_impossible_competition_is_refused_with_a_possible_one(name, changes, message, competition):
    found = problems(name, competition(**{**SETTINGS[name], **changes}))
    assert message in str(found)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_a_block_with_a_remote_entrant_seats_each_entrant_once(seats, competition):
    set_up = competition(2 * seats + 1, seats=seats, blocks=20, remote=frozenset({0}))
    assert not problems("round-robin", set_up)
    plan = ROUND_FORMATS["round-robin"].next_round(set_up, Past())
    assert len(plan) == 20
    for tables in plan:
        assert [len(set(table)) for table in tables] == [seats, seats]
        assert max(Counter(who for table in tables for who in table).values()) == 1
    assert len({who for tables in plan for table in tables for who in table}) == 2 * seats + 1


def test_holders_of_the_same_hand_of_a_remote_block_are_compared(competition, play_on):
    past = play_on("round-robin", competition(8, blocks=1, remote=frozenset({3})), by_number)
    seen = past.comparisons
    assert list(seen.count) == [1] * 4
    assert all(half_points == 2 for half_points in seen.half_points)


def test_a_clear_leader_ends_a_round_robin_with_remote_entrants_early_too(competition, play_on):
    set_up = competition(8, blocks=1000, stopping="decided", remote=frozenset({3}))
    past = play_on("round-robin", set_up, lambda who, block, hand: luck(who, block, hand) - 900 * who)
    assert past.blocks < 1000
    assert "bot-0 is proved the best" in ROUND_FORMATS["round-robin"].outcome(set_up, past)


def test_too_few_remote_entrants_for_two_tables_play_unrated_on_separate_cards(competition, play_on):
    set_up = competition(5, rated=False, blocks=10, remote=frozenset({0}))
    assert not problems("round-robin", set_up)
    past = play_on("round-robin", set_up, luck)
    assert past.blocks == 10
    assert all(len(group) == 4 for group in past.groups(0))
    assert len(past.comparisons.count) == 0


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("round-robin", {"entrants": 7}, "two full tables: 8 entrants, not 7; with fewer it cannot be rated"),
        ("round-robin", {"game": "sixes-and-sevens"}, "hands of both partners"),
        (
            "round-robin",
            {"entrants": 7, "rated": False, "stopping": "decided", "blocks": 99},
            "nothing is ever decided",
        ),
        (
            "round-robin",
            {"authors": dict(enumerate("aabcdefgh")), "remote": frozenset({0, 1})},
            "a has more than one remote entrant",
        ),
        ("gauntlet", {}, "leave out bot-0, or choose Round robin"),
        ("swiss", {}, "leave out bot-0, or choose Round robin"),
        ("knock-out", {}, "leave out bot-0, or choose Round robin"),
        ("regression", {}, "leave out bot-0, or choose Round robin"),
    ],
)
def test_formats_without_remote_entrants_refuse_them(name, changes, message, competition):
    found = problems(name, competition(**{"remote": frozenset({0}), **SETTINGS[name], **changes}))
    assert message in str(found)


def test_swiss_standings_are_by_points(competition, play_on):
    set_up = competition(8, seats=2, rounds=3)
    past = play_on("swiss", set_up, by_number)
    first_round = ROUND_FORMATS["swiss"].standings(set_up, past.after(1))
    assert [line.points for line in first_round] == [1.0] * 4 + [0.0] * 4
    assert {line.entrant for line in first_round[4:]} == {
        who for who, share in past.shares(0).items() if not share
    }
    lines = ROUND_FORMATS["swiss"].standings(set_up, past)
    assert (lines[0].entrant, lines[0].points) == (0, 3.0)
    assert sum(line.points for line in lines) == 12


def test_knock_out_standings_say_in_which_round_each_was_last(competition, play_on):
    set_up = competition(16, seats=2)
    past = play_on("knock-out", set_up, by_number)
    lines = ROUND_FORMATS["knock-out"].standings(set_up, past)
    assert [line.round_reached for line in lines] == [4] * 2 + [3] * 2 + [2] * 4 + [1] * 8
    assert lines[0].entrant == 0
    half_way = ROUND_FORMATS["knock-out"].standings(set_up, past.after(2))
    assert [line.round_reached for line in half_way] == [3] * 4 + [2] * 4 + [1] * 8


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "regression"])
def test_other_formats_leave_the_order_to_elo(name, competition, play_on):
    set_up = competition(**SETTINGS[name])
    assert ROUND_FORMATS[name].standings(set_up, play_on(name, set_up, luck)) == []


def test_an_error_in_one_field_hides_no_error_in_others(competition):
    wrong = competition(3, blocks=0, stopping="decided", rounds=None)
    found = problems("swiss", wrong)
    assert set(found) == {"blocks_planned", "stopping", "rounds", "entrants"}
    assert set(problems("swiss", wrong, unparsed_fields={"rounds", "entrants"})) == {
        "blocks_planned",
        "stopping",
    }
    assert set(problems("swiss", wrong, unparsed_fields={"format"})) == {"blocks_planned"}


@pytest.mark.parametrize("entrants", [4, 7, 8, 13])
@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "swiss", "knock-out"])
def test_the_tables_are_counted_before_any_is_played(name, seats, entrants, competition, play_on):
    entrants = max(entrants, seats)
    asked = competition(entrants, seats=seats, rounds=3 if name == "swiss" else None)
    past = play_on(name, asked, lambda who, block, hand: 100 - who)
    assert ROUND_FORMATS[name].tables_at_most(asked) == past.blocks * seats


def test_of_a_regression_test_the_most_tables_are_counted(competition):
    asked = competition(2, blocks=40, rated=False, stopping="decided")
    assert ROUND_FORMATS["regression"].tables_at_most(asked) == 40 * 2


def test_a_regression_test_in_which_nothing_was_played_says_so(competition):
    told = ROUND_FORMATS["regression"].outcome(competition(**SETTINGS["regression"]), Past())
    assert told == "bot-0 and bot-1 have played no pair of tables to its end."
