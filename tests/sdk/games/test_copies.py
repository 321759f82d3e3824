"""Deals pickle and deep-copy, full and blind; a copy goes on as the deal would, bit for bit."""

from __future__ import annotations

import copy
import pickle

import pytest
from librt.vecs import vec
from mypy_extensions import i64
from stichkampf.engine.bits import next_random
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match

EVERY_TABLE = [(name, seats) for name, game in GAMES.items() for seats in game.players]
WAYS = {"pickle": lambda deal: pickle.loads(pickle.dumps(deal)), "deepcopy": copy.deepcopy, "copy": copy.copy}


def play(deal, x, decisions):
    while not deal.is_over() and decisions:
        x = next_random(x)
        deal.apply(deal.pick(x))
        decisions -= 1
    return x


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_a_copy_goes_on_as_the_deal_would(name, seats, way):
    deal = Match(new_game(name, seats), seed=bytes(32)).deal
    for stretch in range(4):
        x = play(deal, stretch + 1, 9 * stretch)
        if deal.is_over():
            break
        before = deal.key()
        made = WAYS[way](deal)
        blind = WAYS[way](deal.information_set(deal.player() % seats))
        assert type(made) is type(deal)
        assert made.key() == before
        assert blind.key() == deal.information_set(deal.player() % seats).key()
        assert blind.determinise(blind.viewer, 7).key() == deal.determinise(blind.viewer, 7).key()
        play(made, x, 12)
        assert deal.key() == before
        other = deal.clone()
        play(other, x, 12)
        assert made.key() == other.key()
        assert made.rollouts(3, 5) == other.rollouts(3, 5)


@pytest.mark.parametrize("name", GAMES)
def test_matches_and_games_pickle(name):
    match = Match(new_game(name, GAMES[name].players[0]), seed=bytes(32))
    for _ in range(7):
        seat = match.to_act()[0]
        match.play(seat, match.legal(seat)[0])
    other = pickle.loads(pickle.dumps(match))
    assert repr(other.game) == repr(match.game)
    while not match.over and len(match.played) < 2:
        seat = match.to_act()[0]
        word = match.legal(seat)[0]
        for each in (match, other):
            each.play(seat, word)
    assert other.log == match.log


@pytest.mark.parametrize(("name", "seats"), EVERY_TABLE)
def test_legal_actions_are_written_as_they_are_listed(name, seats):
    deal = Match(new_game(name, seats), seed=bytes(range(32))).deal
    room, x = vec[i64]([0] * 128), 3
    while not deal.is_over():
        listed = deal.legal_actions()
        assert deal.write_legal(room) == len(listed)
        assert [room[k] for k in range(len(listed))] == listed
        x = next_random(x)
        deal.apply(deal.pick(x))
    points = vec[i64]([0] * deal.seats)
    assert deal.scores() == [points[s] for s in range(deal.write_scores(points))]
