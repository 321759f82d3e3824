"""The stream of one bot process, on which all its tables run.

One task reads and one writes, and neither is ever cancelled while it does: a cancelled read swallows the
bot's next message. Updates are collected in one frame until the writer takes it; with more than a few pending
decisions the writer waits half a millisecond for more updates.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import count
from time import monotonic
from typing import Any, Protocol

import grpc.aio
from google.protobuf.message import DecodeError
from stichkampf.timing.pending import PendingDecision, PendingDecisions
from stichkampf.timing.time_accounts import TimeAccount
from stichkampf.wire.encoded_updates import Update, encoded_frame
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.connection.answer_limit import AnswerLimit, FloodError

FLUSH_SECONDS = 0.0005
FEW_DECISIONS = 3
# More than the seats of all matches that an arbiter ever has open, so that only the bot itself limits it.
MAX_TABLES = 8_192
# A bot that thinks need not read. A bot without a question that leaves a message unread for this long is cut
# off.
SLOW_READER_SECONDS = 10.0
# After an unrequested message, so that a flood takes no time from others before it is cut off.
UNASKED_PAUSE_SECONDS = 0.01


class SeatListener(Protocol):
    """Receives the news of a stream about one seat of a match."""

    def answered(self, pending: PendingDecision, answer: pb.Answer, seconds: float) -> None:
        """Receive the answer to a pending decision; the bot is charged `seconds`."""

    def timed_out(self, pending: PendingDecision, seconds: float) -> None:
        """A pending decision was not answered in time; the bot is charged `seconds`."""

    def kept_from_core(self, pending: PendingDecision) -> None:
        """A pending decision ended unanswered, and for most of its time the machine gave the bot no core."""

    def stale(self) -> None:
        """An answer arrived that belongs to no pending decision."""

    def lost(self) -> None:
        """The stream is lost. No further call follows."""


class TooLongError(Exception):
    """A bot sends a message that is longer than it may be."""


class StreamContext(Protocol):
    """Both directions of a stream, as gRPC gives them to the server."""

    def read(self) -> Any:
        """Await the next message; `grpc.aio.EOF` after the last."""

    def write(self, message: bytes, /) -> Any:
        """Await that a message may be followed by another."""


class HungError(Exception):
    """A process of the platform hangs."""


class SlowReaderError(Exception):
    """A bot does not read its messages, though it has nothing to decide."""


class BotStream:
    """The stream of one admitted bot process.

    :param context: of the call `BotGateway.Play`.
    :param arrival: returns the earliest moment at which a message handled now can have arrived
        (`StampedSelector.arrival`).
    :param account: measures the time that the bot is charged.
    :param numbers: numbers for its tables, where they continue those of an earlier stream.
    :ivar of_the_platform: true for a process of the platform, so that its hanging is no fault of bots.
    :ivar tables: listeners by table.
    :ivar tables_at_once: number of tables that the bot wants to have open at most.
    :ivar stale_answers: number of answers that belonged to no pending decision.
    :ivar since: start of the stream, on the monotonic clock.
    :ivar closed: true once nothing can be sent any more.
    :ivar violated_protocol: true if it was closed because the bot flooded it or sent an invalid message.
    """

    def __init__(
        self,
        context: StreamContext,
        hello: pb.Hello,
        arrival: Callable[[], float],
        account: TimeAccount,
        numbers: Iterator[int] | None = None,
    ) -> None:
        self.hello = hello
        self.tables: dict[int, SeatListener] = {}
        self.tables_at_once = min(hello.tables_at_once or MAX_TABLES, MAX_TABLES)
        self.closed = False
        self.violated_protocol = False
        self.of_the_platform = False
        self.stale_answers = 0
        self.since = monotonic()
        self._context = context
        self._arrival = arrival
        self._account = account
        self._open = PendingDecisions(account)
        self._numbers = numbers or count(1)
        self._updates: dict[int, Update] = {}
        self._unsent: list[PendingDecision] = []
        self._silences = 0
        self._messages: list[pb.ToBot] = []
        self._draining: pb.ToBot | None = None
        self._wake = asyncio.Event()
        self._closing = False
        self._answer_limit = AnswerLimit(MAX_TABLES)
        self._writing_since = 0.0
        self._busy_until = 0.0
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._table_ended = asyncio.Event()
        self._over = asyncio.Event()

    # What matches call --------------------------------------------------------------------------------------

    @property
    def charged(self) -> str:
        """The kind of time that the bot is charged, "cpu" or "wall"."""
        return self._account.kind

    def plays(self, game: str) -> bool:
        return not self.hello.games or game in self.hello.games

    @property
    def full(self) -> bool:
        """True while the bot wants no further table."""
        return len(self.tables) >= self.tables_at_once

    async def wait_until_not_full(self) -> None:
        """Return when the bot wants another table, or when the stream is closed."""
        while self.full and not self.closed:
            self._table_ended.clear()
            await self._table_ended.wait()

    async def wait_until_closed(self) -> None:
        """Return when the stream is closed."""
        await self._over.wait()

    def add_table(self, listener: SeatListener, start: pb.TableStart, table: int = 0) -> int:
        """Start a table and return its number.

        :param table: number that it had on a lost stream.
        """
        table = table or next(self._numbers)
        self._account.start(monotonic())
        self.tables[table] = listener
        self.update(table).start(start.SerializeToString())
        return table

    def update(self, table: int) -> Update:
        """Return the update of a table that is not sent yet, to be added to."""
        update = self._updates.get(table)
        if update is None:
            update = self._updates[table] = Update(table)
            self._wake.set()
        return update

    def ask(
        self,
        table: int,
        number: int,
        legal: Sequence[str],
        limit_seconds: float,
        spent_seconds: float = 0.0,
        hand: Sequence[str] = (),
        events: Sequence[bytes] = (),
        bank_seconds: float | None = None,
    ) -> PendingDecision:
        """Ask for a decision at a table.

        :param bank_seconds: what is left of the bot's bank, to tell it.
        :param hand: the cards that the seat holds.
        :param events: the encoded events that the seat has seen since its last update.
        """
        pending = PendingDecision(table, number, limit_seconds, spent_seconds)
        update = self.update(table)
        update.events += events
        if bank_seconds is not None:  # encoded messages one after the other are one with the fields of all
            update.events.append(pb.TableUpdate(bank_seconds=bank_seconds).SerializeToString())
        update.ask(number, legal, max(0.0, limit_seconds - spent_seconds), hand)
        self._unsent.append(pending)
        self._request_turn()
        return pending

    def end_table(self, table: int, reason: pb.TableEndReason) -> None:
        """End a table. Answers to its pending decisions become stale."""
        if self.tables.pop(table, None) is not None:
            self.update(table).end(reason)
            self._unsent = [pending for pending in self._unsent if pending.table != table]
            self._open.drop(table)
            self._table_ended.set()
            self._release_turn_if_idle()

    def send(self, message: pb.ToBot) -> None:
        """Send a message that is not about a table, before the updates of the tables."""
        self._answer_limit.add(message.HasField("ping"))
        self._messages.append(message)
        self._wake.set()

    def drain(self, seconds: float) -> None:
        """Announce, after the tables that have started, that none will start any more.

        :param seconds: time that open tables have to finish; 0 if nothing limits it.
        """
        self._draining = pb.ToBot(draining=pb.Draining(seconds=seconds))
        self._wake.set()

    def close(self) -> None:
        """End the stream once everything collected is sent."""
        self._closing = True
        self._wake.set()

    def cut(self, error: Exception) -> None:
        """End the stream at once; `serve` raises the error."""
        if not self._end.done():
            self._end.set_exception(error)

    def sweep(self, now: float, late_seconds: float = 0.0) -> None:
        """Fail every question past its deadline. Called on every tick.

        :param late_seconds: delay of the tick (see `lateness`); 0 if it is on time.
        """
        if late_seconds:
            self._sweep_late(now, late_seconds)
        else:
            self._sweep_on_time(now)

    def _sweep_late(self, now: float, late_seconds: float) -> None:
        """Fail only questions that are overdue in spite of the delay: answers may wait unread."""
        self._busy_until = now
        self._open.credit_lag(late_seconds)
        oldest, overdue = self._open.oldest, self._open.long_overdue(now)
        if oldest is not None and overdue and self._connection_is_alive(oldest, now):
            if self._open.was_kept_from_core(oldest, now):
                self.tables[oldest.table].kept_from_core(oldest)
            else:
                self._time_out(overdue, now)

    def _sweep_on_time(self, now: float) -> None:
        oldest = self._open.oldest
        if oldest is None:
            if self._writing_since and now - max(self._writing_since, self._busy_until) > SLOW_READER_SECONDS:
                self.cut(SlowReaderError(f"nothing was read for {SLOW_READER_SECONDS:g} seconds"))
            return
        self._busy_until = now
        overdue = self._open.overdue(now)
        slow = self._open.is_slow(oldest, now)
        if not (slow or overdue) or not self._connection_is_alive(oldest, now):
            return
        if not slow and self._open.was_kept_from_core(oldest, now):
            self.tables[oldest.table].kept_from_core(oldest)
            return
        if slow:
            # A bot answers its questions one by one, so only the oldest is overdue. A bot that lets a second
            # one in a row time out hangs.
            if self._silences and self.of_the_platform:
                self.cut(HungError("two questions in a row timed out"))
                return
            overdue = self._open.all() if self._silences else [oldest, *overdue]
            self._silences += 1
        self._time_out(overdue, now)

    def _time_out(self, overdue: Sequence[PendingDecision], now: float) -> None:
        for pending in dict.fromkeys(overdue):
            if pending in self._open:
                self.tables[pending.table].timed_out(pending, self._open.give_up(pending, now))
        self._release_turn_if_idle()

    def _connection_is_alive(self, overdue: PendingDecision, now: float) -> bool:
        """Tell whether the bot certainly received the overdue question and could have answered it."""
        return True

    # Reading and writing ------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Run the stream until either side ends it. Decisions that are pending then are lost.

        :raises FloodError: the bot sends far more answers than it was asked for.
        :raises SlowReaderError: the bot does not read its messages.
        :raises HungError: it is of the platform, and hangs.
        :raises TooLongError: the bot sent more than a message may have, where gRPC does not look at that.
        :raises DecodeError: the bot sent an invalid message.
        """
        tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._write()), self._end]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except (FloodError, TooLongError, DecodeError):
            self.violated_protocol = True
            raise
        finally:
            # Nothing is awaited here: gRPC may cancel this call, and the listeners must be told all the same.
            for task in tasks:
                task.cancel()
            asyncio.gather(*tasks, return_exceptions=True)
            self.closed = True
            self._over.set()
            self._table_ended.set()
            self._open.leave(self._last_sign_of_life())
            self._unsent.clear()
            listeners, self.tables = list(self.tables.values()), {}
            for listener in listeners:
                listener.lost()

    async def _read(self) -> None:
        read: Callable[[], Awaitable[Any]] = self._context.read
        while (message := await read()) is not grpc.aio.EOF:
            arrival = self._arrival()
            frame = pb.FromBot.FromString(message)
            self._answer_limit.take(max(1, len(frame.answers.answers)))
            self._note_sign_of_life(arrival)
            if frame.HasField("answers"):
                self._take(frame.answers.answers, arrival)
            elif frame.HasField("pong"):
                self._take_pong(frame.pong.number, arrival)
            elif frame.HasField("leave"):
                self._take_leave()
            else:
                raise DecodeError("after hello, a bot sends answers, pongs or leave")
            if self._answer_limit.is_exceeded:
                await asyncio.sleep(UNASKED_PAUSE_SECONDS)

    async def _write(self) -> None:
        while not self._closing or self._updates or self._messages or self._draining:
            await self._wake.wait()
            await self._wait_for_turn()
            # Few updates can follow while few decisions are pending; waiting for more would gain nothing.
            if len(self._open) > FEW_DECISIONS and not self._messages:
                await asyncio.sleep(FLUSH_SECONDS)
            self._wake.clear()
            messages, self._messages = self._messages, []
            for message in messages:
                self._writing_since = monotonic()
                await self._context.write(message.SerializeToString())
            if self._updates:
                updates, self._updates = self._updates, {}
                unsent, self._unsent = self._unsent, []
                message_bytes = encoded_frame(updates.values())
                self._writing_since = monotonic()
                self._note_sent(unsent, self._writing_since)
                await self._context.write(message_bytes)
            if self._draining and not self._updates:
                message, self._draining = self._draining, None
                self._writing_since = monotonic()
                await self._context.write(message.SerializeToString())
            self._writing_since = 0.0

    def _last_sign_of_life(self) -> float:
        """Return the time of the last sign of life of a lost stream, on the monotonic clock."""
        return monotonic()

    def _note_sign_of_life(self, arrival: float) -> None:
        """Note that a message arrived, where that matters."""

    def _take_pong(self, number: int, arrival: float) -> None:
        """Take the reply to a ping, where pings are sent."""

    def _take_leave(self) -> None:
        """Start no further table, where a bot may ask for that."""

    def _note_sent(self, unsent: list[PendingDecision], now: float) -> None:
        for pending in unsent:
            self._open.add(pending, now)
        self._answer_limit.add(len(unsent))

    def _take(self, answers: Sequence[pb.Answer], arrival: float) -> None:
        """Charge and deliver the answers of one frame, which have one time of arrival."""
        taken: list[PendingDecision] = []
        found: list[pb.Answer] = []
        for answer in answers:
            pending = self._open.take(answer.table, answer.decision)
            if pending is not None:
                taken.append(pending)
                found.append(answer)
            else:
                self.stale_answers += 1
                if answer.table in self.tables:
                    self.tables[answer.table].stale()
        if taken:
            costs_seconds = self._open.charge(taken, arrival)
            for pending, answer, seconds in zip(taken, found, costs_seconds, strict=True):
                if pending.table in self.tables:  # no answer before has ended its match
                    self.tables[pending.table].answered(pending, answer, seconds)
        self._silences = 0
        self._release_turn_if_idle()

    # For bots that run only in their turns ------------------------------------------------------------------

    @property
    def is_asked(self) -> bool:
        """True while a question is unsent or unanswered."""
        return bool(self._unsent or len(self._open))

    async def _wait_for_turn(self) -> None:
        """Return when the bot may be sent a message."""

    def _request_turn(self) -> None:
        """Ask for a turn: a question waits to be sent."""

    def _release_turn_if_idle(self) -> None:
        """End the turn if no question is unsent or unanswered."""
