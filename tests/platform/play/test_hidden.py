"""Entries and feeds of seats, which hold what the seat may know and nothing else, in every game."""

import random

import pytest
from stichkampf.games import GAMES
from stichkampf.match import records
from stichkampf.match.verify import verify
from stichkampf_platform.play import bus, keys, matches, services
from stichkampf_platform.play.models import PlayedState, PlayedTable
from support import wait_until


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_is_shown_what_it_may_know_and_nothing_else(parts, game):
    chance = random.Random(game)
    seats = min(GAMES[game].players)
    seat = chance.randrange(seats)
    key = services.start_table(game=game, seats=seats, seat=seat, opponents="gentle")
    shown = []
    while not (feed := _asked(key)).over:
        assert shown == feed.events[: len(shown)]
        shown = feed.events
        services.answer(key, feed.question.decision, chance.choice(feed.question.legal))
    table = _landed(key)
    verify(table.record, seed=bytes(table.seed))
    full = records.replayed(table.record)
    assert feed.events == full.events(seat)
    names = {name.decode() for name in bus.client().scan_iter("play:*") if key.table in name.decode()}
    assert names <= {
        keys.entries_of(key.table, seat),
        keys.answered_of(key.table, seat),
        keys.moves_of(table.match),
    }


def _asked(key):
    def news():
        feed = services.feed(key)
        return feed if feed.question or feed.over else None

    return wait_until(news, goal="a question")


def _landed(key):
    def ended():
        table = PlayedTable.objects.get(public_id=key.table)
        matches.look_after([table])
        table.refresh_from_db()
        return table if table.state == PlayedState.OVER else None

    return wait_until(ended, goal="the table lands")
