"""The open tables of a bot process: the arbiter's updates go in, answers come out."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from stichkampf.bots.bot import (
    NOTE_CHARACTERS,
    NOTE_WEIGHTS,
    Bot,
    BotFailure,
    Note,
    decide,
    failure_text,
    start,
)
from stichkampf.engine.game import Game
from stichkampf.faults import FaultKind
from stichkampf.games import new_game
from stichkampf.match.events import Event
from stichkampf.match.match import WORD_LENGTH
from stichkampf.match.table import Table, TableClock
from stichkampf.wire import WIRE_VERSION
from stichkampf.wire.events import from_wire
from stichkampf.wire.messages import Message, encode
from stichkampf.wire.v1.bot_fields import VALUES

if TYPE_CHECKING:
    from stichkampf.wire.v1 import bot_pb2 as pb

    TableUpdate = pb.TableUpdate | Message

FLUSH_SECONDS: Final = 0.001
"""Answers wait no longer than this for others to share a message with."""
FLUSH_BYTES: Final = 16 * 1024
FAILURE_CHARACTERS: Final = 500
MakeBot = Callable[[str], Bot]
_REPLACED: Final = VALUES["TABLE_END_REASON_REPLACED"]
_DISTRIBUTION: Final = ("stichkampf-", ".dist-info")


def hello(games: Iterable[str], *, resume_token: bytes = b"", tables_at_once: int = 0) -> Message:
    """Return the first message of a stream."""
    said = Message(
        "Hello",
        wire_version_min=WIRE_VERSION,
        wire_version_max=WIRE_VERSION,
        games=list(games),
        tables_at_once=tables_at_once,
        resume_token=resume_token,
        agent=f"stichkampf/{_version()} python/{sys.version.split()[0]}",
    )
    return Message("FromBot", hello=said)


def _version() -> str:
    """Return the version of the SDK as `importlib.metadata` does, which takes ten milliseconds to import."""
    before, after = _DISTRIBUTION
    for folder in reversed(sys.path):  # packages come behind the standard library
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            if name.startswith(before) and name.endswith(after):
                return name[len(before) : -len(after)]
    return "unknown"


class OpenTable:
    """A table, and the bot at it.

    :ivar start: the announcement of the table, as bytes.
    :ivar bot: the bot, or the failure because of which there is none.
    :ivar table: what the bot sees.
    :ivar asked: the length of the table's history when the bot was last asked.
    :ivar reply: its last answer.
    :ivar resumed: the table has moved to another stream since that answer.
    :ivar failed: the bot has failed here, and its traceback has been printed.
    """

    def __init__(self, start: bytes, bot: Bot | BotFailure, table: Table) -> None:
        self.start = start
        self.bot = bot
        self.table = table
        self.asked = -1
        self.reply: Message | None = None
        self.resumed = False
        self.failed = False

    def answer(self, number: int, question: Any, bank: float | None) -> Message:
        """Ask the bot, unless it has answered this question already, before the stream was lost.

        :param bank: what is left of the reserve; None from an arbiter that does not tell it.
        """
        if self.reply is None or not self.resumed or self.asked != len(self.table.history):
            self.table.legal = list(question.legal)
            self.table.seconds = question.seconds
            if (clock := self.table.clock) is not None:
                least = max(0.0, question.seconds - clock.move)
                self.table.clock = clock.after(least if bank is None else bank)
            self.asked = len(self.table.history)
            self.reply = self._decide()
        self.resumed = False
        self.reply.table, self.reply.decision = number, question.decision
        return self.reply

    def _decide(self) -> Message:
        reply = Message("Answer")
        try:
            if isinstance(self.bot, BotFailure):
                raise self.bot
            reply.action, note = decide(self.bot, self.table)
            if note is not None:
                reply.note = _note(note)
        except BotFailure as failure:
            is_malformed = failure.kind is FaultKind.MALFORMED
            words = str(failure)[:FAILURE_CHARACTERS].encode("utf-8", "replace").decode()
            reply.failure = Message("Failure", message=words, malformed=is_malformed)
            print(failure_text(failure, self.table, first=not self.failed), file=sys.stderr, flush=True)
            self.failed = True
        return reply


class OpenTables:
    """The open tables of a bot process.

    A table whose stream was lost may start again on the next one, with all events from its first. If its
    history continues the one of the lost table, that table's bot plays on; otherwise a new bot is made.

    :param make_bot: makes the bot for a table, from the name that the table asks for ("" where there is only
        one).
    :ivar ended: counts the tables that have ended.
    :ivar forfeited: counts those of them at which a substitute has taken the bot's place.
    """

    def __init__(self, make_bot: MakeBot) -> None:
        self.ended = 0
        self.forfeited = 0
        self._make_bot = make_bot
        self._seats: dict[int, OpenTable] = {}
        self._lost: list[OpenTable] = []

    def __len__(self) -> int:
        return len(self._seats)

    def process_updates(self, updates: Iterable[TableUpdate]) -> Iterator[Message]:
        """Yield the messages that answer the updates of a frame, each to be sent at once.

        Quick answers share a message; a slow answer does not delay the ones before it.
        """
        answers: list[Message] = []
        size, since = 0, monotonic()
        for update in updates:
            answer = self.handle_update(update)
            if answer is None:
                continue
            answers.append(answer)
            size += len(encode(answer))
            if size > FLUSH_BYTES or monotonic() - since > FLUSH_SECONDS:
                yield _answers(answers)
                answers, size, since = [], 0, monotonic()
        if answers:
            yield _answers(answers)

    def handle_update(self, update: TableUpdate) -> Message | None:
        """Take in the events of a table; returns the answer if the update holds a question."""
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
            self.forfeited += update.end.reason == _REPLACED
        elif update.HasField("question"):
            bank = update.bank_seconds if update.HasField("bank_seconds") else None
            return seat.answer(number, update.question, bank)
        return None

    def connection_lost(self) -> None:
        """Set the open tables aside: they may start again on the next stream, but on no later one."""
        self.give_up_lost()
        self._lost, self._seats = list(self._seats.values()), {}

    def give_up_lost(self) -> None:
        """Count the tables that the new stream has not taken up: they have gone on without the bot."""
        self.ended += len(self._lost)
        self.forfeited += len(self._lost)
        self._lost = []

    def _find(self, announced: bytes, events: list[Event]) -> OpenTable | None:
        """Find the lost table whose history the events continue."""
        for seat in self._lost:
            history = seat.table.history
            if seat.start == announced and events[: len(history)] == history:
                self._lost.remove(seat)
                seat.resumed = True
                return seat
        return None

    def _begin(self, begin: Any, announced: bytes) -> OpenTable:
        table = Table(_game(begin.game, begin.seats, begin.options_json), begin.seat, begin.seed)
        if begin.HasField("time_control"):
            control = begin.time_control
            table.clock = TableClock(
                move=control.move_seconds, bank=control.bank_seconds, cap=control.cap_seconds
            )
        try:
            return OpenTable(announced, start(partial(self._make_bot, begin.bot)), table)
        except BotFailure as failure:
            return OpenTable(announced, failure, table)


@lru_cache(maxsize=64)
def _game(name: str, seats: int, options_json: str) -> Game:
    return new_game(name, seats, json.loads(options_json))


def _answers(answers: list[Message]) -> Message:
    return Message("FromBot", answers=Message("Answers", answers=answers))


def _note(note: Note) -> Message:
    weights = [
        Message("Weight", action=action[:WORD_LENGTH], weight=weight)
        for action, weight in list(note.weights.items())[:NOTE_WEIGHTS]
    ]
    return Message("Note", text=note.text[:NOTE_CHARACTERS], weights=weights)
