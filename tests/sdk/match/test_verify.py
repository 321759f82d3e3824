"""The referee of records: everything right is accepted, everything altered is refused at the right place."""

from __future__ import annotations

import copy
import json
import random
from contextlib import suppress

import pytest
from stichkampf import Match, StichkampfError, new_game
from stichkampf.bots.practice import entrant, play_match
from stichkampf.cli import main
from stichkampf.errors import RecordError
from stichkampf.games import GAMES
from stichkampf.match.records import dump
from stichkampf.match.verify import Difference, verify

FIXED = ("format", "game", "options", "seats", "deals", "faults", "scores", "ranks")
VARIANTS = [
    ("sticheln", 4, {"edition": "short", "length": "deals:2"}),
    ("sticheln", 3, {"length": "points:20"}),
    ("stiche-raten", 3, {}),
    ("stiche-raten", 4, {"deck": 52, "length": "deals:3"}),
    ("stiche-raten", 5, {"greifen_passen": True, "length": "deals:4", "hook": False, "ten_high": True}),
    ("sixes-and-sevens", 4, {"length": "deals:2", "off_suit_seven": "absolute"}),
    ("sixes-and-sevens", 4, {"length": "points:50", "max_deals": 4}),
    ("njet", 2, {"length": "deals:2"}),
    ("njet", 5, {"length": "deals:2", "scoring": "difference"}),
    ("meinz", 3, {"length": "deals:3"}),
    ("meinz", 4, {"length": "deals:2"}),
    ("was-sticht", 3, {"dummy_in_hint": False}),
    ("was-sticht", 4, {"max_deals": 3, "tasks_per_player": 5}),
]


def played(name, seats, options, seed=bytes(32)):
    """The record of a match of random moves."""
    match = Match(new_game(name, seats, options), seed=seed)
    rng = random.Random(seed)
    while not match.over:
        seat = rng.choice(match.to_act())
        match.play(seat, rng.choice(match.legal(seat)))
    return json.loads(dump(match.record([{"bot": f"bot {seat}"} for seat in range(seats)], seed=seed.hex())))


@pytest.fixture(scope="module")
def original():
    return played("stiche-raten", 4, {"length": "deals:4"})


@pytest.fixture
def record(original):
    altered = copy.deepcopy(original)
    del altered["seed"]
    return altered


def refusal(record):
    with pytest.raises(RecordError) as caught:
        verify(record)
    return str(caught.value)


# What is right ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats", "options"), VARIANTS)
def test_a_record_of_the_referee_is_right(name, seats, options):
    verify(played(name, seats, options))


@pytest.mark.parametrize(("name", "seats"), [(name, n) for name, game in GAMES.items() for n in game.players])
def test_a_record_with_nothing_but_the_fixed_fields_is_right(name, seats):
    record = played(name, seats, {"max_deals": 2} if name == "was-sticht" else {"length": "deals:2"})
    verify({field: record[field] for field in FIXED})


def test_the_order_of_fields_does_not_matter(record):
    turned = {field: record[field] for field in reversed(record)}
    turned["options"] = dict(reversed(record["options"].items()))
    turned["deals"] = [dict(reversed(deal.items())) for deal in record["deals"]]
    verify(turned)


def test_further_fields_do_not_matter(record):
    record["deals"][0]["weather"] = "rain"
    record["seats"][1]["author"] = 7
    verify({**record, "remarks": [None]})
    verify({**record, "shuffle": "by hand", "seed": "none"})


WRONG = {
    'seats[0]: "version" must be a whole number': (
        "seats",
        [{"bot": "a", "version": "2"}, *[{"bot": "b"}] * 2],
    ),
    '"seed" must be a text': ("seed", 42),
    "seed: expected 64 hex digits": ("seed", 63 * "a"),
    "seed: expected 64 hex digits, found": ("seed", 32 * "a "),
    '"shuffle" must be a text': ("shuffle", ["sha256-counter/1"]),
    '"rules_version" must be a whole number': ("rules_version", "1"),
    '"rules_version" must be a whole number, not true': ("rules_version", True),
    "names version 9 of the rules": ("rules_version", 9),
    '"time_control" must be an object': ("time_control", [2, 10, 5]),
    '"time_control" must be an object with': ("time_control", {"move_seconds": "2"}),
    "time_control: cap_seconds": ("time_control", {"move_seconds": 5, "cap_seconds": 2}),
    "time_control: charged: expected cpu or wall for each seat": ("time_control", {"charged": ["cpu"]}),
    '"costs" must be lists': ("costs", [["0.5"]]),
    '"costs" must be lists of': ("costs", [[-1]]),
    "costs: expected a number or null for each move": ("costs", [[0.5]]),
    '"wall_times" must be lists': ("wall_times", {}),
    "wall_times: expected a number or null": ("wall_times", []),
    '"notes" must be a list': ("notes", [{"deal": 0, "move": 0, "note": "text"}]),
    '"notes" must be a list of': ("notes", [{"deal": 0, "move": 0, "note": {"weights": {"bid 1": "x"}}}]),
    "deal 0, move 999: notes: there is no such move": ("notes", [{"deal": 0, "move": 999, "note": {}}]),
    "notes: expected seat": ("notes", [{"deal": 0, "move": 0, "seat": 9, "note": {}}]),
    '"substitute" must be an object': ("substitute", "thumb"),
    '"substitute" must be an object with': ("substitute", {"version": 1}),
    '"sandbox" must be a text': ("sandbox", 1),
    '"stichkampf" must be a text': ("stichkampf", None),
}
"""Further fields of the wrong form, each with its value, by what is said of it."""


