"""The engine against a second referee that was written from the rules without a look at it.

Both are given the same deals; at every decision they must await the same seats and know the same words.
"""

import copy
from random import Random

import pytest
from stichkampf.errors import IllegalAction, RecordError
from stichkampf.games import new_game
from stichkampf.match import Match
from stichkampf.verify import Difference, verify
from stichkampf_referee import (
    GAMES,
    Disagreement,
    Walk,
    check,
    default_options,
    fresh_deals,
    perft,
    random_record,
    wilful,
)

NO_REPEATS = [f"exactly-{count}" for count in (1, 2, 3, 4)] + [
    *("no-tricks", "no-red", "no-yellow", "no-green", "no-blue"),
    *("last-trick", "most-tricks", "fewest-tricks"),
]


def settings():
    """A spread over seats and options: (game, seats, what differs from the defaults)."""
    for seats in (3, 4, 5, 6):
        yield "sticheln", seats, {"length": "deals:3"}
        yield "sticheln", seats, {"edition": "short", "zero_trick": "nobody", "length": "deals:4"}
        yield "stiche-raten", seats, {}
        yield "stiche-raten", seats, {"greifen_passen": True}
        yield "stiche-raten", seats, {"deck": 52, "greifen_passen": True, "ten_high": True}
        yield "stiche-raten", seats, {"deck": 52, "hook": False, "length": "deals:5"}
    yield "sticheln", 3, {"length": "points:20", "max_deals": 30}
    yield "sticheln", 4, {"length": "points:500", "max_deals": 3}
    yield "stiche-raten", 6, {"length": "deals:99", "ten_high": True}
    yield "sixes-and-sevens", 4, {}
    yield "sixes-and-sevens", 4, {"off_suit_seven": "absolute", "length": "deals:8"}
    yield "sixes-and-sevens", 4, {"length": "points:100", "max_deals": 30}
    yield "sixes-and-sevens", 4, {"length": "points:100", "max_deals": 2}
    for seats in (4, 5, 6):
        yield "mue", seats, {}
        yield "mue", seats, {"length": "deals:20", "allow_same_trump": True}
        yield "mue", seats, {"length": "deals:12", "bonus_cap": "none", "max_deals": 2}
    yield "mue", 4, {"length": "points:200", "max_deals": 2}
    for seats in (2, 3, 4, 5):
        yield "njet", seats, {}
        yield "njet", seats, {"scoring": "difference", "supertrump_suit": "own"}
        yield "njet", seats, {"length": "deals:3", "scoring": "difference"}
    for seats in (3, 4):
        yield "meinz", seats, {"length": "deals:3"}
        yield "was-sticht", seats, {}
        yield "was-sticht", seats, {"tasks_per_player": 3, "distinct_tasks": True, "dummy_in_hint": False}
        yield "was-sticht", seats, {"tasks_per_player": 5, "max_deals": 2}
        yield "was-sticht", seats, {"task_deck": NO_REPEATS, "tasks_per_player": 3, "distinct_tasks": True}
        yield "was-sticht", seats, {"task_deck": ["no-tricks"] * 17, "distinct_tasks": True}


SETTINGS = [
    pytest.param(game, seats, changes, id=f"{game} {seats} {' '.join(map(str, changes.values()))}"[:60])
    for game, seats, changes in settings()
]


def zeros_first(rng, words):
    """So that zeros meet zeros."""
    zeros = [word for word in words if word.startswith("play ") and word[6:] == "0"]
    return rng.choice(zeros or words)


def timid(rng, words):
    """Mostly passes and keeps quiet, so that auctions end early, in stalemates too."""
    cautious = [word for word in words if word in ("pass", "stop", "quiet", "keep")]
    return rng.choice(cautious) if cautious and rng.random() < 0.8 else rng.choice(words)


def any_word(rng, words):
    return rng.choice(words)


MANNERS = {"sticheln": [wilful, zeros_first], "mue": [wilful, timid, any_word], "meinz": [wilful, timid]}


