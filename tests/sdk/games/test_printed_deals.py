"""A printed deal shows hands, trick and facts; a blind one shows nothing that its viewer does not know."""

from __future__ import annotations

from random import Random

import pytest
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match

TABLES = [(name, seats) for name, game in GAMES.items() for seats in game.players]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_printed_deal_shows_all_hands_and_facts(name, seats):
    for deal in moments(name, seats):
        printed = str(deal).split("\n")
        assert printed[0] == repr(deal)[1:-1]
        for seat in range(deal.seats):
            assert f"seat {seat}: {' '.join(deal.hand(seat))}" in printed
        for fact, value in deal.facts().items():
            assert f"{fact}: {value}" in printed


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_printed_blind_deal_shows_only_what_its_viewer_knows(name, seats):
    for number, deal in enumerate(moments(name, seats)):
        viewer = number % seats
        known = deal.information_set(viewer)
        assert f"as seat {viewer} knows it" in str(known)
        other = deal.determinise(viewer, number).information_set(viewer)
        assert str(other) == str(known)


def test_a_printed_game_names_its_seats_and_options():
    game = new_game("mue", 4, {"length": "deals:3"})
    assert str(game) == "Mü for 4 seats: length deals:3, bonus_cap 100, allow_same_trump False, max_deals 40"
    assert repr(game).startswith("Mue(4, {'length': 'deals:3'")


def moments(name: str, seats: int):
    """Yield the deals of a match played at random, now and then on the way."""
    rng = Random(name)
    match = Match(new_game(name, seats), seed=rng.randbytes(32))
    for step in range(120):
        if match.over:
            break
        if step % 7 == 0:
            yield match.deal
        (seat, *_) = match.to_act()
        match.play(seat, rng.choice(match.legal(seat)))
