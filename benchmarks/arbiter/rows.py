"""The rows of the table: each measures one way of asking many tables."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import grpc
import grpc.aio
from stichkampf.faults import FaultKind
from stichkampf.games import new_game
from stichkampf.match.adjudicator import Adjudicator
from stichkampf.match.answers import Rejection
from stichkampf.match.match import Match
from stichkampf.match.table import table_seed
from stichkampf.time_control import TimeControl
from stichkampf.timing.pending import PendingDecision
from stichkampf.timing.time_accounts import WallAccount
from stichkampf.wire.v1 import bot_pb2 as pb
from stichkampf_arbiter.connection.gateway import PLAY, Gateway, read_hello
from stichkampf_arbiter.connection.lateness import StampedSelector
from stichkampf_arbiter.connection.stream import BotStream
from stichkampf_arbiter.matches.live_match import LiveMatch
from stichkampf_arbiter.matches.seating import SeatAssignment

from benchmarks.arbiter.bots import RAW, child, match_bot, raw_bots, wire_bots
from benchmarks.arbiter.figures import Figure, measured

QUESTION = bytes(192)
WORDS = [f"play R{number:02}" for number in range(20)]
SEATS = 3
SEED = bytes(32)
# A bound: a thousand streams end one after the other.
END_SECONDS = 60.0


@asynccontextmanager
async def serving(method: str, handle: Any, socket: Path) -> AsyncIterator[None]:
    """Run a bare server with one method, whose bots end when it does."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    service, name = method.strip("/").split("/")
    handler: Any = grpc.stream_stream_rpc_method_handler(handle)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {name: handler}),))
    server.add_insecure_port(f"unix:{socket}")
    await server.start()
    yield
    await server.stop(END_SECONDS)


async def raw(tables: int, seconds: float, socket: Path, selector: StampedSelector) -> Figure:
    """Measure a raw gRPC ping-pong, a stream a table."""
    figure = Figure("raw gRPC", tables)
    over = asyncio.Event()

    async def ping(_: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        asked = 0
        while not over.is_set():
            since = monotonic()
            await context.write(QUESTION)
            await context.read()
            figure.waits.append(monotonic() - since)
            asked += 1
            figure.played += asked == 1

    with child(raw_bots, str(socket), tables):
        async with serving(f"{RAW}/Ping", ping, socket), measured(figure, seconds):
            over.set()
    return figure


class Asker:
    """A table that asks the same question again and again."""

    def __init__(self, stream: BotStream, figure: Figure) -> None:
        self._stream = stream
        self._figure = figure
        self._number = 0
        self._since = 0.0
        self._table = stream.add_table(self, pb.TableStart())
        self.stopped = False
        self.ask()

    def ask(self) -> None:
        self._number += 1
        self._since = monotonic()
        self._stream.ask(self._table, self._number, WORDS, 10.0)

    def answered(self, pending: PendingDecision, answer: pb.Answer, seconds: float) -> None:
        self._figure.played += self._number == 1
        self._figure.waits.append(monotonic() - self._since)
        self._figure.charges.append(seconds)
        if self.stopped:
            self._stream.end_table(self._table, pb.TABLE_END_REASON_FINISHED)
        else:
            self.ask()

    def timed_out(self, pending: PendingDecision, seconds: float) -> None:
        raise AssertionError("the bench never sweeps")

    def kept_from_core(self, pending: PendingDecision) -> None:
        raise AssertionError("the bench never sweeps")

    def stale(self) -> None:
        raise AssertionError("the bench answers once")

    def lost(self) -> None:
        raise AssertionError("the bench ends tables before streams")


async def stop(askers: list[Asker], *streams: BotStream) -> None:
    """Let open questions be answered, then end the streams."""
    for asker in askers:
        asker.stopped = True
    while any(stream.tables for stream in streams):
        await asyncio.sleep(0.01)
    for stream in streams:
        stream.close()


async def unbatched(tables: int, seconds: float, socket: Path, selector: StampedSelector) -> Figure:
    """Measure the arbiter's wire, a stream a table."""
    figure = Figure("unbatched", tables)
    askers: list[Asker] = []
    streams: list[BotStream] = []

    async def play(_: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        stream = BotStream(context, await read_hello(context), selector.arrival, WallAccount())
        streams.append(stream)
        askers.append(Asker(stream, figure))
        await stream.serve()

    with child(wire_bots, str(socket), tables):
        async with serving(PLAY, play, socket), measured(figure, seconds):
            await stop(askers, *streams)
    return figure


async def wire(tables: int, seconds: float, socket: Path, selector: StampedSelector) -> Figure:
    """Measure the arbiter's wire as it is used: one stream, messages for many tables."""
    figure = Figure("wire", tables)
    gateway = Gateway("bench", selector.arrival)
    await gateway.listen(socket)
    with child(wire_bots, str(socket), 1):
        stream = await gateway.stream
        askers = [Asker(stream, figure) for _ in range(tables)]
        async with measured(figure, seconds):
            await stop(askers, stream)
        await gateway.close(END_SECONDS)
    return figure


class Timed(Adjudicator):
    """Notes the cost of every decision."""

    figure: Figure

    def answer(self, *given: Any, **more: Any) -> Rejection | None:
        self.figure.waits.append(more["took"].cost)
        return super().answer(*given, **more)


class EndlessMatch:
    """One match after another at the same table."""

    def __init__(self, stream: BotStream, figure: Figure) -> None:
        self._stream = stream
        self._figure = figure
        self._played = False
        self._stopped = False
        self.play()

    def stop(self) -> None:
        """Leave the table after the next scored deal, when no answer is on its way."""
        self._stopped = True

    async def why_lost(self) -> FaultKind | None:
        return FaultKind.DISCONNECTED

    def play(self) -> None:
        match = Match(new_game("stiche-raten", SEATS, {}), seed=SEED)
        table = Timed(match, _no_substitute, fault_allowance=2)
        table.figure = self._figure
        self._running = LiveMatch(table, TimeControl(), changed=partial(self._changed, table), broken=_broken)
        self._running.start(
            [SeatAssignment(program=self, stream=self._stream)] * SEATS, [table_seed(SEED, 0)] * SEATS
        )

    def _again(self) -> None:
        if not self._stopped:
            self.play()

    def _changed(self, table: Adjudicator) -> None:
        self._figure.played += not self._played
        self._played = True
        if self._stopped:
            self._running.cancel()
        elif table.match.over:
            table.match.record([{"bot": "bench", "version": 1}] * SEATS)
            asyncio.get_running_loop().call_soon(self._again)


def _no_substitute(seat: int) -> Any:
    raise AssertionError("bots of the bench do not fail")


def _broken(reason: str) -> None:
    raise AssertionError(f"the bench broke: {reason}")


async def matches(tables: int, seconds: float, socket: Path, selector: StampedSelector) -> Figure:
    """Measure whole matches, one bot on all seats."""
    figure = Figure("matches", tables)
    gateway = Gateway("bench", selector.arrival)
    await gateway.listen(socket)
    with child(match_bot, str(socket)):
        stream = await gateway.stream
        playing = [EndlessMatch(stream, figure) for _ in range(tables)]
        async with measured(figure, seconds):
            for match in playing:
                match.stop()
        while stream.tables:
            await asyncio.sleep(0.01)
        stream.close()
        await gateway.close(END_SECONDS)
    return figure
