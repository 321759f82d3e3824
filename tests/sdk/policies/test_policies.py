"""Policies know no more than the seat, have one weight a kind, and bid as people do."""

from __future__ import annotations

import re

import pytest
from stichkampf import new_game
from stichkampf.engine.bits import next_random
from stichkampf.engine.search import search
from stichkampf.engine.seeds import Chance
from stichkampf.games import GAMES
from stichkampf.policies import POLICIES, policy_of
from stichkampf.policies.search_guides import guides_of, policy_alone
from stichkampf.policies.tricks import TRICK_POLICIES, trick_policy_of
from stichkampf.policies.weights import read_weights

BEFORE_TRICKS = [(policy_of, name) for name in POLICIES]
IN_TRICKS = [(trick_policy_of, name) for name in TRICK_POLICIES]
EVERY_POLICY = BEFORE_TRICKS + IN_TRICKS
EVERY_TABLE = [(made, name, seats) for made, name in EVERY_POLICY for seats in GAMES[name].players]


def deals(name, seats, count, **options):
    game = new_game(name, seats, options)
    carry = game.start()
    for number in range(count):
        chance = Chance(bytes([seats]) * 32, f"deal {number}")
        dealt = game.shuffle(chance, number, carry)
        yield game.new_deal(number, number % game.table_seats, dealt, carry)


@pytest.mark.parametrize("name", [*POLICIES, *TRICK_POLICIES])
def test_each_kind_has_a_weight_and_a_name_of_its_own(name):
    kinds = TRICK_POLICIES.get(name, POLICIES.get(name)).names
    weights = read_weights()[name]
    assert list(weights) == kinds
    assert len(set(kinds)) == len(kinds)
    assert all(1 <= weight <= 1_000_000 for weight in weights.values())


@pytest.mark.parametrize(("made", "name", "seats"), EVERY_TABLE)
def test_kinds_go_by_the_knowledge_of_the_seat_alone(made, name, seats):
    policy = made(name)
    x, judged = 5, set()
    for deal in deals(name, seats, 6):
        while not deal.is_over():
            seat = deal.player()
            legal = deal.legal_of(seat)
            kinds = policy.kinds(deal, seat, legal)
            if kinds:
                assert policy.judges(deal)
                assert policy.judges_now(deal)
                assert len(kinds) == len(legal)
                assert policy.kinds(deal.information_set(seat), seat, legal) == kinds
                judged |= set(kinds)
            x = next_random(x)
            deal.apply(policy.pick(deal, x))
    assert judged <= set(range(len(policy.names)))
    assert len(judged) > len(policy.names) / 4


@pytest.mark.parametrize(("made", "name"), EVERY_POLICY)
def test_a_policy_plays_deals_to_their_end_and_repeats(made, name):
    seats = GAMES[name].players[-1]
    first, again = ([made(name).rollout(deal, 3) for deal in deals(name, seats, 3)] for _ in range(2))
    assert first == again
    assert all(len(scores) == seats for scores in first)


def test_a_game_without_a_policy_has_none():
    assert policy_of("sticheln") is None
    assert trick_policy_of("njet") is None


def taker_with(deal, action):
    """The seat that has the trick once this card lies there."""
    after = deal.clone()
    after.apply(action)
    return after.holder() if after.table() else after.winner


@pytest.mark.parametrize(("made", "name", "seats"), [one for one in EVERY_TABLE if one[0] is trick_policy_of])
def test_kinds_of_cards_say_whether_these_take_the_trick(made, name, seats):
    policy, x, seen = made(name), 9, set()
    for deal in deals(name, seats, 4):
        while not deal.is_over():
            seat, legal = deal.player(), deal.legal_actions()
            if deal.phase() == "tricks" and deal.table():
                for action, kind in zip(legal, policy.kinds(deal, seat, legal), strict=True):
                    takes = re.search(r"\btake\b|to oneself", policy.names[kind]) is not None
                    assert takes == (taker_with(deal, action) == seat)
                    seen.add(takes)
            x = next_random(x)
            deal.apply(policy.pick(deal, x))
    assert seen == {True, False}


