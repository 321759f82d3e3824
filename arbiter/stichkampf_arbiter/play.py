"""A match while it is played: the table, the clocks and the streams of its bots, joined.

Everything here runs in callbacks of the streams; nothing waits.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from stichkampf.bot import NOTE_CHARACTERS
from stichkampf.wire.events import to_wire
from stichkampf.wire.v1 import bot_pb2 as pb
from stichkampf.wire.v1 import events_pb2

from stichkampf_arbiter.clock import Clock, TimeControl
from stichkampf_arbiter.match import FaultKind, Question, Table
from stichkampf_arbiter.stream import Asked, BotStream

MAX_COMPLAINTS = 20
COMPLAINT_CHARACTERS = 300
MAX_WEIGHTS = 100


class Program(Protocol):
    """The bot process behind a seat."""

    async def why_lost(self) -> FaultKind | None:
        """What the loss of its stream is: a fault of the bot, or None for a failure of the platform."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Who takes a seat.

    :ivar stream: None if the bot did not even start; then `fault` says in which way.
    :ivar bot: the name of the bot in its process, where that holds several; else "".
    """

    program: Program
    stream: BotStream | None
    bot: str = ""
    fault: FaultKind = FaultKind.CRASHED


@dataclass(eq=False)
class Chair:
    """A seat of a running match and the bot on it.

    :ivar table: the number of the table on the bot's stream; 0 when the bot is not at the table.
    :ivar charged: what the numbers of its clock are, "cpu" or "wall" time.
    :ivar told: how much of the match's log the bot has been sent.
    :ivar complaints: for the bot's owner: what it said about its own failures, and its answers that were
        refused.
    """

    match: RunningMatch
    seat: int
    place: Place
    clock: Clock
    stream: BotStream = field(init=False)
    charged: str = "wall"
    table: int = 0
    told: int = 0
    question: Question | None = None
    complaints: list[str] = field(default_factory=list)
    stale_answers: int = 0

    def answered(self, asked: Asked, answer: pb.Answer, seconds: float) -> None:
        self.match.answered(self, answer, seconds)

    def timed_out(self, asked: Asked, seconds: float) -> None:
        self.match.failed(self, FaultKind.TIMEOUT, seconds)

    def stale(self) -> None:
        self.stale_answers += 1

    def lost(self) -> None:
        self.match.lost(self)

    def complain(self, text: str) -> None:
        if len(self.complaints) < MAX_COMPLAINTS:
            self.complaints.append(text[:COMPLAINT_CHARACTERS])


class RunningMatch:
    """One match between bots on streams.

    :param changed: called when a deal was scored or a fault happened, and once at the end.
    :param broken: called in place of the end, with a reason, when the platform's side failed.
    """

    def __init__(
        self,
        table: Table,
        control: TimeControl,
        *,
        changed: Callable[[], None],
        broken: Callable[[str], None],
    ) -> None:
        self.table = table
        self.chairs: list[Chair] = []
        self._control = control
        self._changed = changed
        self._broken = broken
        self._wire: list[events_pb2.Event] = []
        self._state = (0, 0)
        self._over = False
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, places: Sequence[Place], seeds: Sequence[bytes]) -> None:
        """Seat the bots and ask the first questions.

        :param places: by seat.
        :param seeds: by seat: 32 bytes for the bot's own random choices.
        """
        game = self.table.match.game
        start = pb.TableStart(
            game=game.name,
            options_json=json.dumps(game.options, separators=(",", ":")),
            seats=game.seats,
            time_control=pb.TimeControl(**self._control.to_json()),
        )
        for seat, place in enumerate(places):
            chair = Chair(self, seat, place, Clock(self._control))
            self.chairs.append(chair)
            if place.stream is None or place.stream.closed:
                self.table.replace(seat, place.fault)
                continue
            start.seat, start.seed, start.bot = seat, seeds[seat], place.bot
            chair.table = place.stream.add_table(chair, start)
            chair.stream = place.stream
            chair.charged = place.stream.charged
        self._go_on()

    def cancel(self) -> None:
        """Leave the table; no callback follows."""
        self._over = True
        self._leave_all(pb.TABLE_END_REASON_CANCELLED)

    # What the streams say -----------------------------------------------------------------------------------

    def answered(self, chair: Chair, answer: pb.Answer, seconds: float) -> None:
        question, chair.question = chair.question, None
        if question is None:
            return
        in_time = chair.clock.charge(seconds)
        seconds = round(seconds, 6)
        match answer.WhichOneof("reply"):
            case _ if not in_time:
                self.table.fail(question, FaultKind.TIMEOUT, cost_seconds=seconds)
            case "action":
                fault = self.table.answer(question, answer.action, note=note_of(answer), cost_seconds=seconds)
                if fault:
                    chair.complain(f"{fault}: {answer.action!r:.80}; legal were {', '.join(question.legal)}")
            case "resignation":
                self.table.fail(question, FaultKind.RESIGNED, cost_seconds=seconds)
            case "failure":
                chair.complain(answer.failure.message)
                kind = FaultKind.MALFORMED if answer.failure.malformed else FaultKind.CRASHED
                self.table.fail(question, kind, cost_seconds=seconds)
            case _:
                chair.complain(f"malformed: an answer without action; legal were {', '.join(question.legal)}")
                self.table.fail(question, FaultKind.MALFORMED, cost_seconds=seconds)
        self._go_on()

    def failed(self, chair: Chair, kind: FaultKind, seconds: float) -> None:
        question, chair.question = chair.question, None
        if question is not None:
            chair.clock.charge(seconds)
            seconds = round(seconds, 6)
            chair.complain(f"{kind}: asked with {', '.join(question.legal)}")
            self.table.fail(question, kind, cost_seconds=seconds)
            self._go_on()

    def lost(self, chair: Chair) -> None:
        """The stream of a chair is gone, and with it the bot's part of the match."""
        chair.table = 0
        chair.question = None
        if not self._over:
            task = asyncio.ensure_future(self._take_loss(chair))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _take_loss(self, chair: Chair) -> None:
        kind = await chair.place.program.why_lost()
        if self._over:
            return
        if kind is None:
            self._over = True
            self._leave_all(pb.TABLE_END_REASON_CANCELLED)
            self._broken("a process of the platform ended")
        elif self.table.replaced[chair.seat] is None:
            self.table.replace(chair.seat, kind)
            self._go_on()

    # Going on -----------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        for question in self.table.ask():
            chair = self.chairs[question.seat]
            if not chair.table:
                continue
            chair.question = question
            self._tell(chair)
            chair.stream.ask(chair.table, question.number, question.legal, chair.clock.limit_seconds())
        for chair in self.chairs:
            if chair.table and self.table.replaced[chair.seat] is not None:
                self._leave(chair, pb.TABLE_END_REASON_REPLACED)
        match = self.table.match
        state = (len(match.played), len(match.faults))
        if match.over:
            self._over = True
            self._leave_all(pb.TABLE_END_REASON_FINISHED)
            self._changed()
        elif state != self._state:
            self._state = state
            self._changed()

    def _tell(self, chair: Chair) -> None:
        """Add to the bot's update what its seat has seen since it was last told."""
        log, wire = self.table.match.log, self._wire
        for at in range(len(wire), len(log)):
            wire.append(to_wire(log[at][1]))
        bit = 1 << chair.seat
        news = [wire[at] for at in range(chair.told, len(log)) if log[at][0] & bit]
        chair.told = len(log)
        chair.stream.update(chair.table).events.extend(news)

    def _leave(self, chair: Chair, reason: pb.TableEndReason) -> None:
        if reason == pb.TABLE_END_REASON_FINISHED:
            self._tell(chair)
        chair.stream.end_table(chair.table, reason)
        chair.table = 0
        chair.question = None

    def _leave_all(self, reason: pb.TableEndReason) -> None:
        for chair in self.chairs:
            if chair.table:
                self._leave(chair, reason)


def note_of(answer: pb.Answer) -> dict[str, Any] | None:
    """The note of an answer as it goes into the record, cut to size; None if there is none."""
    if not answer.HasField("note"):
        return None
    note: dict[str, Any] = {}
    if answer.note.text:
        note["text"] = answer.note.text[:NOTE_CHARACTERS]
    weights = {
        weight.action[:60]: weight.weight
        for weight in answer.note.weights[:MAX_WEIGHTS]
        if math.isfinite(weight.weight)
    }
    if weights:
        note["weights"] = weights
    return note or None
