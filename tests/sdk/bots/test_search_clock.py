"""The bot `search` and its clock: a share of it is used, never more, and without a clock a seed repeats."""

from __future__ import annotations

from itertools import count

import pytest
from stichkampf import Match, Table, new_game
from stichkampf.bots.search import SearchBot
from stichkampf.match import looking_ahead
from stichkampf.match.looking_ahead import ITERATIONS, run_until


class Worker:
    """Takes the place of a search: its iterations take time on a clock of their own."""

    def __init__(self, seconds_each):
        self.iterations = 0
        self.now = 0.0
        self.seconds_each = seconds_each

    def run(self, iterations):
        for _ in range(min(iterations, ITERATIONS - self.iterations)):
            self.now += next(self.seconds_each)
            self.iterations += 1


def work_until(monkeypatch, end, seconds_each):
    worker = Worker(seconds_each)
    monkeypatch.setattr(looking_ahead.time, "monotonic", lambda: worker.now)
    run_until(worker, ITERATIONS, 0.0, end)
    return worker


@pytest.mark.parametrize("seconds", [1e-7, 1e-5, 1e-3, 5e-3])
def test_thinking_ends_in_time_at_any_pace(monkeypatch, seconds):
    worker = work_until(monkeypatch, 0.2, iter(lambda: seconds, None))
    assert worker.now <= 0.2
    assert worker.iterations == ITERATIONS or worker.now > 0.15


def test_a_machine_that_becomes_half_as_fast_is_noticed_in_time(monkeypatch):
    worker = work_until(monkeypatch, 0.2, (0.002 if n < 30 else 0.004 for n in count()))
    assert 0.1 < worker.now <= 0.2


def test_even_the_slowest_machine_takes_a_first_look(monkeypatch):
    assert work_until(monkeypatch, 0.001, iter(lambda: 0.01, None)).iterations == 8


def asked(seconds=None):
    """The first question of a match to the seat that begins."""
    match = Match(new_game("stiche-raten", 3), seed=bytes(32))
    seat = match.to_act()[0]
    table = Table(match.game, seat, b"table")
    table.follow(match.events(seat, 0))
    table.legal = match.legal(seat)
    table.seconds = seconds
    return table


def test_without_a_clock_every_iteration_is_run_and_the_answer_repeats():
    word, note = SearchBot().choose(asked())
    again = SearchBot().choose(asked())
    assert (word, note) == again
    assert sum(note.weights.values()) == ITERATIONS
    assert note.text == f"{ITERATIONS} iterations"


def test_with_hardly_any_time_the_answer_is_still_legal():
    table = asked(seconds=0.0001)
    word, note = SearchBot().choose(table)
    assert word in table.legal
    assert sum(note.weights.values()) < ITERATIONS
