"""A record with anything in it altered is refused, by `verify` and by the second referee alike."""

import copy
from functools import cache
from random import Random

import pytest
from stichkampf.errors import RecordError
from stichkampf.match.verify import Difference, verify
from stichkampf_oracle import Disagreement, check, default_options, random_record, timid, wilful, zeros_first

pytestmark = pytest.mark.slow


def spelled_out(game, seats, changes):
    return default_options(game, seats) | changes


TABLES = [
    ("sticheln", 4),
    ("stiche-raten", 3),
    ("sixes-and-sevens", 4),
    ("mue", 5),
    ("njet", 2),
    ("njet", 5),
    ("meinz", 3),
    ("meinz", 4),
    ("was-sticht", 3),
    ("was-sticht", 4),
]


def first_play(record):
    """(deal, index) of the first card played in the last deal that came to play."""
    return next(
        (deal, index)
        for deal in reversed(record["deals"])
        for index, (_, word) in enumerate(deal["moves"])
        if word.startswith("play ")
    )


def play_a_card_of_somebody_else(record):
    deal, index = first_play(record)
    seat = deal["moves"][index][0]
    later = [move for move in deal["moves"][index:] if move[1].startswith("play ")]
    mine = {word for mover, word in later if mover == seat}
    deal["moves"][index][1] = next(word for _, word in later if word not in mine)


def play_a_card_that_there_is_not(record):
    deal, index = first_play(record)
    deal["moves"][index][1] = "play Z3"


def let_another_seat_lead_the_last_trick(record):
    moves = next(
        deal["moves"]
        for deal in reversed(record["deals"])
        if deal["moves"][-1][1].startswith(("play", "drop"))
    )
    plays = [index for index, (_, word) in enumerate(moves) if word.startswith("play ")]
    players = len({moves[index][0] for index in plays})
    lead = plays[-players]
    moves[lead][0] = (moves[lead][0] + 1) % players


def play_a_card_twice(record):
    deal, index = first_play(record)
    seat, word = deal["moves"][index]
    again = next(
        move for move in deal["moves"][index + 1 :] if move[0] == seat and move[1].startswith("play ")
    )
    again[1] = word


def deal_a_card_twice(record):
    holders = record["deals"][0].get("hands") or record["deals"][0]["rows"]
    other = next(card for card in holders[1] if card != holders[0][0])
    holders[0][0] = other


