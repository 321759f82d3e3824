"""The door at which bot processes knock: `BotGateway.Play`, from hello to goodbye."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from stichkampf import limits
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.accounts import Account, WallAccount
from stichkampf_arbiter.stream import MAX_TABLES, WIRE_VERSION, BotStream, FloodError

log = logging.getLogger(__name__)

HELLO_SECONDS = 15.0
MAX_CONNECTIONS = 8
SERVICE = "stichkampf.wire.v1.BotGateway"
SERVER_OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", limits.MESSAGE_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_concurrent_streams", 4),
    ("grpc.max_allowed_incoming_connections", MAX_CONNECTIONS),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 2),
)


class Gateway:
    """The server socket of one bot process, which admits one stream.

    :param program: who is expected here, for the log: "house" or a digest and lane.
    :param arrival: the earliest moment at which what is handled now can have arrived.
    :param account: measures what the process is charged; None for time on the wall clock.
    :ivar stream: resolves to the stream of the process once it has said hello.
    """

    def __init__(self, program: str, arrival: Callable[[], float], account: Account | None = None) -> None:
        self.program = program
        self.stream: asyncio.Future[BotStream] = asyncio.get_running_loop().create_future()
        self._arrival = arrival
        self._account = account or WallAccount()
        self._server = grpc.aio.server(options=SERVER_OPTIONS)
        # Messages come as bytes: they are stamped before they are parsed, and what cannot be parsed ends the
        # stream here.
        handler: Any = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),)
        )

    async def listen(self, socket: Path) -> None:
        """Open the socket, for its owner only."""
        self._server.add_insecure_port(f"unix:{socket}")
        await self._server.start()
        socket.chmod(0o600)

    async def close(self, grace_seconds: float = 0.0) -> None:
        """End the stream and close the socket."""
        if self.stream.done() and not self.stream.cancelled():
            self.stream.result().close()
        self.stream.cancel()
        await self._server.stop(grace_seconds)

    async def _play(self, _: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        hello = await self._hello(context)
        if self.stream.done():
            await context.abort(
                grpc.StatusCode.ALREADY_EXISTS, "this bot process has its stream already; open only one"
            )
        stream = BotStream(context, hello, self._arrival, self._account)
        tables = min(hello.tables_at_once or MAX_TABLES, MAX_TABLES)
        welcome = pb.Welcome(
            wire_version=WIRE_VERSION, message_bytes=limits.MESSAGE_BYTES, tables_at_once=tables
        )
        await context.write(pb.ToBot(welcome=welcome).SerializeToString())
        log.info("%s says hello: %s", self.program, hello.agent[:100])
        self.stream.set_result(stream)
        try:
            await stream.serve()
        except FloodError as error:
            log.warning("%s floods", self.program)
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{error}; answer each question once")
        except DecodeError as error:
            log.warning("%s talks garbage", self.program)
            await context.abort(
                grpc.StatusCode.INVALID_ARGUMENT, f"not a message of wire version {WIRE_VERSION}: {error}"
            )
        finally:
            log.info("%s has left", self.program)

    async def _hello(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> pb.Hello:
        read = asyncio.ensure_future(context.read())
        await asyncio.wait((read,), timeout=HELLO_SECONDS)
        if not read.done():
            # The abort ends the read with an error that nobody waits for.
            read.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            await context.abort(
                grpc.StatusCode.DEADLINE_EXCEEDED, f"say hello within {HELLO_SECONDS:g} seconds"
            )
        message: Any = read.result()
        frame = pb.FromBot()
        with suppress(DecodeError):
            frame.ParseFromString(b"" if message is grpc.aio.EOF else message)
        if not frame.HasField("hello"):
            await context.abort(
                grpc.StatusCode.INVALID_ARGUMENT, "the first message of a stream must be a hello"
            )
        hello = frame.hello
        if not hello.wire_version_min <= WIRE_VERSION <= hello.wire_version_max:
            await context.abort(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"this arbiter speaks wire version {WIRE_VERSION}, the bot speaks {hello.wire_version_min} to"
                f" {hello.wire_version_max}; install a matching version of stichkampf",
            )
        return hello
