"""The stream of one bot process, on which all its tables run.

One task reads and one writes, and neither is ever cancelled while it does: a cancelled read swallows the
bot's next message. What is to be told is gathered in one frame until the writer takes it; with more than a
few answers awaited it waits half a millisecond for more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Any, Protocol

import grpc.aio
from google.protobuf.message import DecodeError
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.accounts import Account

WIRE_VERSION = 1
FLUSH_SECONDS = 0.0005
FEW_TABLES = 3
MAX_TABLES = 1_024
# Every question earns one frame. Beyond that a bot may send a burst, which refills slowly; more is a flood.
BURST_FRAMES = 100.0
FRAMES_A_SECOND = 20.0


class Player(Protocol):
    """What a stream tells the match about one of its seats."""

    def answered(self, asked: Asked, answer: pb.Answer, seconds: float) -> None:
        """An answer to the open question; `seconds` is what the bot is charged."""

    def timed_out(self, asked: Asked, seconds: float) -> None:
        """The open question was not answered in time."""

    def stale(self) -> None:
        """An answer that nobody waits for."""

    def lost(self) -> None:
        """The stream is gone. Nothing follows."""


class Asked:
    """An open question on the stream.

    :ivar number: the number of the decision at its table.
    :ivar limit_seconds: what the decision may take.
    :ivar sent: when the writer sent it, on the monotonic clock; 0 before.
    :ivar stop: when it is over whatever the bot does: after its own limit and those of all that were open
        before it.
    """

    __slots__ = ("limit_seconds", "number", "player", "sent", "stop", "table")

    def __init__(self, player: Player, table: int, number: int, limit_seconds: float) -> None:
        self.player = player
        self.table = table
        self.number = number
        self.limit_seconds = limit_seconds
        self.sent = 0.0
        self.stop = 0.0


class FloodError(Exception):
    """A bot sends far more than it was asked for."""


class BotStream:
    """One bot process that has been admitted.

    :param context: of the call `BotGateway.Play`.
    :param arrival: the earliest moment at which what is handled now can have arrived
        (`StampedSelector.arrival`).
    :param account: measures what the bot is charged.
    :ivar tables: the players by table.
    :ivar stale_answers: answers that nobody waited for.
    :ivar closed: nothing can be told any more.
    :ivar broke_rules: it was closed because the bot flooded it or spoke another language.
    """

    def __init__(
        self,
        context: grpc.aio.ServicerContext[bytes, bytes],
        hello: pb.Hello,
        arrival: Callable[[], float],
        account: Account,
    ) -> None:
        self.hello = hello
        self.tables: dict[int, Player] = {}
        self.closed = False
        self.broke_rules = False
        self.stale_answers = 0
        self._context = context
        self._arrival = arrival
        self._account = account
        self._next_table = 1
        self._frame = pb.ToBot()
        self._updates: dict[int, pb.TableUpdate] = {}
        self._asking: list[Asked] = []
        self._open: dict[tuple[int, int], Asked] = {}
        self._open_seconds = 0.0
        self._silences = 0
        self._special: list[pb.ToBot] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._tokens = BURST_FRAMES
        self._refilled = monotonic()

    # What matches call --------------------------------------------------------------------------------------

    @property
    def charged(self) -> str:
        """What the bot is charged: "cpu" or "wall" time."""
        return self._account.kind

    def plays(self, game: str) -> bool:
        return not self.hello.games or game in self.hello.games

    def add_table(self, player: Player, start: pb.TableStart) -> int:
        """Start a table for a player; its number."""
        table = self._next_table
        self._next_table += 1
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

    def ask(self, table: int, number: int, legal: list[str], limit_seconds: float) -> Asked:
        """Ask a table's player for a decision. Its news must be in `update(table)` by now."""
        asked = Asked(self.tables[table], table, number, limit_seconds)
        question = self.update(table).question
        question.decision = number
        question.seconds = limit_seconds
        question.legal.extend(legal)
        self._asking.append(asked)
        return asked

    def end_table(self, table: int, reason: pb.TableEndReason) -> None:
        """End a table. Open questions become stale."""
        if self.tables.pop(table, None) is not None:
            self.update(table).end.reason = reason
            self._asking = [asked for asked in self._asking if asked.table != table]
            for asked in [asked for asked in self._open.values() if asked.table == table]:
                self._settle(asked)

    def drain(self, seconds: float) -> None:
        """Tell the bot that no table will start any more, and that the open ones have so long to finish."""
        self._special.append(pb.ToBot(draining=pb.Draining(seconds=seconds)))
        self._wake.set()

    def close(self) -> None:
        """End the stream after what is still to be told."""
        self._closing = True
        self._wake.set()

    def sweep(self, now: float) -> None:
        """Time out what is overdue; to be called often, and only when the loop is on time."""
        if not self._open:
            return
        overdue = [asked for asked in self._open.values() if now > asked.stop]
        oldest = next(iter(self._open.values()))
        if self._account.is_over(oldest.sent, oldest.limit_seconds, now):
            # A bot works off its questions one by one, so only the oldest is overdue; a second silence in a
            # row is a hung bot.
            overdue = list(self._open.values()) if self._silences else [oldest, *overdue]
            self._silences += 1
        for asked in dict.fromkeys(overdue):
            if self._settle(asked):
                asked.player.timed_out(asked, self._account.give_up(asked.sent, now))

    # Reading and writing ------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Carry the stream until either side ends it. What is open then is lost.

        :raises FloodError: the bot sends far more than it was asked for.
        :raises DecodeError: the bot sent something else than a message of the wire.
        """
        tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._write())]
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
            self._open.clear()
            self._asking.clear()
            players, self.tables = list(self.tables.values()), {}
            for player in players:
                player.lost()

    async def _read(self) -> None:
        read: Callable[[], Awaitable[Any]] = self._context.read
        while (message := await read()) is not grpc.aio.EOF:
            arrival = self._arrival()
            self._spend_token()
            frame = pb.FromBot.FromString(message)
            if frame.HasField("answers"):
                self._take(frame.answers.answers, arrival)
            elif not frame.HasField("pong"):
                raise DecodeError("after hello, a bot sends answers or pongs")

    async def _write(self) -> None:
        while not self._closing or self._updates or self._special:
            await self._wake.wait()
            # Where no answer is awaited, no further news can be on their way.
            if len(self._open) > FEW_TABLES and not self._special:
                await asyncio.sleep(FLUSH_SECONDS)
            self._wake.clear()
            special, self._special = self._special, []
            for message in special:
                await self._context.write(message.SerializeToString())
            if self._updates:
                frame, self._frame, self._updates = self._frame, pb.ToBot(), {}
                asking, self._asking = self._asking, []
                message_bytes = frame.SerializeToString()
                self._note_sent(asking)
                await self._context.write(message_bytes)

    def _note_sent(self, asking: list[Asked]) -> None:
        now = monotonic()
        for asked in asking:
            asked.sent = now
            self._open_seconds += asked.limit_seconds
            asked.stop = now + self._account.stop_seconds(self._open_seconds)
            self._open[asked.table, asked.number] = asked
        self._tokens = min(self._tokens + len(asking), BURST_FRAMES + len(self._open))

    def _spend_token(self) -> None:
        self._tokens -= 1
        if self._tokens < 0:
            now = monotonic()
            self._tokens = min(BURST_FRAMES, (now - self._refilled) * FRAMES_A_SECOND) - 1
            self._refilled = now
            if self._tokens < 0:
                raise FloodError("more messages than questions")

    def _take(self, answers: Sequence[pb.Answer], arrival: float) -> None:
        """Charge and deliver the answers of one frame, which share one time of arrival."""
        found: list[tuple[Asked, pb.Answer]] = []
        for answer in answers:
            asked = self._open.get((answer.table, answer.decision))
            if asked is not None and self._settle(asked):
                found.append((asked, answer))
            else:
                self.stale_answers += 1
                if answer.table in self.tables:
                    self.tables[answer.table].stale()
        if found:
            sent = min(asked.sent for asked, _ in found)
            share = self._account.charge(sent, arrival) / len(found)
            for asked, answer in found:
                asked.player.answered(asked, answer, share)
        self._silences = 0

    def _settle(self, asked: Asked) -> bool:
        if self._open.pop((asked.table, asked.number), None) is None:
            return False
        self._open_seconds = max(0.0, self._open_seconds - asked.limit_seconds) if self._open else 0.0
        return True
