"""The questions of a table about cards: true in the real deal, and the same in every world that a seat cannot
tell from it."""

from __future__ import annotations

import time
from collections import Counter
from random import Random

import pytest
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.match.table import Table
from stichkampf.testing import one_deal, table_at
from stichkampf_oracle import wilful

EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]
LONGER = {"stiche-raten": {"length": "deals:3"}}


def moments(name, seats, matches=2):
    """Yield the match and the asked seat's table at each decision of matches."""
    rng = Random(f"{name} {seats}")
    for _ in range(matches):
        match = Match(new_game(name, seats, LONGER.get(name, one_deal(name))), seed=rng.randbytes(32))
        tables = [Table(match.game, seat, bytes(32)) for seat in range(seats)]
        told = [0] * seats
        while not match.over:
            seat = rng.choice(match.to_act())
            table = tables[seat]
            table.follow(match.events(seat, told[seat]))
            told[seat] = len(match.log)
            table.legal = match.legal(seat)
            yield match, table
            match.play(seat, wilful(rng, table.legal))


def held(deal, game, seat):
    """Return all cards that a seat can still play, in the true deal."""
    facts = deal.facts()
    return Counter(deal.hand(seat)) + sum(
        (Counter(facts[name][seat]) for name, fact in game.facts.items() if fact.held), Counter()
    )


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_the_cards_of_others_are_out_and_may_be_held(name, seats):
    for match, table in moments(name, seats):
        deal, game = match.deal, match.game
        assert Counter(table.own_cards) == held(deal, game, table.seat)
        assert table.own_cards == sorted(table.own_cards, key=game.cards.index)
        out = table.out
        others = [seat for seat in range(deal.seats) if seat != table.seat]
        assert sum((held(deal, game, seat) for seat in others), Counter()) <= out
        assert table.unseen <= out
        for seat in others:
            cards = set(held(deal, game, seat))
            assert cards <= table.may_hold(seat) <= set(out)
            assert not {card[0] for card in cards} & table.voids(seat)
        assert table.may_hold(table.seat) == set(table.own_cards)


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_a_seat_may_hold_a_card_when_it_does_in_some_world(name, seats):
    possible = found = 0
    for step, (match, table) in enumerate(moments(name, seats, matches=2)):
        if step % 12 != 11:
            continue
        worlds = [table.world(seed) for seed in range(40)]
        for seat in set(range(seats)) - {table.seat}:
            hands = set().union(*(held(world, match.game, seat) for world in worlds))
            assert hands <= table.may_hold(seat)
            possible += len(table.may_hold(seat))
            found += len(hands)
    assert 0.75 * possible <= found


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_a_card_takes_the_trick_that_it_would_take_and_else_its_holder_does(name, seats):
    judged = Counter()
    for match, table in moments(name, seats, matches=20 if name == "mue" else 6):
        cards = [word.split()[1] for word in table.legal if word.startswith("play ")]
        if not cards:
            with pytest.raises(StichkampfError, match="cannot be played now; possible: none"):
                table.would_take(match.game.cards[0])
        assert table.led == (table.trick[0][1] if cards and table.trick else None) or not cards
        for card in cards if table.is_last else []:
            after = match.deal.clone()
            after.apply(after.action(f"play {card}"))
            winner = after.last_trick().winner
            assert table.would_take(card) == (winner == table.seat), (table.trick, card)
            judged[winner == table.seat] += 1
            if winner != table.seat and not (name == "sixes-and-sevens" and card[1] in "67"):
                assert winner == (-1 if table.holder is None else table.holder), (table.trick, card)
    assert judged[True]
    assert judged[False]


def test_a_six_turns_the_trick_and_a_seven_the_trump():
    hands = [["CK", "C3"], ["H7", "D6"], ["C2", "H9"], ["CA", "S2"]]
    game = new_game("sixes-and-sevens", 4)
    deal = game.new_deal(0, 3, {"hands": padded(hands)}, {})
    holders = []
    for card in ("CK", "H7", "H9"):
        deal.apply(deal.action(f"play {card}"))
        holders.append(deal.holder())
    assert holders == [0, 1, 2]


def padded(hands):
    """Fill four hands up to thirteen cards, with one six and one seven each."""
    named = {card for hand in hands for card in hand}
    filled = [list(hand) for hand in hands]
    for rank in "67":
        left = [suit + rank for suit in "CDHS" if suit + rank not in named]
        for hand in filled:
            if not any(card[1] == rank for card in hand):
                hand.append(left.pop())
    rest = [s + r for s in "CDHS" for r in "234589TJQKA" if s + r not in named]
    for hand in filled:
        while len(hand) < 13:
            hand.append(rest.pop())
    return filled


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_partners_are_mutual_and_the_rest_are_opponents(name, seats):
    """Two seats score alike in the games with sides, or lose and win together against the chief."""
    game = GAMES[name]
    sided = 0
    for match, table in moments(name, seats, matches=8):
        assert table.partners | table.opponents == set(range(seats)) - {table.seat}
        assert not table.partners & table.opponents
        sided += bool(table.partners)
        for other in table.partners:
            assert table.seat in mate(match, other).partners
            assert mate(match, other).opponents == table.opponents
    assert bool(sided) == (game.partners or (bool(game.sides) and seats > 2))


def mate(match, seat):
    table = Table(match.game, seat, bytes(32))
    table.follow(match.events(seat))
    return table


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_past_tricks_moves_and_points_are_those_of_the_deal(name, seats):
    for match, table in moments(name, seats, matches=1):
        deal = match.deal
        assert len(table.past_tricks) == deal.tricks_done()
        last = table.last_trick
        assert (last is None) == (not table.past_tricks)
        if last:
            assert repr(table.past_tricks[-1]) == repr(deal.last_trick()) == repr(last)
        assert len(table.points) == seats
        seen = [(seat, word) for seat, word in table.moves if not word.endswith("?")]
        assert set(seen) <= {tuple(move) for move in match.played[-1].moves} | {
            (table.seat, word) for _, word in table.moves
        }
        if name == "mue":
            assert table.points == deal.facts()["card points"]


def test_cards_that_lie_open_are_ones_own_in_mue():
    table = table_at("mue", 4, seed="open", phase="tricks")
    laid = table.facts["laid"][table.seat]
    assert laid
    assert Counter(table.own_cards) == Counter(table.hand) + Counter(laid)


def test_a_seat_that_has_shown_its_six_can_hold_none():
    for match, table in moments("sixes-and-sevens", 4):
        for event_seat, word in table.moves:
            if word[-1] == "6" and event_seat != table.seat:
                assert not any(card[1] == "6" for card in table.may_hold(event_seat))
        assert match


def test_the_deadline_is_the_time_limit_from_the_moment_it_was_set():
    table = table_at("meinz", 3)
    assert table.seconds is None
    assert table.deadline is None
    before = time.monotonic()
    table.seconds = 2.0
    assert before + 2.0 <= table.deadline <= time.monotonic() + 2.0
