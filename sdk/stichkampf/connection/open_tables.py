"""The open tables of a bot process: what the arbiter tells goes in, answers come out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from time import monotonic
from typing import Final

from stichkampf.bots.bot import NOTE_CHARACTERS, NOTE_WEIGHTS, Bot, BotFailure, Note, decide, start
from stichkampf.engine.game import Game
from stichkampf.faults import FaultKind
from stichkampf.games import new_game
from stichkampf.match.events import Event
from stichkampf.match.match import WORD_LENGTH
from stichkampf.match.table import Table
from stichkampf.wire.events import from_wire
from stichkampf.wire.v1 import bot_pb2 as pb

FLUSH_SECONDS: Final = 0.001
"""Answers wait no longer than this for others to share a message with."""
FLUSH_BYTES: Final = 16 * 1024
MakeBot = Callable[[str], Bot]


@dataclass(eq=False)
class Seat:
    """A table, and the bot at it.

    :ivar start: the announcement of the table, as bytes.
    :ivar bot: or why it could not be made.
    :ivar asked: how much of the table's history there was when the bot was last asked.
    :ivar reply: what it answered then.
    :ivar resumed: the table has moved to another stream since then.
    """

    start: bytes
    bot: Bot | BotFailure
    table: Table
    asked: int = -1
    reply: pb.Answer | None = None
    resumed: bool = False

    def answer(self, number: int, question: pb.Question) -> pb.Answer:
        """The bot's answer. What it was asked before the stream was lost, it is not asked again."""
        if self.reply is None or not self.resumed or self.asked != len(self.table.history):
            self.table.legal = list(question.legal)
            self.table.seconds = question.seconds
            self.asked = len(self.table.history)
            self.reply = _reply(self.bot, self.table)
        self.resumed = False
        self.reply.table, self.reply.decision = number, question.decision
        return self.reply


class OpenTables:
    """The open tables of a bot process.

    A table whose stream was lost may start again on the next one, told from its first event. If it is the one
    that was lost, its bot goes on where it was; otherwise a new one is made.

    :param make_bot: makes the bot for a table, from the name that the table asks for ("" where there is only
        one).
    :ivar ended: how many tables have come to their end so far.
    """

    def __init__(self, make_bot: MakeBot) -> None:
        self.ended = 0
        self._make_bot = make_bot
        self._seats: dict[int, Seat] = {}
        self._lost: list[Seat] = []

    def __len__(self) -> int:
        return len(self._seats)

    def work_off(self, updates: Iterable[pb.TableUpdate]) -> Iterator[pb.FromBot]:
        """The messages that answer a frame, each to be sent at once.

        A quick answer waits for its neighbours, a slow one does not keep them waiting.
        """
        message, size, since = pb.FromBot(), 0, monotonic()
        for update in updates:
            answer = self.hear(update)
            if answer is None:
                continue
            message.answers.answers.append(answer)
            size += answer.ByteSize()
            if size > FLUSH_BYTES or monotonic() - since > FLUSH_SECONDS:
                yield message
                message, size, since = pb.FromBot(), 0, monotonic()
        if size:
            yield message

    def hear(self, update: pb.TableUpdate) -> pb.Answer | None:
        """Take in the news of a table; the answer, if a question is among them."""
        number = update.table
        events = [from_wire(event) for event in update.events]
        if update.HasField("start"):
            announced = update.start.SerializeToString(deterministic=True)
            seat = self._seats[number] = self._find(announced, events) or self._begin(update.start, announced)
            events = events[len(seat.table.history) :]
        seat = self._seats[number]
        seat.table.follow(events)
        if update.HasField("end"):
            del self._seats[number]
            self.ended += 1
        elif update.HasField("question"):
            return seat.answer(number, update.question)
        return None

    def lose(self) -> None:
        """The stream is gone. Its tables may start again on the next one, those before them will not."""
        self._lost, self._seats = list(self._seats.values()), {}

    def _find(self, announced: bytes, events: list[Event]) -> Seat | None:
        """The table that was lost, if what happened at it so far is what it has seen, and more."""
        for seat in self._lost:
            history = seat.table.history
            if seat.start == announced and events[: len(history)] == history:
                self._lost.remove(seat)
                seat.resumed = True
                return seat
        return None

    def _begin(self, begin: pb.TableStart, announced: bytes) -> Seat:
        table = Table(_game(begin.game, begin.seats, begin.options_json), begin.seat, begin.seed)
        try:
            return Seat(announced, start(partial(self._make_bot, begin.bot)), table)
        except BotFailure as failure:
            return Seat(announced, failure, table)


@lru_cache(maxsize=64)
def _game(name: str, seats: int, options_json: str) -> Game:
    return new_game(name, seats, json.loads(options_json))


def _reply(bot: Bot | BotFailure, table: Table) -> pb.Answer:
    reply = pb.Answer()
    try:
        if isinstance(bot, BotFailure):
            raise bot
        reply.action, note = decide(bot, table)
        if note is not None:
            _write_note(reply.note, note)
    except BotFailure as failure:
        reply.failure.message = str(failure)[:500]
        reply.failure.malformed = failure.kind is FaultKind.MALFORMED
        print(f"{table.game.name}, seat {table.seat + 1}: {failure}", file=sys.stderr, flush=True)
    return reply


def _write_note(message: pb.Note, note: Note) -> None:
    message.text = note.text[:NOTE_CHARACTERS]
    for action, weight in list(note.weights.items())[:NOTE_WEIGHTS]:
        message.weights.add(action=action[:WORD_LENGTH], weight=weight)
