"""Searches and worlds in the words of a table, and what they refuse."""

from __future__ import annotations

import time

import pytest
from stichkampf import Search, StichkampfError, TableClock, Valuation, World
from stichkampf.engine.search import search
from stichkampf.games import GAMES
from stichkampf.match.looking_ahead import ITERATIONS, MOST_ITERATIONS
from stichkampf.testing import table_at


def asked(game="stiche-raten", legal=2, **more):
    return table_at(game, min(GAMES[game].players), seed="ahead", legal=legal, **more)


@pytest.mark.parametrize("game", GAMES)
def test_a_search_says_in_words_what_the_engine_finds_in_numbers(game):
    table, twin = asked(game), asked(game)
    found = Search(table, iterations=60)
    found.run(60)
    other = search(twin.deal, twin.seat, iterations=60, seed=twin.rng.getrandbits(62))
    words = [twin.deal.word(action) for action in other.actions]
    assert found.best == twin.deal.word(other.action)
    assert found.weights == dict(zip(words, map(float, other.visits), strict=True))
    assert found.values == dict(zip(words, other.values, strict=True))


def test_without_a_clock_a_search_runs_all_iterations_and_has_no_deadline():
    found = Search(asked())
    found.run_for(share=0.1)
    assert (found.iterations, found.deadline) == (ITERATIONS, None)


def test_a_search_ends_with_its_share_of_the_clock():
    table = asked("njet")
    table.seconds = 0.4
    begun = time.monotonic()
    found = Search(table)
    found.run_for(share=0.1)
    assert 8 <= found.iterations < MOST_ITERATIONS
    assert found.deadline is not None
    assert found.deadline > begun + 0.3


def test_seconds_stand_in_the_place_of_a_share():
    table = asked("njet")
    table.seconds = 1000.0
    found = Search(table, iterations=50_000)
    found.run_for(seconds=0.001)
    assert found.iterations < 50_000


class EndsAlike(Valuation):
    def scores(self, deal):
        return [0] * deal.seats


def test_a_valuation_of_ones_own_is_asked():
    found = Search(asked("sticheln"), iterations=50, value=EndsAlike())
    found.run_for()
    assert set(found.values.values()) == {0.0}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Search(asked(), iterations=0), "1 iteration or more, not 0"),
        (lambda: Search(asked()).run_for(share=1.5), "from 0 to 1, not 1.5"),
        (lambda: Search(asked()).run_for(share=float("nan")), "from 0 to 1, not nan"),
        (lambda: Search(asked()).run_for(seconds=-1), "0 seconds or more, not -1"),
        (lambda: Search(asked()).run_for(seconds=float("nan")), "0 seconds or more, not nan"),
        (lambda: World(asked()).play("play Z9"), "'play Z9' cannot be played now; possible: bid 0"),
    ],
)
def test_what_cannot_be_is_refused_in_words(call, message):
    with pytest.raises(StichkampfError, match=message):
        call()


def test_a_seat_that_is_not_asked_has_nothing_to_search():
    table = asked("sixes-and-sevens", phase="tricks")
    table.deal.apply_by(table.seat, table.deal.legal_of(table.seat)[0])
    with pytest.raises(StichkampfError, match="is not asked now"):
        Search(table)


@pytest.mark.parametrize("game", GAMES)
def test_a_world_is_played_to_its_end_by_words_alone(game):
    table = asked(game)
    world = World(table, seed=1)
    assert world.asked == table.seat
    assert world.legal == table.legal
    assert world.hand(table.seat) == table.hand
    assert (world.trick, world.phase, world.holder) == (table.trick, table.phase, table.holder)
    twin = world.copy()
    while not world.over:
        world.play(world.legal[-1])
    assert world.asked is None
    assert world.legal == []
    assert len(world.scores) >= 2
    assert not twin.over
    assert twin.rollout(3) == twin.rollout(3)


def test_a_clock_tells_what_was_spent_and_how_long_the_bank_lasts():
    clock = TableClock(move=2.0, bank=10.0, cap=5.0).after(8.0).after(1.0)
    assert clock == TableClock(move=2.0, bank=1.0, cap=5.0, spent=9.0)
    assert clock.longest == 3.0
    assert [clock.for_one_of(n) for n in (0, 1, 4)] == pytest.approx([2.7, 2.7, 2.25])
    assert clock.to_json() == {"move": 2.0, "bank": 1.0, "cap": 5.0, "spent": 9.0}


@pytest.mark.parametrize(
    ("move", "bank", "cap"), [(0.2, 0.2, 0.2), (2.0, 0.0, 5.0), (2.0, 10.0, 2.5), (1.0, 1.0, 9.0)]
)
@pytest.mark.parametrize("decisions", [0, 1, 2, 40])
def test_the_time_for_a_decision_stays_below_the_longest(move, bank, cap, decisions):
    clock = TableClock(move=move, bank=bank, cap=cap)
    assert 0 < clock.for_one_of(decisions) <= 0.9 * clock.longest
