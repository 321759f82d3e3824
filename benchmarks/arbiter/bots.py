"""The bots of the benchmark, in processes of their own."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from multiprocessing.synchronize import Event
from typing import Any

import grpc
import grpc.aio
from stichkampf.bots.bot import Bot
from stichkampf.connection.grpc_client import serve
from stichkampf.match.table import Table
from stichkampf.wire.v1 import bot_pb2 as pb
from stichkampf.wire.v1 import bot_pb2_grpc

ANSWER = bytes(20)
RAW = "stichkampf.bench.Raw"
HELLO = pb.FromBot(hello=pb.Hello(wire_version_min=1, wire_version_max=1))
STALE = pb.FromBot(answers=pb.Answers(answers=[pb.Answer(table=999_999, decision=1, action="play R1")]))
# Spawned, not forked: gRPC does not survive a fork.
SPAWN = multiprocessing.get_context("spawn")
PATIENCE_SECONDS = 5.0


class child:
    """A child process for the length of a `with` block.

    :param lasting: true if it may have children of its own, and is waited for at the end.
    """

    def __init__(self, run: Callable[..., None], *arguments: Any, lasting: bool = False) -> None:
        self._process = SPAWN.Process(target=run, args=arguments, daemon=not lasting)
        self._patience_seconds = None if lasting else PATIENCE_SECONDS

    def __enter__(self) -> int:
        self._process.start()
        return self._process.pid or 0

    def __exit__(self, *_: object) -> None:
        self._process.join(self._patience_seconds)
        self._process.kill()
        self._process.join()


def raw_bots(socket: str, tables: int) -> None:
    """Answer every message with twenty bytes, on a stream a table."""

    async def pong(channel: grpc.aio.Channel) -> None:
        call: Any = channel.stream_stream(f"/{RAW}/Ping")(wait_for_ready=True)
        while await call.read() is not grpc.aio.EOF:
            await call.write(ANSWER)

    async def run() -> None:
        async with grpc.aio.insecure_channel(f"unix:{socket}") as channel:
            await asyncio.gather(*(pong(channel) for _ in range(tables)))

    asyncio.run(run())


def wire_bots(socket: str, streams: int) -> None:
    """Take the first legal action of every question, on several streams of one connection."""

    async def play(channel: grpc.aio.Channel) -> None:
        call = bot_pb2_grpc.BotGatewayStub(channel).Play(wait_for_ready=True)  # type: ignore[no-untyped-call]
        await call.write(HELLO)
        while (frame := await call.read()) is not grpc.aio.EOF:
            answers = [
                pb.Answer(
                    table=update.table, decision=update.question.decision, action=update.question.legal[0]
                )
                for update in frame.updates.tables
                if update.HasField("question")
            ]
            if answers:
                await call.write(pb.FromBot(answers=pb.Answers(answers=answers)))

    async def run() -> None:
        async with grpc.aio.insecure_channel(f"unix:{socket}") as channel:
            await asyncio.gather(*(play(channel) for _ in range(streams)))

    asyncio.run(run())


class FirstLegal(Bot):
    """Takes the first legal action."""

    def choose(self, table: Table) -> str:
        return table.legal[0]


def match_bot(socket: str) -> None:
    """Play with a bot written with the SDK."""
    asyncio.run(serve(f"unix:{socket}", lambda _: FirstLegal(), ()))


def flooder(sockets: str, go: Event) -> None:
    """Run one flooding bot after another, each at its own socket, until it is cut off.

    :param sockets: path of the sockets up to their number.
    """
    for number in count():
        go.wait()
        with grpc.insecure_channel(f"unix:{sockets}{number}") as channel:
            stub = bot_pb2_grpc.BotGatewayStub(channel)  # type: ignore[no-untyped-call]
            frames = (HELLO if frame == 0 else STALE for frame in range(1_000_000))
            with suppress(grpc.RpcError):
                for _ in stub.Play(frames, wait_for_ready=True):
                    pass