@pytest.mark.parametrize("said", WRONG)
def test_a_further_field_of_the_wrong_form_is_wrong_for_every_reader(record, said, tmp_path, capsys):
    name, value = WRONG[said]
    file = tmp_path / "r.jsonl"
    file.write_text(dump({**record, name: value}) + "\n")
    readers = {
        "verify": 1, "watch": 2, "marks": 2, "debug": 2, "view": 2, "dataset": 2,
    }  # fmt: skip
    more = {"debug": ["1", "thumb"], "dataset": ["--out", str(tmp_path / "data")], "view": ["--no-browser"]}
    for reader, status in readers.items():
        assert main([reader, str(file), *more.get(reader, [])]) == status, reader
        out, err = capsys.readouterr()
        assert said in out + err, (reader, out, err)
    assert not (tmp_path / "data").exists()


def test_what_a_record_gives_no_means_to_check_is_said(tmp_path, capsys):
    record = play_match(new_game("mue", 4, {"length": "deals:1"}), [entrant("thumb")] * 4, bytes(32)).record
    file = tmp_path / "r.jsonl"
    bare = {field: record[field] for field in FIXED}
    file.write_text(dump(record) + "\n" + dump(bare) + "\n")
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2 records refereed: 2 right, 0 wrong",
        "1 of them: cards not checked against a seed, which they do not name",
    ]
    assert main(["verify", str(file), "--json"]) == 0
    unchecked = [{"line": 2, "unchecked": "cards not checked against a seed"}]
    assert json.loads(capsys.readouterr().out) == {"records": 2, "wrong": [], "unchecked": unchecked}


def test_the_order_of_cards_in_hands_and_below_the_top_of_the_stock_does_not_matter(record):
    for deal in record["deals"]:
        for hand in deal["hands"]:
            hand.reverse()
        deal["stock"][1:] = reversed(deal["stock"][1:])
    verify(record)


def test_an_option_without_effect_may_be_given():
    record = played("sticheln", 3, {"length": "deals:1"})
    verify({**record, "options": {**record["options"], "max_deals": 30}})


def test_faults_at_moves_of_their_seats_are_right(record):
    record["faults"] = [
        {"deal": deal, "move": 1, "seat": record["deals"][deal]["moves"][1][0], "kind": "timeout"}
        for deal in (2, 0)
    ]
    verify(record)


# What is not -----------------------------------------------------------------------------------------------


def test_an_illegal_card_is_refused_at_its_move(record):
    moves = record["deals"][3]["moves"]
    seat, word = moves[4]
    other = next(card for card in record["deals"][3]["hands"][(seat + 1) % 4] if f"play {card}" != word)
    moves[4][1] = f"play {other}"
    assert refusal(record).startswith("deal 3, move 4: expected one of play ")


def test_a_bid_that_the_hook_forbids_is_refused():
    record = played("stiche-raten", 3, {"length": "deals:2"})
    moves = record["deals"][1]["moves"]
    forbidden = 2 - sum(int(word[4:]) for _, word in moves[:2])
    moves[0][1], moves[1][1], moves[2][1] = "bid 1", "bid 0", "bid 1"
    assert -3 < forbidden < 3
    assert refusal(record) == "deal 1, move 2: expected one of bid 0, bid 2; found 'bid 1'"


def test_a_word_that_is_no_action_is_refused(record):
    record["deals"][0]["moves"][0][1] = "bid one"
    assert "'bid one' is no action of stiche-raten" in refusal(record)


def test_a_wrong_winner_is_refused_at_the_next_lead(record):
    deal = record["deals"][3]
    leader = deal["moves"][8][0]
    deal["moves"][8][0] = (leader + 1) % 4
    assert (
        refusal(record)
        == f"deal 3, move 8: expected a move of seat {leader}, found one of seat {(leader + 1) % 4}"
    )


