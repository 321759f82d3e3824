"""What a decision costs the arbiter, beside a raw gRPC ping-pong measured in the same run.

    python -m stichkampf_arbiter.bench [--tables 1 32 256] [--thousand] [--seconds 3]

Three measurements, each between two processes over a Unix socket: raw gRPC (a stream a table, a question
of 192 bytes, an answer of 20), the arbiter's wire alone (messages of that size through `BotStream`),
and whole matches (Stiche-Raten, three seats, a bot that takes the first legal action) with rules, events,
clock and record. CPU is that of the arbiter's side only; ratios say more than rates. The waits of whole
matches are what the clock charged.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import grpc
import grpc.aio
from stichkampf.bot import Bot
from stichkampf.client import serve
from stichkampf.games import new_game
from stichkampf.match import Match
from stichkampf.table import Table as BotTable
from stichkampf.table import table_seed
from stichkampf.wire.v1 import bot_pb2 as pb
from stichkampf.wire.v1 import bot_pb2_grpc

from stichkampf_arbiter.clock import TimeControl
from stichkampf_arbiter.gateway import Gateway
from stichkampf_arbiter.loop import StampedSelector, new_loop
from stichkampf_arbiter.match import FaultKind, Table
from stichkampf_arbiter.play import Place, RunningMatch
from stichkampf_arbiter.stream import Asked, BotStream

QUESTION = bytes(192)
ANSWER = bytes(20)
WORDS = [f"play R{number:02}" for number in range(20)]
RAW = "stichkampf.bench.Raw"
SEATS = 3


@dataclass
class Figure:
    """One measurement, of the arbiter's side.

    :ivar waits: by decision, the seconds from question to answer.
    :ivar charges: by decision, the seconds that the clock charged; bots decide at once, so it is all error.
    """

    name: str
    tables: int
    waits: list[float] = field(default_factory=list)
    charges: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def rate(self) -> float:
        return len(self.waits) / self.seconds

    @property
    def cpu_us(self) -> float:
        return self.cpu_seconds / len(self.waits) * 1e6

    def line(self) -> str:
        p50, p99 = (quantile(self.waits, share) * 1e6 for share in (0.5, 0.99))
        what = f"{self.name:<10}{self.tables:>7}"
        return f"{what}{self.rate:>14,.0f}{self.cpu_us:>14.1f}{p50:>10,.0f}{p99:>10,.0f}"


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


@asynccontextmanager
async def measured(figure: Figure, seconds: float) -> AsyncIterator[None]:
    """Let what is running run on for a while, and take the figures of that time only."""
    while not figure.waits:
        await asyncio.sleep(0.01)
    await asyncio.sleep(seconds / 5)
    figure.waits.clear()
    figure.charges.clear()
    wall, cpu = monotonic(), process_time()
    await asyncio.sleep(seconds)
    figure.seconds, figure.cpu_seconds = monotonic() - wall, process_time() - cpu
    figure.waits, figure.charges = list(figure.waits), list(figure.charges)
    yield


# Raw gRPC, a stream a table ---------------------------------------------------------------------------------


async def raw(tables: int, seconds: float, socket: Path) -> Figure:
    figure = Figure("raw gRPC", tables)
    over = asyncio.Event()

    async def ping(_: Any, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        while not over.is_set():
            since = monotonic()
            await context.write(QUESTION)
            await context.read()
            figure.waits.append(monotonic() - since)

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handler: Any = grpc.stream_stream_rpc_method_handler(ping)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(RAW, {"Ping": handler}),))
    server.add_insecure_port(f"unix:{socket}")
    await server.start()
    with child(raw_bots, str(socket), tables):
        async with measured(figure, seconds):
            over.set()
        await server.stop(5.0)
    return figure


def raw_bots(socket: str, tables: int) -> None:
    async def pong(channel: grpc.aio.Channel) -> None:
        call: Any = channel.stream_stream(f"/{RAW}/Ping")(wait_for_ready=True)
        with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
            while await call.read() is not grpc.aio.EOF:
                await call.write(ANSWER)

    async def run() -> None:
        async with grpc.aio.insecure_channel(f"unix:{socket}") as channel:
            await asyncio.gather(*(pong(channel) for _ in range(tables)))

    asyncio.run(run())


# The wire alone, all tables on one stream -------------------------------------------------------------------


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

    def answered(self, asked: Asked, answer: pb.Answer, seconds: float) -> None:
        self._figure.waits.append(monotonic() - self._since)
        self._figure.charges.append(seconds)
        if not self.stopped:
            self.ask()

    def timed_out(self, asked: Asked, seconds: float) -> None:
        raise AssertionError("nobody sweeps here")

    def stale(self) -> None:
        raise AssertionError("the bench answers once")

    def lost(self) -> None:
        pass


async def wire(tables: int, seconds: float, socket: Path, selector: StampedSelector) -> Figure:
    figure = Figure("wire", tables)
    gateway = Gateway("bench", selector.arrival)
    await gateway.listen(socket)
    with child(wire_bot, str(socket)):
        stream = await gateway.stream
        askers = [Asker(stream, figure) for _ in range(tables)]
        async with measured(figure, seconds):
            for asker in askers:
                asker.stopped = True
        await gateway.close(5.0)
    return figure


def wire_bot(socket: str) -> None:
    async def run() -> None:
        async with grpc.aio.insecure_channel(f"unix:{socket}") as channel:
            call = bot_pb2_grpc.BotGatewayStub(channel).Play(wait_for_ready=True)  # type: ignore[no-untyped-call]
            hello = pb.Hello(wire_version_min=1, wire_version_max=1)
            await call.write(pb.FromBot(hello=hello))
            while (frame := await call.read()) is not grpc.aio.EOF:
                answers = [
                    pb.Answer(
                        table=update.table, decision=update.question.decision, action=update.question.legal[0]
                    )
                    for update in frame.updates.tables
                ]
                if answers:
                    await call.write(pb.FromBot(answers=pb.Answers(answers=answers)))

    asyncio.run(run())


# Whole matches ----------------------------------------------------------------------------------------------


class FirstLegal(Bot):
    """Decides at once."""

    def choose(self, table: BotTable) -> str:
        return table.legal[0]


class Timed(Table):
    """A table that notes what its decisions cost the bot."""

    figure: Figure

    def answer(self, *given: Any, **more: Any) -> FaultKind | None:
        self.figure.waits.append(more["cost_seconds"])
        return super().answer(*given, **more)


class EndlessMatch:
    """Match after match at the same table."""

    def __init__(self, stream: BotStream, figure: Figure) -> None:
        self._stream = stream
        self._figure = figure
        self._stopped = False
        self.play()

    def stop(self) -> None:
        self._stopped = True
        self._running.cancel()

    async def why_lost(self) -> FaultKind | None:
        return FaultKind.DISCONNECTED

    def play(self) -> None:
        seed = bytes(32)
        table = Timed(
            Match(new_game("stiche-raten", SEATS, {}), seed=seed), _no_substitute, fault_allowance=2
        )
        table.figure = self._figure
        self._running = RunningMatch(
            table, TimeControl(), changed=partial(self._changed, table), broken=print
        )
        self._running.start([Place(program=self, stream=self._stream)] * SEATS, [table_seed(seed, 0)] * SEATS)

    def _again(self) -> None:
        if not self._stopped:
            self.play()

    def _changed(self, table: Table) -> None:
        if table.match.over:
            table.match.record([{"bot": "bench", "version": 1}] * SEATS)
            asyncio.get_running_loop().call_soon(self._again)


def _no_substitute(seat: int) -> Any:
    raise AssertionError("bots of the bench do not fail")


async def matches(tables: int, seconds: float, socket: Path, selector: StampedSelector) -> Figure:
    figure = Figure("matches", tables)
    gateway = Gateway("bench", selector.arrival)
    await gateway.listen(socket)
    with child(match_bot, str(socket)):
        stream = await gateway.stream
        playing = [EndlessMatch(stream, figure) for _ in range(tables)]
        async with measured(figure, seconds):
            for match in playing:
                match.stop()
        await gateway.close(5.0)
    return figure


def match_bot(socket: str) -> None:
    asyncio.run(serve(f"unix:{socket}", lambda _: FirstLegal(), ()))


# The report -------------------------------------------------------------------------------------------------


class child:
    """The bots' side, in a process of its own for the length of a block."""

    def __init__(self, run: Callable[..., None], *arguments: Any) -> None:
        # Spawned, not forked: gRPC does not survive a fork.
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_quietly, args=(run, arguments), daemon=True)

    def __enter__(self) -> None:
        self._process.start()

    def __exit__(self, *_: object) -> None:
        self._process.join(5)
        self._process.kill()
        self._process.join()


