"""Decisions of recorded matches are put to a bot again just as they were put to it in the match."""

from __future__ import annotations

import math
import os
import random
import time
from typing import ClassVar

import pytest
from stichkampf import Bot, Match, new_game
from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.bots.substitute import new_adjudicator
from stichkampf.errors import RecordError
from stichkampf.faults import FaultKind
from stichkampf.games import GAMES
from stichkampf.local_play.repeated_decisions import questions, stand_at, table_at
from stichkampf.match.records import decisions_of, dump, parse
from stichkampf.match.table import table_seed
from stichkampf.match.verify import verify
from stichkampf.wire.v1 import bot_pb2 as pb
from wire_events import to_wire

SAMPLED = math.ceil(int(os.environ.get("STICHKAMPF_DECISIONS", "84")) / len(GAMES))
"""Decisions of each game; `make nightly` tries more."""
EACH = 12
"""Decisions of each match."""
FAULTS = (0.05, 0.5)
"""Shares of a match's answers that are faults: then thumb moves, so that auctions come to tricks, too."""
DEBUG_SECONDS = 3.0
"""Processor time for one decision, beside the bot's own thinking."""


def on_the_wire(events, legal):
    update = pb.TableUpdate(events=map(to_wire, events), question=pb.Question(legal=legal))
    return update.SerializeToString(deterministic=True)


def played(name, seed):
    """Play a match by chance, some answers being faults; returns its record and each question as sent."""
    rng = random.Random(seed)
    game = new_game(name, rng.choice(GAMES[name].players))
    match_seed = rng.randbytes(32)
    match = Match(game, seed=match_seed)
    seeds = [table_seed(match_seed, seat) for seat in range(game.seats)]
    adjudicator = new_adjudicator(match, seeds, fault_allowance=10_000)
    faults = rng.choice(FAULTS)
    told, sent = [0] * game.seats, {}
    while asked := adjudicator.ask():
        # all questions go out before the first answer comes back, in any order
        for question in asked:
            seat = question.seat
            sent[seat, question.number] = on_the_wire(match.events(seat, told[seat]), question.legal)
            told[seat] = len(match.log)
        for question in rng.sample(asked, len(asked)):
            if rng.random() < faults:
                adjudicator.fail(question, FaultKind.CRASHED)
            else:
                adjudicator.answer(question, rng.choice(question.legal))
    return parse(dump(match.record([{"bot": "a"}] * game.seats, seed=match_seed.hex()))), sent


class Silent(Bot):
    """Thinks of nothing."""

    def choose(self, table):
        return table.legal[0]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_questions_of_a_seat_are_rebuilt_byte_for_byte(game):
    for count in range(0, SAMPLED, EACH):
        record, sent = played(game, f"{game} {count}")
        assert record["faults"]
        for seat, number in random.Random(count).choices(sorted(sent), k=min(EACH, SAMPLED - count)):
            decision = decisions_of(record, seat)[number - 1]
            begin = time.process_time()
            verify(record)
            _, table, _ = stand_at(record, decision, Silent)
            assert time.process_time() - begin <= DEBUG_SECONDS
            asked = questions(record, decision)
            rebuilt = [on_the_wire(one.events, one.legal) for one in asked]
            assert rebuilt == [sent[seat, count] for count in range(1, number + 1)]
            assert table.legal == asked[-1].legal
            assert table_at(record, asked[-1]).seed == table_seed(bytes.fromhex(record["seed"]), seat)


class Remembers(Bot):
    """Counts its decisions, draws random numbers, and remembers both."""

    asked: ClassVar[list[tuple[int, float]]] = []

    def __init__(self):
        self.count = 0

    def choose(self, table):
        self.count += 1
        draw = table.rng.random()
        self.asked.append((self.count, draw))
        return table.legal[int(draw * len(table.legal))]


@pytest.fixture
def record():
    game = new_game("sticheln", 3, {"length": "deals:2"})
    entrants = [Entrant("mine.py", Remembers), entrant("thumb"), entrant("random")]
    Remembers.asked = []
    return play_match(game, entrants, bytes(32)).record


def test_the_bot_remembers_its_earlier_decisions_and_draws_the_same_numbers(record):
    in_the_match = list(Remembers.asked)
    decision = decisions_of(record, 0)[20]
    bot, table, comparison = stand_at(record, decision, Remembers)
    assert comparison == (20, [])
    bot.choose(table)
    assert Remembers.asked[-21:] == in_the_match[:21]


def test_a_fresh_bot_is_not_asked_its_earlier_decisions(record):
    in_the_match = list(Remembers.asked)
    bot, table, comparison = stand_at(record, decisions_of(record, 0)[20], Remembers, fresh=True)
    bot.choose(table)
    assert comparison == (0, [])
    assert Remembers.asked[-1] == in_the_match[0]


def test_another_bot_is_noticed_by_its_earlier_decisions(record):
    class Last(Remembers):
        def choose(self, table):
            return table.legal[-1]

    _, _, comparison = stand_at(record, decisions_of(record, 0)[20], Last)
    assert comparison.otherwise


@pytest.mark.parametrize("decision", [0, 10_000])
def test_a_decision_that_the_match_has_not_is_refused_with_those_it_has(record, decision):
    with pytest.raises(RecordError, match=r"the match has decisions 1 to \d+, not"):
        questions(record, decision)
