"""A match while it is played: connects the adjudicator with the clocks and the streams of its bots.

Everything here runs in callbacks of the streams; nothing waits.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic

from stichkampf.faults import FaultKind
from stichkampf.match.adjudicator import Adjudicator, Question
from stichkampf.match.answers import TimeTaken
from stichkampf.plain_text import plain
from stichkampf.time_control import TimeControl
from stichkampf.timing.clock import Clock, too_long
from stichkampf.timing.pending import PendingDecision
from stichkampf.wire.encoded_updates import EncodedLog
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.connection.stream import BotStream
from stichkampf_arbiter.matches.output_counts import OutputCounts
from stichkampf_arbiter.matches.sanitize import note_of
from stichkampf_arbiter.matches.seating import Reconnectable, SeatAssignment

MAX_COMPLAINTS = 20
COMPLAINT_CHARACTERS = 300
KEPT = (
    "the machine is too busy: for most of the longest time that a question may take, a bot was given no core"
)


@dataclass(eq=False)
class LiveSeat:
    """A seat of a live match and its bot.

    :ivar start: message that is sent when the bot sits down.
    :ivar table: number of the table on the bot's stream.
    :ivar seated: true while the bot is at the table.
    :ivar charged: kind of time that its clock counts, "cpu" or "wall".
    :ivar pending: its open question on its last stream; None if it was not sent one.
    :ivar away_seconds: time for which the bot was out of reach while it worked on the open question.
    :ivar outages: number of outages in this match with a question open.
    :ivar complaints: messages to the bot's owner: the bot's own errors, and its refused answers.
    :ivar output: what the bot had printed when its questions were settled.
    """

    match: LiveMatch
    seat: int
    assignment: SeatAssignment
    clock: Clock
    start: pb.TableStart
    stream: BotStream = field(init=False)
    charged: str = "wall"
    table: int = 0
    seated: bool = False
    pending: PendingDecision | None = None
    away_seconds: float = 0.0
    outages: int = 0
    complaints: list[str] = field(default_factory=list)
    complaint_decisions: list[int] = field(default_factory=list)
    stale_answers: int = 0
    output: OutputCounts = field(init=False)

    def __post_init__(self) -> None:
        self.output = OutputCounts(self.assignment.printed_bytes)

    def answered(self, pending: PendingDecision, answer: pb.Answer, seconds: float) -> None:
        self.match.answered(self, pending, answer, seconds)

    def timed_out(self, pending: PendingDecision, seconds: float) -> None:
        self.match.timed_out(self, pending, seconds)

    def kept_from_core(self, pending: PendingDecision) -> None:
        self.match.kept_from_core(self)

    def stale(self) -> None:
        self.stale_answers += 1

    def lost(self) -> None:
        self.match.lost(self)

    def took(self, seconds: float, wall_seconds: float) -> TimeTaken:
        """Return the time of a decision, including the time for which the bot was away meanwhile."""
        away = self.away_seconds
        return TimeTaken(round(seconds + away, 6), round(wall_seconds + away, 6))

    def complain(self, text: str, decision: int = 0) -> None:
        """Keep a message to the owner.

        :param decision: the one that it is about, among those of this seat, from 1; 0 for none.
        """
        if len(self.complaints) < MAX_COMPLAINTS:
            self.complaints.append(plain(text, COMPLAINT_CHARACTERS))
            self.complaint_decisions.append(decision)

    def complain_of_time(self, question: Question, pending: PendingDecision, seconds: float) -> None:
        """Keep the message about a question that took longer than it may."""
        text = too_long(self.charged, seconds, pending.limit_seconds, question.legal)
        self.complain(text, question.number)


class LiveMatch:
    """One match between bots on streams.

    :param changed: called after every scored deal and every fault, and once at the end.
    :param broken: called instead of the end, with a reason, if the platform failed.
    :ivar moved_at: time of the last answer, on the monotonic clock.
    :ivar kept_seats: seats whose bots were kept from a core, if that was the reason.
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
        self.seats: list[LiveSeat] = []
        self._persons: list[LiveSeat] = []
        self._control = control
        self._changed = changed
        self._broken = broken
        self._log = EncodedLog(adjudicator.match.log, adjudicator.match.game.seats)
        self._state = (0, 0)
        self._over = False
        self.kept_seats: list[int] = []
        self.moved_at = monotonic()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, assignments: Sequence[SeatAssignment], seeds: Sequence[bytes]) -> None:
        """Seat the bots and ask the first questions.

        :param assignments: by seat.
        :param seeds: by seat: 32 bytes for the bot's own random choices.
        """
        game = self.adjudicator.match.game
        options_json = json.dumps(game.options, separators=(",", ":"))
        for number, assignment in enumerate(assignments):
            control = assignment.control or self._control
            start = pb.TableStart(
                game=game.name,
                options_json=options_json,
                seats=game.seats,
                seat=number,
                time_control=pb.TimeControl(**control.to_json()),
                seed=seeds[number],
                bot=assignment.bot,
                rules_version=game.rules_version,
                match=assignment.match,
            )
            seat = LiveSeat(self, number, assignment, Clock(control), start)
            self.seats.append(seat)
            if assignment.match:
                self._persons.append(seat)
            if assignment.stream is None or assignment.stream.closed:
                seat.complain(f"{assignment.fault}: {assignment.reason}")
                self.adjudicator.replace(number, assignment.fault)
            else:
                seat.output.count(0)
                self._sit_down(seat, assignment.stream)
        self._go_on()

    def longest_question(self) -> float:
        """Return the longest time in seconds that a decision may take now."""
        return max((seat.clock.limit_seconds() for seat in self.seats), default=0.0)

    def cancel(self) -> None:
        """End the match at once; no callback follows."""
        self._end(pb.TABLE_END_REASON_CANCELLED)

    # News of the streams ------------------------------------------------------------------------------------

    def answered(self, seat: LiveSeat, pending: PendingDecision, answer: pb.Answer, seconds: float) -> None:
        question = self._open_question(seat)
        if question is None:
            return
        seat.output.count(question.number)
        in_time = seat.clock.charge(seconds, seat.away_seconds)
        took = seat.took(seconds, pending.wall_seconds)
        match answer.WhichOneof("reply"):
            case _ if not in_time:
                seat.complain_of_time(question, pending, seconds)
                self.adjudicator.fail(question, FaultKind.TIMEOUT, took=took)
            case "action":
                rejection = self.adjudicator.answer(question, answer.action, note=note_of(answer), took=took)
                if rejection:
                    legal = ", ".join(question.legal)
                    told = f"{rejection.kind}: {answer.action!r:.80}; legal were {legal}"
                    seat.complain(told, question.number)
            case "resignation":
                self.adjudicator.fail(question, FaultKind.RESIGNED, took=took)
            case "failure":
                seat.complain(answer.failure.message, question.number)
                kind = FaultKind.MALFORMED if answer.failure.malformed else FaultKind.CRASHED
                self.adjudicator.fail(question, kind, took=took)
            case _:
                legal = ", ".join(question.legal)
                seat.complain(f"malformed: an answer without action; legal were {legal}", question.number)
                self.adjudicator.fail(question, FaultKind.MALFORMED, took=took)
        self._go_on()

    def timed_out(self, seat: LiveSeat, pending: PendingDecision, seconds: float) -> None:
        question = self._open_question(seat)
        if question is not None:
            seat.output.count(question.number)
            seat.complain_of_time(question, pending, seconds)
            seat.clock.charge(seconds, seat.away_seconds)
            took = seat.took(seconds, pending.wall_seconds)
            self.adjudicator.fail(question, FaultKind.TIMEOUT, took=took)
            self._go_on()

    def kept_from_core(self, seat: LiveSeat) -> None:
        """Fail the match: the machine is too busy to play it."""
        self.kept_seats.append(seat.seat)
        self._end(pb.TABLE_END_REASON_CANCELLED)
        self._broken(KEPT)

    def lost(self, seat: LiveSeat) -> None:
        """Replace the bot of a lost stream, unless it reconnects."""
        seat.seated = False
        if not self._over:
            task = asyncio.ensure_future(self._take_loss(seat))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _take_loss(self, seat: LiveSeat) -> None:
        if seat.assignment.reconnectable is not None:
            since = monotonic()
            stream = await seat.assignment.reconnectable.wait_for_reconnect()
            away = f"the connection was lost; after {monotonic() - since:.1f} s"
            seat.complain(f"{away} the bot {'was back' if stream else 'was given up'}")
            if stream is not None:
                self._resume(seat, stream, seat.assignment.reconnectable)
                return
        kind = await seat.assignment.program.why_lost()
        if kind is None:
            self._end(pb.TABLE_END_REASON_CANCELLED)
            self._broken("a process of the platform ended")
        elif self.adjudicator.replaced[seat.seat] is None:
            question = self._open_question(seat)
            if question is not None:
                seat.output.count(question.number)
            self.adjudicator.replace(seat.seat, kind)
            self._go_on()

    def _resume(self, seat: LiveSeat, stream: BotStream, reconnected: Reconnectable) -> None:
        """Resume a table on a new stream: resend all events and the open question."""
        self._log.repeat(seat.seat)
        self._sit_down(seat, stream)
        question = self._open_question(seat)
        if question is None:
            self._tell(seat)
            return
        spent_seconds = 0.0
        if seat.pending is not None:
            spent_seconds = seat.pending.spent_seconds
            if seat.pending.left:
                seat.outages += 1
                seat.away_seconds += monotonic() - seat.pending.left
                if seat.outages > reconnected.forgiven_outages:
                    self._fail_for_outages(seat, seat.pending)
                    return
        self._ask(seat, self.adjudicator.ask_again(question), spent_seconds)

    def _fail_for_outages(self, seat: LiveSeat, pending: PendingDecision) -> None:
        """Time out the open question: an outage, in which a bot may think on, is forgiven once a match."""
        seat.complain(f"outage number {seat.outages} of this match with a question open: a timeout")
        self._tell(seat)
        self.timed_out(seat, pending, pending.spent_seconds)

    # Going on -----------------------------------------------------------------------------------------------

    def _open_question(self, seat: LiveSeat) -> Question | None:
        """Return the open question of a seat, also while its bot is awaited; None once the match is over."""
        return None if self._over else self.adjudicator.open.get(seat.seat)

    def _go_on(self) -> None:
        self.moved_at = monotonic()
        for question in self.adjudicator.ask():
            seat = self.seats[question.seat]
            seat.pending, seat.away_seconds = None, 0.0
            if seat.seated:
                self._ask(seat, question)
        for seat in self._persons:
            if seat.seated:
                self._tell(seat)
        if any(self.adjudicator.replaced):
            for seat in self.seats:
                if seat.seated and self.adjudicator.replaced[seat.seat] is not None:
                    self._leave(seat, pb.TABLE_END_REASON_REPLACED)
        match = self.adjudicator.match
        state = (len(match.played), len(match.faults))
        if match.over:
            self._end(pb.TABLE_END_REASON_FINISHED)
            self._changed()
        elif state != self._state:
            self._state = state
            self._changed()

    def _sit_down(self, seat: LiveSeat, stream: BotStream) -> None:
        seat.table = stream.add_table(seat, seat.start, seat.table)
        seat.stream = stream
        seat.charged = stream.charged
        seat.seated = True

    def _ask(self, seat: LiveSeat, question: Question, spent_seconds: float = 0.0) -> None:
        seat.pending = seat.stream.ask(
            seat.table,
            question.number,
            question.legal,
            seat.clock.limit_seconds(),
            spent_seconds,
            self.adjudicator.match.deal.hand(seat.seat),
            self._log.news(seat.seat),
            seat.clock.bank_seconds,
        )

    def _tell(self, seat: LiveSeat) -> None:
        """Add the events that a seat has seen since its last update, if there are any, to its next update."""
        if news := self._log.news(seat.seat):
            seat.stream.update(seat.table).events += news

    def _leave(self, seat: LiveSeat, reason: pb.TableEndReason) -> None:
        if reason == pb.TABLE_END_REASON_FINISHED:
            self._tell(seat)
        seat.stream.end_table(seat.table, reason)
        seat.seated = False

    def _end(self, reason: pb.TableEndReason) -> None:
        self._over = True
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()
        for seat in self.seats:
            if seat.seated:
                self._leave(seat, reason)