def _quietly(run: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """The stream ends under the bots when the time is over; that is no news."""
    try:
        run(*arguments)
    except grpc.aio.AioRpcError as error:
        if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.OK):
            raise


def goals(raws: dict[int, Figure], wires: dict[int, Figure]) -> list[tuple[str, float, str, float]]:
    """The ratios that the arbiter is held to: what, found, direction, goal."""
    one = raws[1]
    lines = [
        ("p50 of one table / raw p50", quantile(wires[1].waits, 0.5) / quantile(one.waits, 0.5), "<=", 1.5)
    ]
    for tables, goal in ((1, 1.6), (32, 0.25), (256, 0.12)):
        if tables in wires:
            ratio = wires[tables].cpu_us / one.cpu_us
            lines.append((f"CPU per decision / raw single stream, {tables}", ratio, "<=", goal))
    for tables, goal in ((32, 3.0), (256, 8.0)):
        if tables in wires:
            ratio = wires[tables].rate / raws[tables].rate
            lines.append((f"batched / a stream a table, decisions/s, {tables}", ratio, ">=", goal))
    rated = max(wires)
    errors = [quantile(wires[tables].charges, 0.99) for tables in (rated, 1)]
    lines.append((f"p99 clock error, {rated} tables / one", errors[0] / errors[1], "<=", 4.0))
    return lines


