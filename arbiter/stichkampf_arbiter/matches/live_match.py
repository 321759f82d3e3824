"""A match while it is played: the table, the clocks and the streams of its bots, joined.

Everything here runs in callbacks of the streams; nothing waits.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from stichkampf import limits
from stichkampf.faults import FaultKind
from stichkampf.match.adjudicator import Adjudicator, Question, TimeTaken
from stichkampf.plain_text import plain
from stichkampf.time_control import TimeControl
from stichkampf.wire.events import to_wire
from stichkampf.wire.v1 import bot_pb2 as pb
from stichkampf.wire.v1 import events_pb2

from stichkampf_arbiter.connection.clock import Clock
from stichkampf_arbiter.connection.pending import Asked
from stichkampf_arbiter.connection.stream import BotStream
from stichkampf_arbiter.matches.sanitize import note_of, too_long
from stichkampf_arbiter.matches.seating import Place

MAX_COMPLAINTS = 20
COMPLAINT_CHARACTERS = 300
KEPT = (
    "the machine is too busy: for most of the longest time that a question may take, a bot was given no core"
)


@dataclass(eq=False)
class Chair:
    """A seat of a running match and the bot on it.

    :ivar start: what the bot is told when it sits down.
    :ivar table: the number of the table on the bot's stream.
    :ivar seated: whether the bot is at the table.
    :ivar charged: what the numbers of its clock are, "cpu" or "wall" time.
    :ivar told: how much of the match's log the bot has been sent.
    :ivar question: what it is asked, also while it is waited for.
    :ivar asked: the same on its stream.
    :ivar away_seconds: how long the bot has been out of reach while it was at work on the question.
    :ivar outages: how often it was.
    :ivar complaints: for the bot's owner: what it said about its own failures, and its answers that were
        refused.
    """

    match: RunningMatch
    seat: int
    place: Place
    clock: Clock
    start: pb.TableStart
    stream: BotStream = field(init=False)
    charged: str = "wall"
    table: int = 0
    seated: bool = False
    told: int = 0
    question: Question | None = None
    asked: Asked | None = None
    away_seconds: float = 0.0
    outages: int = 0
    complaints: list[str] = field(default_factory=list)
    stale_answers: int = 0

    def answered(self, asked: Asked, answer: pb.Answer, seconds: float) -> None:
        self.match.answered(self, asked, answer, seconds)

    def timed_out(self, asked: Asked, seconds: float) -> None:
        self.match.failed(self, FaultKind.TIMEOUT, seconds, asked.wall_seconds)

    def kept_from_core(self, asked: Asked) -> None:
        self.match.kept_from_core(self)

    def stale(self) -> None:
        self.stale_answers += 1

    def lost(self) -> None:
        self.match.lost(self)

    def took(self, seconds: float, wall_seconds: float) -> TimeTaken:
        """How long a decision took, with the time for which the bot was away meanwhile."""
        away = self.away_seconds
        return TimeTaken(round(seconds + away, 6), round(wall_seconds + away, 6))

    def complain(self, text: str) -> None:
        if len(self.complaints) < MAX_COMPLAINTS:
            self.complaints.append(plain(text, COMPLAINT_CHARACTERS))


class RunningMatch:
    """One match between bots on streams.

    :param changed: called when a deal was scored or a fault happened, and once at the end.
    :param broken: called in place of the end, with a reason, when the platform's side failed.
    :ivar kept_seats: those whose bots were kept from a core, where that was the reason.
    """

    def __init__(
        self,
        adjudicator: Adjudicator,
        control: TimeControl,
        *,
        changed: Callable[[], None],
        broken: Callable[[str], None],
    ) -> None:
        self.adjudicator = adjudicator
        self.chairs: list[Chair] = []
        self._control = control
        self._changed = changed
        self._broken = broken
        self._wire: list[events_pb2.Event] = []
        self._state = (0, 0)
        self._over = False
        self.kept_seats: list[int] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, places: Sequence[Place], seeds: Sequence[bytes]) -> None:
        """Seat the bots and ask the first questions.

        :param places: by seat.
        :param seeds: by seat: 32 bytes for the bot's own random choices.
        """
        game = self.adjudicator.match.game
        options_json = json.dumps(game.options, separators=(",", ":"))
        for seat, place in enumerate(places):
            start = pb.TableStart(
                game=game.name,
                options_json=options_json,
                seats=game.seats,
                seat=seat,
                time_control=pb.TimeControl(**self._control.to_json()),
                seed=seeds[seat],
                bot=place.bot,
            )
            chair = Chair(self, seat, place, Clock(self._control), start)
            self.chairs.append(chair)
            if place.stream is None or place.stream.closed:
                chair.complain(f"{place.fault}: {place.reason}")
                self.adjudicator.replace(seat, place.fault)
            else:
                self._sit_down(chair, place.stream)
        self._go_on()

    def cancel(self) -> None:
        """Leave the table; no callback follows."""
        self._end(pb.TABLE_END_REASON_CANCELLED)

    # What the streams say -----------------------------------------------------------------------------------

    def answered(self, chair: Chair, asked: Asked, answer: pb.Answer, seconds: float) -> None:
        question, chair.question = chair.question, None
        if question is None:
            return
        limit_seconds = chair.clock.limit_seconds()
        in_time = chair.clock.charge(seconds, chair.away_seconds)
        took = chair.took(seconds, asked.wall_seconds)
        match answer.WhichOneof("reply"):
            case _ if not in_time:
                chair.complain(too_long(chair.charged, seconds, limit_seconds, question))
                self.adjudicator.fail(question, FaultKind.TIMEOUT, took=took)
            case "action":
                rejection = self.adjudicator.answer(question, answer.action, note=note_of(answer), took=took)
                if rejection:
                    legal = ", ".join(question.legal)
                    chair.complain(f"{rejection.kind}: {answer.action!r:.80}; legal were {legal}")
            case "resignation":
                self.adjudicator.fail(question, FaultKind.RESIGNED, took=took)
            case "failure":
                chair.complain(answer.failure.message)
                kind = FaultKind.MALFORMED if answer.failure.malformed else FaultKind.CRASHED
                self.adjudicator.fail(question, kind, took=took)
            case _:
                chair.complain(f"malformed: an answer without action; legal were {', '.join(question.legal)}")
                self.adjudicator.fail(question, FaultKind.MALFORMED, took=took)
        self._go_on()

    def failed(self, chair: Chair, kind: FaultKind, seconds: float, wall_seconds: float) -> None:
        question, chair.question = chair.question, None
        if question is not None:
            chair.complain(too_long(chair.charged, seconds, chair.clock.limit_seconds(), question))
            chair.clock.charge(seconds, chair.away_seconds)
            self.adjudicator.fail(question, kind, took=chair.took(seconds, wall_seconds))
            self._go_on()

    def kept_from_core(self, chair: Chair) -> None:
        """The machine is too busy to play this match."""
        self.kept_seats.append(chair.seat)
        self._end(pb.TABLE_END_REASON_CANCELLED)
        self._broken(KEPT)

    def lost(self, chair: Chair) -> None:
        """The stream of a chair is gone, and with it the bot's part of the match, unless it comes back."""
        chair.seated = False
        if not self._over:
            task = asyncio.ensure_future(self._take_loss(chair))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _take_loss(self, chair: Chair) -> None:
        if chair.place.returning is not None:
            since = monotonic()
            stream = await chair.place.returning.come_back()
            away = f"the line was lost; after {monotonic() - since:.1f} s"
            chair.complain(f"{away} the bot was {'back' if stream else 'given up'}")
            if stream is not None:
                self._resume(chair, stream)
                return
        kind = await chair.place.program.why_lost()
        if kind is None:
            self._end(pb.TABLE_END_REASON_CANCELLED)
            self._broken("a process of the platform ended")
        elif self.adjudicator.replaced[chair.seat] is None:
            chair.question = None
            self.adjudicator.replace(chair.seat, kind)
            self._go_on()

    def _resume(self, chair: Chair, stream: BotStream) -> None:
        """Take up a table on a new stream: all events from the first, and the open question anew."""
        chair.told = 0
        self._sit_down(chair, stream)
        if chair.question is None:
            self._tell(chair)
        else:
            spent_seconds = 0.0
            if chair.asked is not None:
                spent_seconds = chair.asked.spent_seconds
                if chair.asked.left:
                    chair.outages += 1
                    chair.away_seconds += monotonic() - chair.asked.left
                    if chair.outages > limits.REMOTE_OUTAGES:
                        self._left_too_often(chair, chair.asked)
                        return
            self._ask(chair, self.adjudicator.ask_again(chair.question), spent_seconds)

    def _left_too_often(self, chair: Chair, asked: Asked) -> None:
        """A bot that is away while it is asked may think on meanwhile, so it may be once in a match."""
        chair.complain(f"outage number {chair.outages} of this match with a question open: a timeout")
        self._tell(chair)
        self.failed(chair, FaultKind.TIMEOUT, asked.spent_seconds, asked.wall_seconds)

    # Going on -----------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        for question in self.adjudicator.ask():
            chair = self.chairs[question.seat]
            chair.question, chair.asked, chair.away_seconds = question, None, 0.0
            if chair.seated:
                self._ask(chair, question)
        for chair in self.chairs:
            if chair.seated and self.adjudicator.replaced[chair.seat] is not None:
                self._leave(chair, pb.TABLE_END_REASON_REPLACED)
        match = self.adjudicator.match
        state = (len(match.played), len(match.faults))
        if match.over:
            self._end(pb.TABLE_END_REASON_FINISHED)
            self._changed()
        elif state != self._state:
            self._state = state
            self._changed()

    def _sit_down(self, chair: Chair, stream: BotStream) -> None:
        chair.table = stream.add_table(chair, chair.start, chair.table)
        chair.stream = stream
        chair.charged = stream.charged
        chair.seated = True

    def _ask(self, chair: Chair, question: Question, spent_seconds: float = 0.0) -> None:
        self._tell(chair)
        chair.question = question
        chair.asked = chair.stream.ask(
            chair.table, question.number, question.legal, chair.clock.limit_seconds(), spent_seconds
        )

    def _tell(self, chair: Chair) -> None:
        """Add to the bot's update what its seat has seen since it was last told."""
        log, wire = self.adjudicator.match.log, self._wire
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
        chair.seated = False
        chair.question = None

    def _end(self, reason: pb.TableEndReason) -> None:
        self._over = True
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()
        for chair in self.chairs:
            if chair.seated:
                self._leave(chair, reason)