def test_a_wrong_score_of_a_deal_is_refused(record):
    right = list(record["deals"][2]["scores"])
    record["deals"][2]["scores"][1] += 1
    record["scores"][1] += 1
    assert refusal(record).startswith(f"deal 2: expected scores {right}, found")


def test_a_wrong_total_is_refused(record):
    record["scores"][0] += 1
    assert refusal(record).startswith("expected scores")


def test_a_wrong_rank_is_refused(record):
    record["ranks"].reverse()
    record["ranks"][0] = 4 if record["ranks"][0] != 4 else 1
    assert refusal(record).startswith("expected ranks")


def test_a_rank_true_is_not_a_rank_one(record):
    record["ranks"] = [True if rank == 1 else rank for rank in record["ranks"]]
    assert refusal(record).startswith('"ranks" must be 4 whole numbers')


def test_a_card_twice_is_refused(record):
    hands = record["deals"][3]["hands"]
    hands[0][0] = hands[1][0] = hands[2][0]
    assert refusal(record).startswith("deal 3: hands and stock:")


def test_a_card_of_another_deck_is_refused(record):
    record["deals"][0]["stock"][5] = "C2"
    assert refusal(record) == "deal 0: hands and stock: C2 does not belong there or is there too often"


def test_a_hand_of_the_wrong_size_is_refused(record):
    record["deals"][1]["stock"].append(record["deals"][1]["hands"][2].pop())
    assert "the hand of seat 2 has 1 cards; each has 2" in refusal(record)


@pytest.mark.parametrize("place", [0, 3, 4, 11, -1])
def test_a_missing_move_is_refused(record, place):
    del record["deals"][3]["moves"][place]
    assert refusal(record).startswith("deal 3, move")


def test_a_move_too_many_is_refused(record):
    record["deals"][1]["moves"].append([0, "play C7"])
    assert refusal(record) == "deal 1, move 12: expected no further move, the deal is over; found 'play C7'"


def test_two_simultaneous_choices_in_the_wrong_order_are_refused():
    record = played("sticheln", 3, {"length": "deals:1"})
    moves = record["deals"][0]["moves"]
    moves[0], moves[1] = moves[1], moves[0]
    assert refusal(record).startswith("deal 0, move 0: expected a move of seat")


def test_a_dealer_out_of_turn_is_refused(record):
    right = record["deals"][1]["dealer"]
    record["deals"][1]["dealer"] = (right + 1) % 4
    assert refusal(record) == f"deal 1: expected dealer {right}, found {(right + 1) % 4}"


@pytest.mark.parametrize("dealer", [-1, 4, 99])
def test_a_dealer_who_has_no_seat_is_refused(record, dealer):
    record["deals"][0]["dealer"] = dealer
    assert refusal(record) == f"deal 0: expected dealer 0 or 1 or 2 or 3, found {dealer}"


def test_meinz_with_three_begins_with_dealer_two():
    record = played("meinz", 3, {"length": "deals:1"})
    del record["seed"]
    record["deals"][0]["dealer"] = 1
    assert refusal(record) == "deal 0: expected dealer 2, found 1"


def test_a_match_that_ends_too_early_is_refused(record):
    record["deals"].pop()
    assert refusal(record) == "the record ends after 3 deals; the match is not over then"


def test_a_match_that_goes_on_too_long_is_refused(record):
    record["options"]["length"] = "deals:3"
    assert refusal(record) == "the match was over after 3 deals; the record lists 4"


def test_a_hint_that_names_another_seat_is_refused():
    record = played("was-sticht", 4, {"max_deals": 1})
    hints = record["deals"][0]["hints"]
    hints[4] = (hints[4] + 1) % 4
    assert refusal(record).startswith("deal 0: expected hints [")


def test_a_monster_that_does_not_play_its_top_card_is_refused():
    record = played("meinz", 3, {"length": "deals:1"})
    stack = record["deals"][0]["monster"]
    stack[0], stack[1] = stack[1], stack[0]
    del record["seed"]
    assert "expected one of play" in refusal(record)


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("hook", False, "expected"),
        ("deck", 52, "deal 0"),
        ("deck", "64", 'deck cannot be "64"; possible: 64 or 52'),
        ("deck", 63, "deck cannot be 63; possible: 64 or 52"),
        ("hook", 1, "hook cannot be 1; possible: true or false"),
        ("speed", 3, "has no option 'speed'"),
        ("length", "deals:0", 'length cannot be "deals:0"'),
    ],
)
def test_a_changed_option_is_refused(record, option, value, complaint):
    if option == "hook" and value is False:  # breaks no move by itself: the forbidden bid must be there
        record["deals"][0]["moves"][3][1] = "bid 9"
    record["options"][option] = value
    assert complaint in refusal(record)