async def run(tables: Sequence[int], seconds: float, folder: Path, selector: StampedSelector) -> None:
    raws: dict[int, Figure] = {}
    wires: dict[int, Figure] = {}
    print(
        f"{'':<10}{'tables':>7}{'decisions/s':>14}{'CPU us each':>14}{'p50 us':>10}{'p99 us':>10}", flush=True
    )
    for count in tables:
        raws[count] = await raw(count, seconds, folder / f"r{count}")
        print(raws[count].line(), flush=True)
        wires[count] = await wire(count, seconds, folder / f"w{count}", selector)
        print(wires[count].line(), flush=True)
        print((await matches(count, seconds, folder / f"m{count}", selector)).line(), flush=True)
    print()
    for name, found, direction, goal in goals(raws, wires):
        met = found <= goal if direction == "<=" else found >= goal
        print(f"{name:<52}{found:>8.2f}   goal {direction} {goal:g}   {'met' if met else 'NOT MET'}")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m stichkampf_arbiter.bench", description="What a decision costs."
    )
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 32, 256], help="how many at once")
    parser.add_argument("--thousand", action="store_true", help="also 1,000 tables")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of each measurement")
    given = parser.parse_args()
    tables = sorted({1, *given.tables, *([1_000] if given.thousand else [])})
    loop, selector = new_loop()
    with tempfile.TemporaryDirectory(prefix="sk-") as folder:
        try:
            loop.run_until_complete(run(tables, given.seconds, Path(folder), selector))
        finally:
            loop.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
