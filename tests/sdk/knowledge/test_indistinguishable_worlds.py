"""Two worlds that a seat cannot tell apart look the same to it, byte for byte: now, and as play goes on.

The other world is drawn by `determinise`, with other hands, discards, stocks, rows or trumps than the
true ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from random import Random
from typing import Any

import pytest
from stichkampf.engine.deal import Deal
from stichkampf.engine.game import Game
from stichkampf.match.match import Match
from stichkampf.match.narrator import ONLOOKER
from stichkampf.match.table import Table
from stichkampf_oracle import wilful

pytestmark = pytest.mark.slow


def observation(deal: Deal, seat: int) -> bytes:
    """Return all of a deal that the seat is shown, as bytes."""
    trick = deal.last_trick()
    shown = {
        "dealer": int(deal.dealer),
        "phase": deal.phase(),
        "hand": deal.hand(seat),
        "sizes": [deal.hand_size(s) for s in range(deal.seats)],
        "table": deal.table(),
        "facts": deal.facts(),
        "secrets": deal.secrets(seat),
        "tricks": int(deal.tricks_done()),
        "last trick": trick and [trick.number, int(trick.winner), trick.cards],
        "over": deal.is_over(),
        "legal": [deal.word(a) for a in deal.legal_of(seat)] if seat in deal.to_act() else None,
    }
    return json.dumps(shown, sort_keys=True).encode()


def test_every_seat_sees_the_same_in_the_true_world_and_a_drawn_one(walk):
    match = walk.match
    other_worlds = 0
    while not match.over:
        for seat in range(match.game.seats):
            deal = match.deal
            world = deal.determinise(seat, walk.rng.getrandbits(60))
            assert world.viewer == -1
            assert world.information_set(seat).key() == deal.information_set(seat).key()
            seen = observation(deal, seat)
            assert observation(world, seat) == seen
            assert observation(deal.information_set(seat), seat) == seen
            other_worlds += world.key() != deal.key()
        walk.step()
    assert other_worlds > 10


def test_a_bot_fed_with_events_knows_its_information_set_at_every_decision(walk):
    match = walk.match
    tables = [Table(match.game, seat, bytes(32)) for seat in range(match.game.seats)]
    told = 0
    while not match.over:
        for table in tables:
            table.follow(match.events(table.seat, told))
        told = len(match.log)
        for table in tables:
            seat, deal = table.seat, match.deal
            known = deal.information_set(seat)
            assert table.deal.key() == known.key()
            assert observation(table.deal, seat) == observation(deal, seat)
            seed = walk.rng.getrandbits(60)
            assert table.world(seed).key() == deal.determinise(seat, seed).key()
        walk.step()


class OneDeal(Game):
    """The rules of a game from a given deal on, to the end of that deal."""

    def __init__(self, game: Game, deal: Deal) -> None:
        self.game = game
        self.deal = deal
        self.seats = game.seats
        self.options = game.options
        self.name = game.name  # type: ignore[misc]

    def new_deal(self, number: int, dealer: int, dealt: Mapping[str, Any], carry: dict[str, Any]) -> Deal:
        return self.deal.clone()

    def is_finished(self, deals_played: int, totals: list[int], carry: dict[str, Any]) -> bool:
        return True


class NothingDealt:
    def __init__(self, dealer: int) -> None:
        self.dealer = dealer

    def first_dealer(self) -> int:
        return self.dealer

    def dealt(self, number: int, carry: dict[str, Any]) -> dict[str, Any]:
        return {}


def go_on_from(game: Game, deal: Deal) -> Match:
    return Match(OneDeal(game, deal), deals=NothingDealt(int(deal.dealer)))


REVEALED = {
    "was-sticht": {"rows", "hints", "trumps", "secret trumps"},
    "njet": {"received"},
}
"""Facts by which chance or a hidden choice is shown, so that a seat may tell worlds apart from then on."""


def events_of(match: Match, seat: int, without: Set[str] = frozenset()) -> bytes:
    """Return the events of a seat as bytes, without the facts named."""
    events = []
    for event in match.events(seat):
        facts = {name: value for name, value in (event.facts or {}).items() if name not in without}
        if facts or not event.facts:
            events.append(event._replace(facts=facts).to_json())
    return json.dumps(events).encode()


def told_apart(here: Match, there: Match, viewer: int) -> bool:
    """Tell whether the rules have just shown the viewer which world is the true one. Nothing else may."""
    if here.deal.information_set(viewer).key() == there.deal.information_set(viewer).key():
        return False
    if here.game.name == "meinz":
        monster = [event for event in here.events(viewer) if event.kind == "move"][-1].seat
        assert monster == here.game.seats == 3
        return True
    shown = REVEALED.get(here.game.name, frozenset())
    assert events_of(here, viewer, shown) == events_of(there, viewer, shown)
    return True


def step_alike(here: Match, there: Match, viewer: int, rng: Random) -> bool:
    """Make a choice in both worlds, the same as far as the viewer sees; False where none is possible."""
    seat = rng.choice(here.to_act())
    if here.deal.seen_as(viewer, seat, here.deal.action(here.legal(seat)[0])).endswith("?"):
        here.play(seat, rng.choice(here.legal(seat)))
        there.play(seat, rng.choice(there.legal(seat)))
        return True
    common = sorted(set(here.legal(seat)) & set(there.legal(seat)))
    if not common:
        return False
    word = wilful(rng, common)
    here.play(seat, word)
    there.play(seat, word)
    return True


def go_on_alike(here: Match, there: Match, viewer: int, rng: Random) -> int:
    """Make up to 16 choices in two worlds; returns the number of questions to the viewer."""
    asked = 0
    for _ in range(16):
        if told_apart(here, there, viewer):
            break
        assert events_of(here, viewer) == events_of(there, viewer)
        assert here.to_act() == there.to_act()
        if here.over:
            break
        assert here.legal(viewer) == there.legal(viewer)
        assert observation(here.deal, viewer) == observation(there.deal, viewer)
        asked += viewer in here.to_act()
        if not step_alike(here, there, viewer, rng):
            break
    return asked


def test_play_goes_on_alike_in_worlds_that_a_seat_cannot_tell_apart(walk):
    """Twins start from the true deal and a drawn one; hidden choices differ, seen ones do not."""
    match, rng = walk.match, walk.rng
    asked = different = 0
    while not match.over:
        deal, viewer = match.deal, rng.randrange(match.game.seats)
        if not deal.awaited or all(not deal.secrets(seat) for seat in range(match.game.seats)):
            here = go_on_from(match.game, deal)
            there = go_on_from(match.game, deal.determinise(viewer, rng.getrandbits(60)))
            different += here.deal.key() != there.deal.key()
            asked += go_on_alike(here, there, viewer, rng)
        walk.step()
    assert asked > 10
    assert different > 5


def test_an_onlooker_learns_no_hand_no_hidden_choice_and_no_secret(walk):
    match = walk.match
    told = 0
    while not match.over:
        deal = match.deal
        secret_facts = {fact for seat in range(match.game.seats) for fact in deal.secrets(seat)}
        walk.step()
        for event in match.events(ONLOOKER, told):
            assert event.kind != "deal" or (event.cards == () and set(event.facts or {}) == {"sizes"})
            assert not secret_facts & set(event.facts or {})
        told = len(match.log)
