"""The stream of one bot process, on which all its tables run.

One task reads and one writes, and neither is ever cancelled while it does: a cancelled read swallows the
bot's next message. What is to be told is gathered in one frame until the writer takes it; with more than a
few answers awaited it waits half a millisecond for more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import count
from time import monotonic
from typing import Any

import grpc.aio
from google.protobuf.message import DecodeError
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.connection.answer_limit import FloodError, SpareAnswers
from stichkampf_arbiter.connection.open_questions import OpenQuestions
from stichkampf_arbiter.connection.pending import Asked, Player
from stichkampf_arbiter.connection.time_accounts import Account

FLUSH_SECONDS = 0.0005
FEW_TABLES = 3
# More than all seats of all the matches that an arbiter ever has open: only a bot itself can want fewer.
MAX_TABLES = 8_192
# A bot that thinks need not read. One that is asked nothing and yet lets a message wait so long is cut off.
DEAF_SECONDS = 10.0
# After a message that nobody asked for, so that a flood takes no time from others before it is cut off.
UNASKED_PAUSE_SECONDS = 0.01


class DeafError(Exception):
    """A bot does not read what it is told, though it has nothing to decide."""


class BotStream:
    """One bot process that has been admitted.

    :param context: of the call `BotGateway.Play`.
    :param arrival: the earliest moment at which what is handled now can have arrived
        (`StampedSelector.arrival`).
    :param account: measures what the bot is charged.
    :param numbers: those of its tables, where they go on from an earlier stream.
    :ivar tables: the players by table.
    :ivar tables_at_once: so many tables it wants to have open.
    :ivar stale_answers: answers that nobody waited for.
    :ivar since: when it began, on the monotonic clock.
    :ivar closed: nothing can be told any more.
    :ivar broke_rules: it was closed because the bot flooded it or spoke another language.
    """

    def __init__(
        self,
        context: grpc.aio.ServicerContext[bytes, bytes],
        hello: pb.Hello,
        arrival: Callable[[], float],
        account: Account,
        numbers: Iterator[int] | None = None,
    ) -> None:
        self.hello = hello
        self.tables: dict[int, Player] = {}
        self.tables_at_once = min(hello.tables_at_once or MAX_TABLES, MAX_TABLES)
        self.closed = False
        self.broke_rules = False
        self.stale_answers = 0
        self.since = monotonic()
        self._context = context
        self._arrival = arrival
        self._account = account
        self._open = OpenQuestions(account)
        self._numbers = numbers or count(1)
        self._frame = pb.ToBot()
        self._updates: dict[int, pb.TableUpdate] = {}
        self._asking: list[Asked] = []
        self._silences = 0
        self._special: list[pb.ToBot] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._spare = SpareAnswers(MAX_TABLES)
        self._writing_since = 0.0
        self._busy_until = 0.0
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._room = asyncio.Event()

    # What matches call --------------------------------------------------------------------------------------

    @property
    def charged(self) -> str:
        """What the bot is charged: "cpu" or "wall" time."""
        return self._account.kind

    def plays(self, game: str) -> bool:
        return not self.hello.games or game in self.hello.games

    @property
    def full(self) -> bool:
        """Whether the bot wants no further table now."""
        return len(self.tables) >= self.tables_at_once

    async def room(self) -> None:
        """Returns when the bot wants another table, or when the stream is gone."""
        while self.full and not self.closed:
            self._room.clear()
            await self._room.wait()

    def add_table(self, player: Player, start: pb.TableStart, table: int = 0) -> int:
        """Start a table for a player; its number.

        :param table: the number that it had on a stream that was lost.
        """
        table = table or next(self._numbers)
        self._account.open(monotonic())
        self.tables[table] = player
        self.update(table).start.CopyFrom(start)
        return table

    def update(self, table: int) -> pb.TableUpdate:
        """The news for a table that have not been sent yet, to be added to."""
        update = self._updates.get(table)
        if update is None:
            update = self._updates[table] = self._frame.updates.tables.add(table=table)
            self._wake.set()
        return update

    def ask(
        self, table: int, number: int, legal: list[str], limit_seconds: float, spent_seconds: float = 0.0
    ) -> Asked:
        """Ask a table's player for a decision. Its news must be in `update(table)` by now."""
        asked = Asked(self.tables[table], table, number, limit_seconds, spent_seconds)
        question = self.update(table).question
        question.decision = number
        question.seconds = max(0.0, limit_seconds - spent_seconds)
        question.legal.extend(legal)
        self._asking.append(asked)
        self._turn_wanted()
        return asked

    def end_table(self, table: int, reason: pb.TableEndReason) -> None:
        """End a table. Open questions become stale."""
        if self.tables.pop(table, None) is not None:
            self.update(table).end.reason = reason
            self._asking = [asked for asked in self._asking if asked.table != table]
            self._open.drop(table)
            self._room.set()
            self._note_idle()

    def say(self, message: pb.ToBot) -> None:
        """Tell the bot what is not about a table, before the news of the tables."""
        self._spare.earn(message.HasField("ping"))
        self._special.append(message)
        self._wake.set()

    def drain(self, seconds: float) -> None:
        """Tell the bot that no table will start any more, and that the open ones have so long to finish."""
        self.say(pb.ToBot(draining=pb.Draining(seconds=seconds)))

    def close(self) -> None:
        """End the stream after what is still to be told."""
        self._closing = True
        self._wake.set()

    def cut(self, error: Exception) -> None:
        """End the stream at once; `serve` raises the error."""
        if not self._end.done():
            self._end.set_exception(error)

    def sweep(self, now: float, late_seconds: float = 0.0) -> None:
        """Time out what is overdue; to be called often.

        :param late_seconds: by how much the loop is late, 0 if it is on time. What came meanwhile may not be
            read yet.
        """
        oldest = self._open.oldest
        if late_seconds:
            self._busy_until = now
            overdue = self._open.long_overdue(now, late_seconds)
            if oldest is not None and overdue and self._line_is_sure(oldest, now):
                if self._open.was_kept(oldest, now):
                    oldest.player.kept_from_core(oldest)
                else:
                    self._time_out(overdue, now)
            return
        if oldest is None:
            if self._writing_since and now - max(self._writing_since, self._busy_until) > DEAF_SECONDS:
                self.cut(DeafError(f"nothing was read for {DEAF_SECONDS:g} seconds"))
            return
        self._busy_until = now
        overdue = self._open.overdue(now)
        slow = self._open.is_slow(oldest, now)
        if not (slow or overdue) or not self._line_is_sure(oldest, now):
            return
        if not slow and self._open.was_kept(oldest, now):
            oldest.player.kept_from_core(oldest)
            return
        if slow:
            # A bot works off its questions one by one, so only the oldest is overdue; a second silence in a
            # row is a hung bot.
            overdue = self._open.all() if self._silences else [oldest, *overdue]
            self._silences += 1
        self._time_out(overdue, now)

    def _time_out(self, overdue: Sequence[Asked], now: float) -> None:
        for asked in dict.fromkeys(overdue):
            if asked in self._open:
                asked.player.timed_out(asked, self._open.give_up(asked, now))
        self._note_idle()

    def _line_is_sure(self, overdue: Asked, now: float) -> bool:
        """Whether the bot must have had the question, and could have answered it."""
        return True

    # Reading and writing ------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Carry the stream until either side ends it. What is open then is lost.

        :raises FloodError: the bot sends far more than it was asked for.
        :raises DeafError: the bot does not read.
        :raises DecodeError: the bot sent something else than a message of the wire.
        """
        tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._write()), self._end]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except (FloodError, DecodeError):
            self.broke_rules = True
            raise
        finally:
            # Nothing is awaited here: gRPC may cancel this call, and the players must be told all the same.
            for task in tasks:
                task.cancel()
            asyncio.gather(*tasks, return_exceptions=True)
            self.closed = True
            self._room.set()
            self._open.leave(self._last_sign())
            self._asking.clear()
            players, self.tables = list(self.tables.values()), {}
            for player in players:
                player.lost()

    async def _read(self) -> None:
        read: Callable[[], Awaitable[Any]] = self._context.read
        while (message := await read()) is not grpc.aio.EOF:
            arrival = self._arrival()
            frame = pb.FromBot.FromString(message)
            self._spare.spend(max(1, len(frame.answers.answers)))
            self._heard(arrival)
            if frame.HasField("answers"):
                self._take(frame.answers.answers, arrival)
            elif frame.HasField("pong"):
                self._take_pong(frame.pong.number, arrival)
            else:
                raise DecodeError("after hello, a bot sends answers or pongs")
            if self._spare.overdrawn:
                await asyncio.sleep(UNASKED_PAUSE_SECONDS)

    async def _write(self) -> None:
        while not self._closing or self._updates or self._special:
            await self._wake.wait()
            await self._turn()
            # Where no answer is awaited, no further news can be on their way.
            if len(self._open) > FEW_TABLES and not self._special:
                await asyncio.sleep(FLUSH_SECONDS)
            self._wake.clear()
            special, self._special = self._special, []
            for message in special:
                self._writing_since = monotonic()
                await self._context.write(message.SerializeToString())
            if self._updates:
                frame, self._frame, self._updates = self._frame, pb.ToBot(), {}
                asking, self._asking = self._asking, []
                message_bytes = frame.SerializeToString()
                self._writing_since = monotonic()
                self._note_sent(asking, self._writing_since)
                await self._context.write(message_bytes)
            self._writing_since = 0.0

    def _last_sign(self) -> float:
        """When the bot was there for the last time, on the monotonic clock; once the stream is lost."""
        return monotonic()

    def _heard(self, arrival: float) -> None:
        """A sign of life, for those who care."""

    def _take_pong(self, number: int, arrival: float) -> None:
        """The reply to a ping, where some are sent."""

    def _note_sent(self, asking: list[Asked], now: float) -> None:
        for asked in asking:
            self._open.add(asked, now)
        self._spare.earn(len(asking))

    def _take(self, answers: Sequence[pb.Answer], arrival: float) -> None:
        """Charge and deliver the answers of one frame, which share one time of arrival."""
        found: dict[Asked, pb.Answer] = {}
        for answer in answers:
            asked = self._open.take(answer.table, answer.decision)
            if asked is not None:
                found[asked] = answer
            else:
                self.stale_answers += 1
                if answer.table in self.tables:
                    self.tables[answer.table].stale()
        if found:
            costs_seconds = self._open.charge(list(found), arrival)
            for (asked, answer), seconds in zip(found.items(), costs_seconds, strict=True):
                asked.player.answered(asked, answer, seconds)
        self._silences = 0
        self._note_idle()

    # For bots that run only when it is their turn -----------------------------------------------------------

    @property
    def is_asked(self) -> bool:
        """Whether any question waits to be sent or answered."""
        return bool(self._asking or len(self._open))

    async def _turn(self) -> None:
        """Returns when the bot may be told something."""

    def _turn_wanted(self) -> None:
        """A question waits to be sent."""

    def _note_idle(self) -> None:
        """A question may have been the last that was open."""
