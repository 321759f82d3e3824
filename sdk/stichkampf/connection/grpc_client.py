"""The bot's end of the wire over gRPC: house bots, and the calls of remote bots."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

import grpc
import grpc.aio

from stichkampf.connection.open_tables import MakeBot, OpenTables, hello
from stichkampf.errors import StichkampfError
from stichkampf.wire.messages import Message, encode
from stichkampf.wire.v1 import bot_pb2 as pb

PLAY: Final = "/stichkampf.wire.v1.BotGateway/Play"
OPTIONS: Final = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.enable_http_proxy", 0),
    ("grpc.enable_retries", 0),
)
PlayCall = grpc.aio.StreamStreamCall[Message, pb.ToBot]


def play_call(channel: grpc.aio.Channel, metadata: Sequence[tuple[str, str]] = ()) -> PlayCall:
    """Open the stream of a bot."""
    method = channel.stream_stream(PLAY, request_serializer=encode, response_deserializer=pb.ToBot.FromString)
    return method(metadata=metadata)


async def serve(
    address: str, make_bot: MakeBot, games: Iterable[str], connect_seconds: float | None = None
) -> None:
    """Play the tables that the arbiter brings, until it ends the stream.

    Bots decide one after the other, on this thread.

    :param address: as gRPC writes it, such as "unix:/run/arbiter.sock".
    :param connect_seconds: longest wait for the arbiter; without it there is no limit.
    :raises StichkampfError: the arbiter was not there in that time.
    :raises grpc.aio.AioRpcError: the arbiter refuses, or the connection was lost.
    """
    tables = OpenTables(make_bot)
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        try:
            async with asyncio.timeout(connect_seconds):
                await channel.channel_ready()
        except TimeoutError:
            raise StichkampfError(f"no arbiter answered at {address} within {connect_seconds} s") from None
        call: Any = play_call(channel)
        await call.write(hello(games))
        while (frame := await call.read()) is not grpc.aio.EOF:
            if frame.HasField("updates"):
                for message in tables.process_updates(frame.updates.tables):
                    await call.write(message)
            elif frame.HasField("ping"):
                await call.write(Message("FromBot", pong=Message("Pong", number=frame.ping.number)))
        if await call.code() != grpc.StatusCode.OK:
            raise grpc.aio.AioRpcError(
                await call.code(),
                await call.initial_metadata(),
                await call.trailing_metadata(),
                await call.details(),
            )


def run(
    address: str, make_bot: MakeBot, games: Iterable[str] = (), connect_seconds: float | None = None
) -> int:
    """Run `serve` to its end; returns the exit status of the program.

    :raises StichkampfError: the arbiter was not there in time.
    """
    try:
        asyncio.run(serve(address, make_bot, games, connect_seconds))
    except grpc.aio.AioRpcError as error:
        print(f"the arbiter ended the stream: {error.code().name}: {error.details()}", file=sys.stderr)
        return 1
    return 0
