"""Matches of every game, played at random."""

import random

import pytest
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match


def played(name, seats, seed=7):
    options = {} if name == "was-sticht" else {"length": "deals:2"}
    chance = random.Random(seed)
    match = Match(new_game(name, seats, options), seed=bytes([seed]) * 32)
    while not match.over:
        seat = chance.choice(match.to_act())
        match.play(seat, chance.choice(match.legal(seat)), cost_seconds=0.01)
    return match.record([{"bot": f"house/{k}", "version": 1} for k in range(seats)])


@pytest.fixture(scope="session")
def records():
    """A record of each game with its fewest and its most seats, by (game, seats)."""
    return {
        (name, seats): played(name, seats)
        for name, game in GAMES.items()
        for seats in {min(game.players), max(game.players)}
    }