class ArrangedCards(Random):
    """Deals cards sorted by rank or by suit, a few exchanged: hands of zeros alone or of one suit."""

    def shuffle(self, cards):
        place = self.choice((0, 1))
        cards.sort(key=lambda card: (card[place:], card))
        for _ in range(self.choice((0, 3, 9))):
            one, other = self.randrange(len(cards)), self.randrange(len(cards))
            cards[one], cards[other] = cards[other], cards[one]


class SharedDeals:
    """One list of deals for the engine (by number) and for the referee (in order)."""

    def __init__(self, deals):
        self.source = deals
        self.deals = []

    def __getitem__(self, number):
        while number >= len(self.deals):
            self.deals.append(next(self.source))
        return copy.deepcopy(self.deals[number])

    def first_dealer(self):
        return self[0]["dealer"]

    def dealt(self, number, carry):
        return {name: value for name, value in self[number].items() if name != "dealer"}


def spelled_out(game, seats, changes):
    return default_options(game, seats) | changes


def where(walk):
    return f"deal {len(walk.played)} {walk.dealt} moves {walk.moves} held {walk.held}"


def play_both(game, seats, options, rng, choose):
    """Play a match in both, comparing every decision; the two records."""
    deals = SharedDeals(fresh_deals(game, seats, options, rng))
    match = Match(new_game(game, seats, options), deals=deals)
    walk = Walk(game, seats, options, deals)
    assert match.game.options == options
    while not walk.over:
        awaited = walk.awaited()
        assert match.to_act() == awaited, where(walk)
        assert {seat: sorted(match.legal(seat)) for seat in range(seats)} == {
            seat: walk.legal(seat) for seat in range(seats)
        }, where(walk)
        assert match.scores == walk.scores, where(walk)
        if not walk.round.at_once():
            hands = [sorted(match.deal.hand(seat)) for seat in range(match.deal.seats)]
            assert hands == [sorted(hand) for hand in walk.round.hands], where(walk)
        seat = rng.choice(awaited)
        word = choose(rng, walk.legal(seat))
        match.play(seat, word)
        walk.play(seat, word)
    assert match.over
    return match.record([{"bot": f"foreign/{seat}", "version": 1} for seat in range(seats)]), walk.record()


@pytest.mark.parametrize(("game", "seats", "changes"), SETTINGS)
def test_engine_and_referee_know_the_same_words_at_every_decision(game, seats, changes):
    options = spelled_out(game, seats, changes)
    for seed, choose in enumerate(MANNERS.get(game, [wilful, any_word])):
        engine, referee = play_both(game, seats, options, Random(seed), choose)
        for field, value in referee.items():
            assert engine[field] == value, (field, seed)


@pytest.mark.parametrize(("game", "seats", "changes"), SETTINGS)
def test_engine_and_referee_agree_on_lopsided_hands(game, seats, changes):
    options = spelled_out(game, seats, changes)
    engine, referee = play_both(game, seats, options, ArrangedCards(5), wilful)
    for field, value in referee.items():
        assert engine[field] == value, field


def spare_two_no_zero(rng, words):
    """Leaves "discard two, no zeros" free to the last."""
    return rng.choice([word for word in words if word != "block discard two-no-zero"])


def test_njet_zeros_are_discarded_where_nothing_else_is_left():
    options = default_options("njet", 5)
    engine, referee = play_both("njet", 5, options, ArrangedCards(2), spare_two_no_zero)
    assert engine["deals"] == referee["deals"]
    discards = [word for deal in engine["deals"] for _, word in deal["moves"] if word.startswith("discard ")]
    assert any(word.endswith("0") for word in discards)
    assert not all(word.endswith("0") for word in discards)


