"""The events of each observer: all that it may know, and nothing else, for every game and number of seats."""

from __future__ import annotations

import random

import pytest
from stichkampf import Match, Table, new_game
from stichkampf.games import GAMES
from stichkampf.match.events import Event
from stichkampf.match.narrator import ONLOOKER

EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]
SHORT = {"was-sticht": {"max_deals": 2}}


def new_match(name: str, seats: int, seed: int) -> Match:
    options = SHORT.get(name, {"length": "deals:3"})
    return Match(new_game(name, seats, options), seed=bytes([seed]) * 32)


class Listener:
    """A seat's table that takes in all its events, and must agree with the referee at every decision."""

    def __init__(self, match: Match, seat: int) -> None:
        self.match = match
        self.table = Table(match.game, seat, bytes(32))
        self.told = 0
        self.facts: dict = {}

    def listen(self) -> None:
        news = self.match.events(self.table.seat, self.told)
        self.told = len(self.match.log)
        self.table.follow(news)
        for event in news:
            if event.kind == "deal":
                self.facts = {}
            if event.kind == "facts":
                self.facts |= event.facts
                self.facts = {name: value for name, value in self.facts.items() if value is not None}


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
@pytest.mark.parametrize("seed", range(2))
def test_a_table_built_from_events_equals_the_information_set_of_its_seat(name, seats, seed):
    match = new_match(name, seats, seed)
    rng = random.Random(seed)
    listeners = [Listener(match, seat) for seat in range(seats)]
    while not match.over:
        seat = rng.choice(match.to_act())
        listener = listeners[seat]
        listener.listen()
        table, deal = listener.table, match.deal
        assert table.deal.key() == deal.information_set(seat).key()
        assert sorted(map(table.deal.word, table.deal.legal_of(seat))) == sorted(match.legal(seat))
        assert (table.hand, table.trick, table.phase) == (deal.hand(seat), deal.table(), deal.phase())
        known = {**deal.facts(), **({} if deal.awaited else deal.secrets(seat))}
        assert listener.facts == {fact: value for fact, value in known.items() if value is not None}
        assert (table.totals, table.deal_number) == (match.scores, len(match.played) - 1)
        match.play(seat, rng.choice(match.legal(seat)))


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_sampled_worlds_agree_with_the_information_set(name, seats):
    match = new_match(name, seats, 5)
    rng = random.Random(5)
    listeners = [Listener(match, seat) for seat in range(seats)]
    while not match.over:
        seat = rng.choice(match.to_act())
        listeners[seat].listen()
        if rng.random() < 0.2:
            table = listeners[seat].table
            assert table.world(7).information_set(seat).key() == table.deal.key()
        match.play(seat, rng.choice(match.legal(seat)))


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_every_seat_sees_all_events_of_an_onlooker(name, seats):
    match = new_match(name, seats, 2)
    rng = random.Random(2)
    while not match.over:
        seat = rng.choice(match.to_act())
        match.play(seat, rng.choice(match.legal(seat)))
    public = [
        event for event in match.events(ONLOOKER) if event.kind not in ("deal", "move", "fault", "facts")
    ]
    for seat in range(seats):
        own = match.events(seat)
        assert [event for event in own if event.kind not in ("deal", "move", "fault", "facts")] == public


def test_an_onlooker_sees_no_hand():
    match = new_match("sticheln", 4, 0)
    dealt = [event for event in match.events(ONLOOKER) if event.kind == "deal"]
    assert [event.cards for event in dealt] == [()]
    assert "hands" not in dealt[0].facts


def test_a_seat_is_dealt_its_own_cards_only():
    match = new_match("sticheln", 4, 0)
    for seat in range(4):
        (dealt,) = [event for event in match.events(seat) if event.kind == "deal"]
        assert list(dealt.cards) == match.deal.hand(seat)
        assert dealt.facts == {"sizes": [15] * 4}


def test_events_survive_json():
    match = new_match("was-sticht", 4, 1)
    for _, event in match.log:
        assert Event.from_json(event.to_json()) == event