def behind_hopeless_bids(number):
    """A deal of Mü with six seats, of which this number have laid eight cards of their ten."""
    game = new_game("mue", 6)
    deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    height = [8] * number + [0] * (6 - number)
    while [*map(len, deal.facts()["laid"])] != height or deal.player() < number:
        words = [deal.word(action) for action in deal.legal_actions()]
        lays = len(deal.facts()["laid"][deal.player()]) < height[deal.player()]
        deal.apply(deal.action(next(word for word in words if word.startswith("lay") == lays)))
    return deal


@pytest.mark.parametrize(("hopeless", "has_one"), [(0, True), (1, True), (2, False)])
def test_search_expects_no_usual_bids_behind_two_of_six_that_bid_beyond_any_hand(hopeless, has_one):
    deal = behind_hopeless_bids(hopeless)
    seat, legal = deal.player(), deal.legal_actions()
    assert [len(cards) for cards in deal.facts()["laid"]] == [8] * hopeless + [0] * (6 - hopeless)
    usual = guides_of("mue", 4).policy.kinds(deal, seat, legal)
    assert guides_of("mue", 6).policy.kinds(deal, seat, legal) == (usual if has_one else [])


def test_search_expects_the_usual_bids_of_four_seats_even_behind_a_hopeless_one():
    deal = behind_a_hopeless_bid()
    policy = guides_of("mue", 4).policy
    assert [len(cards) for cards in deal.facts()["laid"]] == [8, 2, 0, 0]
    legal = deal.legal_actions()
    assert policy.kinds(deal, 2, legal) != []
    for _ in range(3):
        while deal.player() != 0:
            deal.apply(deal.action("pass"))
        deal.apply(deal.legal_actions()[0])
    assert len(deal.facts()["laid"][0]) == 11
    seat, legal = deal.player(), deal.legal_actions()
    assert policy.kinds(deal, seat, legal) != []


@pytest.mark.parametrize("seats", GAMES["mue"].players)
def test_most_auctions_of_mue_end_in_a_contract_of_few_cards(seats):
    policy, x = policy_of("mue"), 1
    heights = []
    for deal in deals("mue", seats, 150):
        while deal.phase() != "tricks" and not deal.is_over():
            x = next_random(x)
            deal.apply(policy.pick(deal, x))
        if deal.facts()["chief"] is not None:
            heights.append(len(deal.facts()["laid"][deal.facts()["chief"]]))
    assert len(heights) > 0.6 * 150
    assert sum(height <= 6 for height in heights) > 0.9 * len(heights)


def behind_a_hopeless_bid():
    """A deal of Mü in which the first seat has laid eight cards of all colours, the second two."""
    game = new_game("mue", 4)
    deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 14"), 0, {}), {})
    for turn in range(8):
        legal = deal.legal_actions()
        deal.apply(legal[5 * turn % (len(legal) - 1)])
        for word in ("lay B1", "lay Y3", "stop") if turn == 4 else ("pass",):
            deal.apply(deal.action(word))
        if turn < 7:
            deal.apply(deal.action("pass"))
            deal.apply(deal.action("pass"))
    return deal


def test_search_contends_for_the_second_place_behind_a_hopeless_bid():
    deal = behind_a_hopeless_bid()
    assert [len(cards) for cards in deal.facts()["laid"]] == [8, 2, 0, 0]
    words = [
        deal.word(search(deal, 2, iterations=200, seed=1, policy=policy, priors=priors).action)
        for policy, priors in (guides_of("mue", 4), policy_alone("mue"))
    ]
    assert words[0].startswith("lay")
    assert words[1] == "pass"


def test_search_is_guided_by_the_policy_alone_where_there_are_no_other_guides():
    policy = policy_of("njet")
    assert guides_of("njet", 4) == (policy, policy)