@pytest.mark.parametrize(("game", "seats", "changes"), SETTINGS)
def test_referee_accepts_what_the_engine_dealt_and_recorded(game, seats, changes):
    rng = Random(11)
    match = Match(new_game(game, seats, changes), seed=rng.randbytes(32))
    while not match.over:
        seat = rng.choice(match.to_act())
        match.play(seat, wilful(rng, match.legal(seat)))
    record = match.record([{"bot": f"house/{seat}", "version": 1} for seat in range(seats)])
    check(record)
    verify(record)


@pytest.mark.parametrize(("game", "seats", "changes"), SETTINGS)
def test_record_of_another_program_is_accepted(game, seats, changes):
    options = spelled_out(game, seats, changes)
    for rng in (Random(100), ArrangedCards(101)):
        record = random_record(game, seats, options, rng)
        check(record)
        verify(record)


def continuations(deal, seats, depth):
    """How many sequences of choices the engine sees; the card monster's card is no choice."""
    if deal.is_over() or depth == 0:
        return 1
    leaves = 0
    rest = depth if deal.player() >= seats else depth - 1
    for action in deal.legal_actions():
        branch = deal.clone()
        branch.apply_by(deal.player(), action)
        leaves += continuations(branch, seats, rest)
    return leaves


@pytest.mark.parametrize(
    ("game", "seats"), [(game, seats) for game, rules in GAMES.items() for seats in rules.SEATS]
)
def test_clones_of_a_deal_branch_into_as_many_futures_as_the_referee_counts(game, seats):
    rng = Random(3)
    options = default_options(game, seats)
    deals = SharedDeals(fresh_deals(game, seats, options, rng))
    match = Match(new_game(game, seats, options), deals=deals)
    walk = Walk(game, seats, options, deals)
    for place in range(40):
        if place % 8 == 0:
            assert continuations(match.deal, seats, 2) == perft(walk, 2)
        seat = rng.choice(walk.awaited())
        word = wilful(rng, walk.legal(seat))
        match.play(seat, word)
        walk.play(seat, word)


@pytest.mark.parametrize("seats", [4, 5, 6])
def test_mue_plays_the_laid_copy_before_the_hidden_one(seats):
    """What remains open is public: after every move the same cards lie before the same seats."""
    rng = Random(8)
    options = spelled_out("mue", seats, {"length": "deals:12"})
    deals = SharedDeals(fresh_deals("mue", seats, options, rng))
    match, walk = Match(new_game("mue", seats, options), deals=deals), Walk("mue", seats, options, deals)
    choices_of_copy = 0
    while not walk.over:
        assert [sorted(cards) for cards in match.deal.facts()["laid"]] == [
            sorted(cards) for cards in walk.round.laid
        ]
        (seat,) = walk.awaited()
        word = wilful(rng, walk.legal(seat))
        card = word.removeprefix("play ")
        choices_of_copy += card in walk.round.laid[seat] and card in walk.round.hands[seat]
        match.play(seat, word)
        walk.play(seat, word)
    assert choices_of_copy > 0


# --- altered records

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
    changes = {"length": "deals:2"} if "length" in default_options(game, seats) else {"max_deals": 2}
    record = random_record(game, seats, spelled_out(game, seats, changes), Random(7), timid)
    assert len(record["deals"]) == 2
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
    verify(record)
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
    """(deal, move), or None where the referee has nothing to say against the record."""
    try:
        check(record)
    except Disagreement as disagreement:
        return disagreement.deal, disagreement.move
    return None


@pytest.mark.parametrize(("game", "seats", "option", "played", "claimed", "choose"), OPTIONS_THAT_MATTER)
def test_match_under_another_option_is_refused_at_the_same_move(game, seats, option, played, claimed, choose):
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


def test_seat_that_is_not_asked_knows_no_word():
    match = Match(new_game("sixes-and-sevens", 4, {}), seed=bytes(32))
    (seat,) = match.to_act()
    other = (seat + 1) % 4
    assert match.legal(other) == []
    with pytest.raises(IllegalAction):
        match.play(other, match.legal(seat)[0])
    assert match.to_act() == [seat]
