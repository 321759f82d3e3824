"""The trials: the arbiter beside floods, a hung bot and a second arbiter."""

from __future__ import annotations

import asyncio
import os
import signal
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from time import monotonic

from stichkampf_arbiter.connection.gateway import KEEPALIVE, Gateway
from stichkampf_arbiter.connection.lateness import StampedSelector, collect_rarely, new_loop

from benchmarks.arbiter.bots import SPAWN, child, flooder, wire_bots
from benchmarks.arbiter.figures import Figure, measured
from benchmarks.arbiter.rows import END_SECONDS, Asker, stop

HONEST_TABLES = 32
# Within this time the next bot that may flood is connected.
QUIET_SECONDS = 0.3


async def beside_floods(
    rounds: int, seconds: float, folder: Path, selector: StampedSelector
) -> tuple[list[float], int]:
    """Measure an honest bot while others flood; as soon as one is cut off, the next begins.

    :returns: by round, the p99 of the honest bot's waits divided by that just before the floods; and the
        number of bots that flooded.
    """
    figure = Figure("honest", HONEST_TABLES)
    gateway = Gateway("an honest bot", selector.arrival)
    await gateway.listen(folder / "honest")
    go = SPAWN.Event()
    ratios: list[float] = []
    with child(wire_bots, str(folder / "honest"), 1), child(flooder, str(folder / "flood"), go) as pid:
        stream = await gateway.stream
        askers = [Asker(stream, figure) for _ in range(HONEST_TABLES)]
        floods = Floods(folder, selector)
        admitting = asyncio.ensure_future(floods.admit())
        for _ in range(rounds):
            await floods.until_none()
            async with measured(figure, seconds):
                before = figure.p99
            go.set()
            await floods.on.wait()
            async with measured(figure, seconds):
                ratios.append(figure.p99 / before)
            go.clear()
        await stop(askers, stream)
        await gateway.close(END_SECONDS)
        os.kill(pid, signal.SIGKILL)
        admitting.cancel()
        await asyncio.gather(admitting, return_exceptions=True)
    return ratios, floods.begun


class Floods:
    """Admits one flooding bot after the other.

    :ivar on: set while one has said hello and has not been cut off.
    :ivar begun: number of them that have said hello.
    """

    def __init__(self, folder: Path, selector: StampedSelector) -> None:
        self._folder, self._selector = folder, selector
        self.on = asyncio.Event()
        self.begun = 0

    async def until_none(self) -> None:
        """Wait until no bot has flooded for a while; the next one waits for its signal."""
        quiet_since = monotonic()
        while monotonic() < quiet_since + QUIET_SECONDS:
            if self.on.is_set():
                quiet_since = monotonic()
            await asyncio.sleep(0.01)

    async def admit(self) -> None:
        """Admit one bot after another, and open the gateway of the next before the last is cut off."""
        gateways = [await self._open_gateway(0)]
        try:
            for number in count(1):
                stream = await gateways[0].stream
                self.begun += 1
                self.on.set()
                gateways.append(await self._open_gateway(number))
                while not stream.closed:
                    await asyncio.sleep(0.001)
                self.on.clear()
                await gateways.pop(0).close()
        finally:
            for gateway in gateways:
                await gateway.close()

    async def _open_gateway(self, number: int) -> Gateway:
        gateway = Gateway("a flooding bot", self._selector.arrival)
        await gateway.listen(self._folder / f"flood{number}")
        return gateway


async def noticing_a_hung_bot(folder: Path, selector: StampedSelector) -> float:
    """Stop a bot and wait for the end of its stream.

    :returns: the time from stop to end, divided by the time of the keepalive and its timeout together.
    """
    gateway = Gateway("a bot that hangs", selector.arrival)
    await gateway.listen(folder / "hung")
    with child(wire_bots, str(folder / "hung"), 1) as pid:
        stream = await gateway.stream
        os.kill(pid, signal.SIGSTOP)
        since = monotonic()
        while not stream.closed:
            await asyncio.sleep(0.01)
        found = monotonic() - since
        os.kill(pid, signal.SIGKILL)
    await gateway.close()
    options = dict(KEEPALIVE)
    keepalive_ms = int(options["grpc.keepalive_time_ms"]) + int(options["grpc.keepalive_timeout_ms"])
    return found / keepalive_ms * 1_000


def two_arbiters(seconds: float, folder: Path) -> float:
    """Measure two arbiter processes at the same time, with 32 tables each.

    :returns: decisions a second of both, divided by those of one alone.
    """
    one = _rates(1, seconds, folder / "one")
    two = _rates(2, seconds, folder / "two")
    return two / one


def _rates(arbiters: int, seconds: float, folder: Path) -> float:
    """Return the decisions a second of this number of arbiters together."""
    folder.mkdir(parents=True)
    together = SPAWN.Barrier(arbiters)
    pipes = [SPAWN.Pipe(duplex=False) for _ in range(arbiters)]
    running = [
        child(_arbiter, str(folder / f"{number}"), seconds, together, end, lasting=True)
        for number, (_, end) in enumerate(pipes)
    ]
    for process in running:
        process.__enter__()
    rates: list[float] = [heard.recv() for heard, _ in pipes]
    for process in running:
        process.__exit__()
    return sum(rates)


def _arbiter(socket: str, seconds: float, together: Barrier, rate: Connection) -> None:
    """Run one arbiter process with its own bot."""
    loop, selector = new_loop()
    collect_rarely()
    rate.send(loop.run_until_complete(_play_together(Path(socket), seconds, together, selector)))
    loop.close()


async def _play_together(socket: Path, seconds: float, together: Barrier, selector: StampedSelector) -> float:
    figure = Figure("wire", HONEST_TABLES)
    gateway = Gateway("bench", selector.arrival)
    await gateway.listen(socket)
    with child(wire_bots, str(socket), 1):
        stream = await gateway.stream
        await asyncio.to_thread(together.wait, 30.0)
        askers = [Asker(stream, figure) for _ in range(HONEST_TABLES)]
        async with measured(figure, seconds):
            rate = figure.rate
        await stop(askers, stream)
        await gateway.close(END_SECONDS)
    return rate
