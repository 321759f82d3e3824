"""The server socket to which one bot process connects: the call `BotGateway.Play`, from hello to the end."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from stichkampf import limits
from stichkampf.timing.time_accounts import TimeAccount, WallAccount
from stichkampf.wire import WIRE_VERSION
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.connection.answer_limit import FloodError
from stichkampf_arbiter.connection.hosted_stream import HostedStream, ProcessTurn
from stichkampf_arbiter.connection.stream import (
    BotStream,
    HungError,
    SlowReaderError,
    StreamContext,
    TooLongError,
)

log = logging.getLogger(__name__)

HELLO_SECONDS = 15.0
MAX_CONNECTIONS = 8
# One is enough; the others are for a bot that retries.
MAX_CALLS = 16
CUT_OFF_SECONDS = 1.0
PLAY = "/stichkampf.wire.v1.BotGateway/Play"
SERVER_OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", limits.MESSAGE_BYTES),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_concurrent_streams", 4),
    ("grpc.max_allowed_incoming_connections", MAX_CONNECTIONS),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.server_handshake_timeout_ms", 10_000),
    # A window that does not grow: at most 64 kB can be sent ahead of the reader.
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.max_ping_strikes", 2),
)
# Not for a process that is frozen between its turns, which could not answer a ping. If it hangs, its question
# times out. Rare, because each ping keeps the threads of both processes awake for seconds.
KEEPALIVE = (
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
)


@functools.cache
def _opened(folder: Path) -> int:
    """Return a descriptor of the folder of sockets. It stays open: an arbiter has one such folder."""
    return os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


class CallContext(StreamContext, Protocol):
    """A call of `BotGateway.Play`, over gRPC or in frames."""

    async def abort(self, code: grpc.StatusCode, details: str = "", /) -> Any:
        """End the call, and tell the bot why; raises an error that ends the serving task."""


def through_folder(socket: Path) -> str:
    """Return the name with which a socket is bound: that of its open folder, which tells no path."""
    return f"/proc/self/fd/{_opened(socket.parent)}/{socket.name}"


class Gateway:
    """The server socket of one bot process, which admits one stream.

    :param program: name of the expected process in the log: "house" or a digest and lane.
    :param arrival: returns the earliest moment at which a message handled now can have arrived.
    :param account: measures the time that the process is charged; None for time on the wall clock.
    :param turn: turn of a process that runs only in its turns; None for one that always runs.
    :ivar stream: resolves to the stream of the process once it has said hello.
    """

    def __init__(
        self,
        program: str,
        arrival: Callable[[], float],
        account: TimeAccount | None = None,
        turn: ProcessTurn | None = None,
    ) -> None:
        self.program = program
        self.stream: asyncio.Future[BotStream] = asyncio.get_running_loop().create_future()
        self._arrival = arrival
        self._account = account or WallAccount()
        self._turn = turn
        self._calls = 0
        self._server: grpc.aio.Server | None = None
        self._ending: asyncio.Task[None] | None = None

    @property
    def hosted_stream(self) -> HostedStream | None:
        """The stream of a process with turns, once it has said hello."""
        said = self.stream.done() and not self.stream.cancelled()
        stream = self.stream.result() if said else None
        return stream if isinstance(stream, HostedStream) else None

    async def listen(self, socket: Path) -> None:
        """Open the socket, for its owner only.

        It is bound through its open folder, because a client is told the name that it was bound with, and
        must not learn a path of this machine.
        """
        self._server = grpc.aio.server(options=SERVER_OPTIONS + (KEEPALIVE if self._turn is None else ()))
        # Messages come as bytes: they are stamped before they are parsed, and an invalid one ends the stream
        # here.
        self._server.add_generic_rpc_handlers((CountedCalls(self._play, self._count_call),))
        self._server.add_insecure_port(f"unix:{through_folder(socket)}")
        await self._server.start()
        socket.chmod(0o600)

    async def close(self, grace_seconds: float = 0.0) -> None:
        """End the stream and close the socket."""
        if self.stream.done() and not self.stream.cancelled():
            self.stream.result().close()
        self.stream.cancel()
        await self._stop(grace_seconds)

    async def _stop(self, grace_seconds: float) -> None:
        if self._server is not None:
            await self._server.stop(grace_seconds)

    def _cut_off(self, grace_seconds: float = CUT_OFF_SECONDS) -> None:
        """Close the socket and, at the latest after the grace, all connections: only one bot is behind them.

        A status alone would not do. It waits behind a message that is not read, and the connection would stay
        open for the next call.
        """
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._stop(grace_seconds))

    def _count_call(self) -> None:
        """Count a call of any method, and cut off a bot that makes too many."""
        self._calls += 1
        if self._calls == MAX_CALLS + 1:
            log.warning("%s makes more than %d calls", self.program, MAX_CALLS)
            if self.stream.done() and not self.stream.cancelled():
                self.stream.result().violated_protocol = True
            self._cut_off(0.0)

    async def _play(self, _: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        hello = await self._read_hello(context)
        # Otherwise the metadata go with the first message, and while that is under way no status can be sent.
        await context.send_initial_metadata(())
        await self._serve(context, hello)

    async def _read_hello(self, context: CallContext) -> pb.Hello:
        # A process with turns may be frozen meanwhile; its start as a whole is limited.
        return await read_hello(context, HELLO_SECONDS if self._turn is None else None)

    async def _serve(self, context: CallContext, hello: pb.Hello) -> None:
        # Up to the welcome nothing is awaited, so of two simultaneous streams only one is admitted.
        if self.stream.done():
            await context.abort(
                grpc.StatusCode.ALREADY_EXISTS, "this bot process has its stream already; open only one"
            )
        if self._turn is None:
            stream = BotStream(context, hello, self._arrival, self._account)
            stream.of_the_platform = True
        else:
            stream = HostedStream(context, hello, self._arrival, self._account, self._turn)
        welcome = pb.Welcome(
            wire_version=WIRE_VERSION,
            message_bytes=limits.MESSAGE_BYTES,
            tables_at_once=stream.tables_at_once,
        )
        stream.send(pb.ToBot(welcome=welcome))
        log.info("%s says hello: %.100r", self.program, hello.agent)
        self.stream.set_result(stream)
        try:
            await stream.serve()
        except FloodError as error:
            log.warning("%s floods the arbiter with answers", self.program)
            self._cut_off()
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{error}; answer each question once")
        except SlowReaderError as error:
            log.warning("%s does not read its messages", self.program)
            self._cut_off()
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{error}; read what the arbiter sends")
        except HungError as error:
            log.error("%s hangs: %s", self.program, error)
            self._cut_off()
            await context.abort(grpc.StatusCode.UNAVAILABLE, str(error))
        except TooLongError as error:
            await self._refuse_length(context, error)
        except DecodeError as error:
            log.warning("%s sent an invalid message", self.program)
            self._cut_off()
            await context.abort(
                grpc.StatusCode.INVALID_ARGUMENT, f"not a message of wire version {WIRE_VERSION}: {error}"
            )
        finally:
            log.info("%s has disconnected", self.program)

    async def _refuse_length(self, context: CallContext, error: TooLongError) -> None:
        log.warning("%s sent a message that is too long", self.program)
        self._cut_off()
        await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))


class CountedCalls(grpc.GenericRpcHandler):
    """Passes calls of gRPC to their handler, each after it was counted."""

    def __init__(self, play: Any, count: Callable[[], None]) -> None:
        self._play: Any = grpc.stream_stream_rpc_method_handler(play)
        self._count = count

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        self._count()
        return self._play if details.method == PLAY else None


async def read_hello(context: CallContext, seconds: float | None = HELLO_SECONDS) -> pb.Hello:
    """Return the first message of a stream.

    Abort the call if that is not a hello of a supported wire version, or does not arrive in time.
    """
    read = asyncio.ensure_future(context.read())
    await asyncio.wait((read,), timeout=seconds)
    if not read.done():
        # The abort ends the read with an error, which must be fetched.
        read.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, f"say hello within {HELLO_SECONDS:g} seconds")
    message: Any = read.result()
    frame = pb.FromBot()
    with suppress(DecodeError):
        frame.ParseFromString(b"" if message is grpc.aio.EOF else message)
    if not frame.HasField("hello"):
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the first message of a stream must be a hello")
    hello = frame.hello
    if not hello.wire_version_min <= WIRE_VERSION <= hello.wire_version_max:
        await context.abort(
            grpc.StatusCode.FAILED_PRECONDITION,
            f"this arbiter speaks wire version {WIRE_VERSION}, the bot speaks {hello.wire_version_min} to"
            f" {hello.wire_version_max}; install a matching version of stichkampf",
        )
    return hello
