"""Matches played at random, and the table of a person in them as its page shows it."""

import random

from django.template.loader import render_to_string
from stichkampf.games import new_game
from stichkampf.match.match import Match
from stichkampf_platform.web.play.live_replay import live_replay
from stichkampf_platform.web.play.seat_scene import SeatScene
from stichkampf_platform.web.replay.scene_parts import SeatOccupant


def questions(name, seats, seed=3):
    """Play a match at random, and yield what one seat is asked, at most one question of a kind and a deal."""
    options = {} if name == "was-sticht" else {"length": "deals:2"}
    match, chance = Match(new_game(name, seats, options), seed=bytes([seed]) * 32), random.Random(seed)
    asked = set()
    while not match.over:
        seat = chance.choice(match.to_act())
        legal = match.legal(seat)
        kind = len(match.played), match.deal.phase(), *sorted({word.split()[0] for word in legal})
        if seat == 0 and kind not in asked:
            asked.add(kind)
            yield match, legal
        match.play(seat, chance.choice(legal))
    yield match, []


def drawn(match, legal, *, step=None, **more):
    replay = live_replay(match.game, 0, match.events(0))
    players = [SeatOccupant(f"Player {seat}") for seat in range(match.game.seats)]
    seated = SeatScene(replay, replay.steps if step is None else step, players, legal)
    page = {"seated": seated, "table": "x", "decision": 1, "version": 1, **more}
    return seated, render_to_string("web/play/_table.html", page)