@pytest.mark.parametrize("option", ["deck", "length", "greifen_passen", "hook", "ten_high"])
def test_an_option_left_out_is_refused_also_where_it_has_its_default(record, option):
    del record["options"][option]
    assert refusal(record).startswith(f"options: {option} is missing")


def test_an_unknown_game_is_refused(record):
    record["game"] = "skat"
    assert "no game is called 'skat'" in refusal(record)


def test_a_number_of_seats_for_which_the_game_is_not_made_is_refused():
    record = played("sixes-and-sevens", 4, {"length": "deals:1"})
    record["seats"].pop()
    for scores in (record["scores"], record["ranks"], record["deals"][0]["scores"]):
        scores.pop()
    assert "seats, not 3" in refusal(record)


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ({"deal": 4, "move": 0, "seat": 0}, "there is no deal 4"),
        ({"deal": 0, "move": 8, "seat": 0}, "deal 0, move 8: faults: there is no such move"),
        ({"deal": 0, "move": -1, "seat": 0}, "there is no such move"),
    ],
)
def test_a_fault_without_its_move_is_refused(record, fault, complaint):
    record["faults"] = [{**fault, "kind": "timeout"}]
    assert complaint in refusal(record)


def test_a_fault_of_the_wrong_seat_is_refused(record):
    seat = record["deals"][0]["moves"][1][0]
    record["faults"] = [{"deal": 0, "move": 1, "seat": (seat + 1) % 4, "kind": "illegal"}]
    assert refusal(record) == f"deal 0, move 1: faults: expected seat {seat}, found seat {(seat + 1) % 4}"


def test_the_monster_has_no_faults():
    record = played("meinz", 3, {"length": "deals:1"})
    place = next(k for k, (seat, _) in enumerate(record["deals"][0]["moves"]) if seat == 3)
    record["faults"] = [{"deal": 0, "move": place, "seat": 3, "kind": "timeout"}]
    assert f"deal 0, move {place}: faults:" in refusal(record)


def test_a_record_is_held_to_the_seed_that_it_names(original):
    record = copy.deepcopy(original)
    record["deals"][2]["stock"][1:] = reversed(record["deals"][2]["stock"][1:])
    assert refusal(record) == "deal 2: stock are not those that follow from the seed of the record"


def test_a_record_that_names_another_seed_is_refused(original):
    assert refusal({**original, "seed": "0" * 63 + "1"}).startswith("deal 0: ")


def test_a_record_under_other_rules_says_so(record):
    record["rules_version"] = 99
    assert "names version 99 of the rules of stiche-raten; this program knows version 1" in refusal(record)


def test_a_difference_names_its_deal_and_move(record):
    record["deals"][1]["moves"][3][1] = "bid 9"
    with pytest.raises(Difference) as caught:
        verify(record)
    assert (caught.value.deal, caught.value.move) == (1, 3)


# Whatever is altered ---------------------------------------------------------------------------------------


def leaves(value, path=()):
    """Yield the path of every number, text, truth value and null in a document."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path


JUNK = [None, True, False, -1, 0, 7, 3.5, 10**30, "", "none", "play R6", [], {}, [[]], ["R1"], {"a": 1}]


@pytest.mark.parametrize(("name", "seats", "options"), VARIANTS)
def test_no_altered_record_breaks_the_referee(name, seats, options):
    """The referee answers yes or no, with any value anywhere in a record."""
    text = dump(played(name, seats, {**options, **({} if name == "was-sticht" else {"length": "deals:1"})}))
    rng = random.Random(name)
    paths = [path for path in leaves(json.loads(text)) if path[0] != "seed"]
    for _ in range(150):
        record = json.loads(text)
        del record["seed"]
        *path, last = rng.choice(paths)
        place = record
        for key in path:
            place = place[key]
        place[last] = rng.choice(JUNK)
        with suppress(StichkampfError):
            verify(record)


@pytest.mark.parametrize(("name", "seats", "options"), VARIANTS)
def test_a_list_or_object_in_place_of_another_never_breaks_the_referee(name, seats, options):
    text = dump(played(name, seats, {**options, **({} if name == "was-sticht" else {"length": "deals:1"})}))
    for field, right in json.loads(text)["deals"][0].items():
        for junk in JUNK:
            if junk == right:
                continue
            record = json.loads(text)
            del record["seed"]
            record["deals"][0][field] = junk
            with pytest.raises(RecordError):
                verify(record)