def leave_a_move_out(record):
    moves = record["deals"][0]["moves"]
    del moves[len(moves) // 2]


def add_a_move(record):
    record["deals"][0]["moves"].append(record["deals"][0]["moves"][-1])


def cut_a_deal_short(record):
    record["deals"][-1]["moves"].pop()


def leave_the_last_deal_out(record):
    last = record["deals"].pop()
    record["scores"] = [total - score for total, score in zip(record["scores"], last["scores"], strict=True)]


def add_a_deal(record):
    record["deals"].append(copy.deepcopy(record["deals"][-1]))


def change_a_deals_score(record):
    record["deals"][-1]["scores"][0] += 1


def change_a_total(record):
    record["scores"][-1] -= 1


def change_a_deals_score_and_the_total(record):
    record["deals"][0]["scores"][0] += 1
    record["scores"][0] += 1


def change_a_rank(record):
    record["ranks"][0] = record["ranks"][0] % len(record["seats"]) + 1


def rank_in_words_of_truth(record):
    record["ranks"] = [True if rank == 1 else rank for rank in record["ranks"]]


def move_the_second_dealer(record):
    record["deals"][1]["dealer"] = (record["deals"][1]["dealer"] + 1) % len(record["seats"])


def keep_an_option_quiet(record):
    record["options"].popitem()


def invent_an_option(record):
    record["options"]["jokers"] = 2


def change_the_length(record):
    options = record["options"]
    if "length" in options:
        options["length"] = "deals:3"
    else:
        options["max_deals"] = 1


def leave_a_seat_out(record):
    record["seats"].pop()


def blame_a_move_that_there_is_not(record):
    record["faults"] = [{"deal": 0, "move": 9999, "seat": 0, "kind": "timeout"}]


def blame_another_seat(record):
    mover = record["deals"][0]["moves"][0][0]
    seat = (mover + 1) % len(record["seats"])
    record["faults"] = [{"deal": 0, "move": 0, "seat": seat, "kind": "timeout"}]


ALTERATIONS = [
    play_a_card_of_somebody_else,
    play_a_card_that_there_is_not,
    let_another_seat_lead_the_last_trick,
    play_a_card_twice,
    deal_a_card_twice,
    leave_a_move_out,
    add_a_move,
    cut_a_deal_short,
    leave_the_last_deal_out,
    add_a_deal,
    change_a_deals_score,
    change_a_total,
    change_a_deals_score_and_the_total,
    change_a_rank,
    rank_in_words_of_truth,
    move_the_second_dealer,
    keep_an_option_quiet,
    invent_an_option,
    change_the_length,
    leave_a_seat_out,
    blame_a_move_that_there_is_not,
    blame_another_seat,
]


def two_deals(game, seats):
    return copy.deepcopy(played_and_verified(game, seats))


@cache
def played_and_verified(game, seats):
    changes = {"length": "deals:2"} if "length" in default_options(game, seats) else {"max_deals": 2}
    record = random_record(game, seats, spelled_out(game, seats, changes), Random(7), timid)
    assert len(record["deals"]) == 2
    verify(record)
    return record


def assert_refused(record):
    with pytest.raises(RecordError):
        verify(record)
    with pytest.raises(Disagreement):
        check(record)


@pytest.mark.parametrize("alter", ALTERATIONS, ids=lambda alter: alter.__name__)
@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_altered_record_is_refused(game, seats, alter):
    record = two_deals(game, seats)
    alter(record)
    assert_refused(record)


@pytest.mark.parametrize(
    ("game", "seats", "verb"),
    [
        ("sticheln", 3, "pain"),
        ("njet", 4, "discard"),
        ("njet", 3, "give"),
        ("meinz", 3, "away"),
        ("meinz", 4, "away"),
        ("was-sticht", 4, "show"),
    ],
)
def test_simultaneous_choices_in_another_order_are_refused(game, seats, verb):
    for seed in range(40):
        changes = {"length": "deals:1"} if "length" in default_options(game, seats) else {"max_deals": 1}
        record = random_record(game, seats, spelled_out(game, seats, changes), Random(seed))
        moves = record["deals"][0]["moves"]
        places = [index for index, (_, word) in enumerate(moves) if word.startswith(f"{verb} ")]
        if places:
            break
    first, last = places[0], places[-1]
    moves[first], moves[last] = moves[last], moves[first]
    assert_refused(record)


def test_wrong_hint_is_refused():
    record = two_deals("was-sticht", 3)
    hints = record["deals"][0]["hints"]
    hints[4] = 0 if hints[4] == "table" else "table"
    assert_refused(record)


def test_hint_without_its_table_is_refused():
    record = two_deals("was-sticht", 3)
    assert any("table" in deal["hints"] for deal in record["deals"])
    record["options"]["dummy_in_hint"] = False
    assert_refused(record)


def test_missing_monster_stack_is_refused():
    record = two_deals("meinz", 3)
    del record["deals"][1]["monster"]
    assert_refused(record)


def test_monster_that_chooses_its_card_is_refused():
    record = two_deals("meinz", 3)
    monsters = [move for move in record["deals"][0]["moves"] if move[0] == 3]
    monsters[0][1], monsters[1][1] = monsters[1][1], monsters[0][1]
    assert_refused(record)


def test_fault_of_the_card_monster_is_refused():
    record = two_deals("meinz", 3)
    moves = record["deals"][0]["moves"]
    move = next(index for index, (seat, _) in enumerate(moves) if seat == 3)
    record["faults"] = [{"deal": 0, "move": move, "seat": 3, "kind": "timeout"}]
    assert_refused(record)


OPTIONS_THAT_MATTER = [
    ("sticheln", 3, "zero_trick", "leader", "nobody", zeros_first),
    ("sticheln", 3, "zero_trick", "nobody", "leader", zeros_first),
    ("stiche-raten", 4, "hook", False, True, wilful),
    ("stiche-raten", 4, "ten_high", False, True, wilful),
    ("stiche-raten", 4, "greifen_passen", True, False, wilful),
    ("stiche-raten", 4, "greifen_passen", False, True, wilful),
    ("sixes-and-sevens", 4, "off_suit_seven", "normal", "absolute", wilful),
    ("sixes-and-sevens", 4, "off_suit_seven", "absolute", "normal", wilful),
    ("mue", 4, "bonus_cap", "none", 100, wilful),
    ("mue", 5, "allow_same_trump", True, False, wilful),
    ("njet", 4, "scoring", "full", "difference", wilful),
    ("njet", 3, "supertrump_suit", "trump", "own", wilful),
    ("njet", 4, "supertrump_suit", "own", "trump", wilful),
    ("was-sticht", 4, "distinct_tasks", False, True, wilful),
    ("was-sticht", 3, "dummy_in_hint", True, False, wilful),
    ("was-sticht", 3, "dummy_in_hint", False, True, wilful),
]


def first_disagreement(record):
    """(deal, move), or None where the referee accepts the record."""
    try:
        check(record)
    except Disagreement as disagreement:
        return disagreement.deal, disagreement.move
    return None


@pytest.mark.parametrize(("game", "seats", "option", "played", "claimed", "choose"), OPTIONS_THAT_MATTER)
def test_match_under_another_option_is_refused_at_its_first_difference(
    game, seats, option, played, claimed, choose
):
    changes = {"length": "deals:6"} if "length" in default_options(game, seats) else {"max_deals": 6}
    options = spelled_out(game, seats, changes | {option: played})
    for seed in range(200):
        record = random_record(game, seats, options, Random(seed), choose)
        claim = record | {"options": options | {option: claimed}}
        expected = first_disagreement(claim)
        if expected is not None:
            break
    verify(record)
    with pytest.raises(Difference) as difference:
        verify(claim)
    assert (difference.value.deal, difference.value.move) == expected
