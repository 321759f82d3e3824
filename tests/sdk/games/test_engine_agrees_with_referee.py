"""The engine against a second referee that was written from the rules without a look at it.

Both are given the same deals; at every decision they must await the same seats and know the same words.
"""

import copy
from random import Random

import pytest
from stichkampf.errors import IllegalAction
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf.match.verify import verify
from stichkampf_oracle import (
    GAMES,
    ArrangedCards,
    Walk,
    any_word,
    check,
    default_options,
    fresh_deals,
    perft,
    random_record,
    timid,
    wilful,
    zeros_first,
)

pytestmark = pytest.mark.slow

NO_REPEATS = [f"exactly-{count}" for count in (1, 2, 3, 4)] + [
    *("no-tricks", "no-red", "no-yellow", "no-green", "no-blue"),
    *("last-trick", "most-tricks", "fewest-tricks"),
]


def settings():
    """A spread over seats and options: (game, seats, changes to the defaults)."""
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


MANNERS = {"sticheln": [wilful, zeros_first], "mue": [wilful, timid, any_word], "meinz": [wilful, timid]}


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
def test_engine_and_referee_allow_the_same_words_at_every_decision(game, seats, changes):
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
    """Leave "discard two, no zeros" free to the last."""
    return rng.choice([word for word in words if word != "block discard two-no-zero"])


def test_njet_zeros_are_discarded_only_from_hands_of_zeros():
    options = default_options("njet", 5)
    engine, referee = play_both("njet", 5, options, ArrangedCards(2), spare_two_no_zero)
    assert engine["deals"] == referee["deals"]
    discards = [word for deal in engine["deals"] for _, word in deal["moves"] if word.startswith("discard ")]
    assert any(word.endswith("0") for word in discards)
    assert not all(word.endswith("0") for word in discards)


@pytest.mark.parametrize(("game", "seats", "changes"), SETTINGS)
def test_referee_accepts_records_of_the_engine(game, seats, changes):
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
    """Count the sequences of choices that the engine sees; the card monster's card is no choice."""
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
def test_engine_and_referee_count_the_same_continuations(game, seats):
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
    """Open cards are public: after every move the same cards lie before the same seats."""
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


def test_seat_that_is_not_asked_has_no_legal_word():
    match = Match(new_game("sixes-and-sevens", 4, {}), seed=bytes(32))
    (seat,) = match.to_act()
    other = (seat + 1) % 4
    assert match.legal(other) == []
    with pytest.raises(IllegalAction):
        match.play(other, match.legal(seat)[0])
    assert match.to_act() == [seat]
