"""The socket of a hosted process, on which its client speaks in frames, and which serves gRPC as well.

A frame is a message after its length in four bytes, the highest first. The other side may be hostile: of a
connection the arbiter holds no more than a message and what one read of the socket brings.
"""

from __future__ import annotations

import asyncio
import socket as sockets
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from stichkampf import limits
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.connection.gateway import CUT_OFF_SECONDS, MAX_CONNECTIONS, Gateway, through_folder
from stichkampf_arbiter.connection.passing import Passing
from stichkampf_arbiter.connection.stream import TooLongError

LENGTH_BYTES = 4
HTTP2 = b"P"
"""The first byte of gRPC. As that of a length it would stand for more than a gigabyte."""
BACKLOG = 16


class AbortedError(Exception):
    """A stream was ended, and the bot told why."""


class FrameGateway(Gateway):
    """A `Gateway` for frames. A connection that begins as gRPC does is passed on to a server of gRPC's."""

    _listener: asyncio.Server | None = None
    _socket: Path
    _grpc_socket: Path
    _grpc: asyncio.Task[None] | None = None

    async def listen(self, socket: Path) -> None:
        """Open the socket, for its owner only."""
        self._connections: set[FrameConnection] = set()
        self._passed: set[Passing] = set()
        self._socket, self._grpc_socket = socket, socket.with_suffix(".grpc")
        listener = sockets.socket(sockets.AF_UNIX)
        try:
            listener.bind(through_folder(socket))
            socket.chmod(0o600)
            loop = asyncio.get_running_loop()
            self._listener = await loop.create_unix_server(
                lambda: FrameConnection(self), sock=listener, backlog=BACKLOG
            )
        except OSError:
            listener.close()
            raise

    def admit(self, connection: FrameConnection) -> bool:
        """Tell whether there is a place for one more connection, and give it the place."""
        if len(self._connections) + len(self._passed) // 2 >= MAX_CONNECTIONS:
            return False
        self._connections.add(connection)
        return True

    def leave(self, connection: FrameConnection) -> None:
        self._connections.discard(connection)

    async def play(self, connection: FrameConnection) -> None:
        """Serve a connection with frames to its end."""
        self._count_call()
        try:
            with suppress(AbortedError):
                try:
                    hello = await self._read_hello(connection)
                except TooLongError as error:
                    await self._refuse_length(connection, error)
                await self._serve(connection, hello)
        finally:
            connection.close()

    async def pass_on(self, connection: FrameConnection, early: bytes) -> None:
        """Pass a connection on to gRPC's server, which starts with the first."""
        self._grpc = self._grpc or asyncio.ensure_future(super().listen(self._grpc_socket))
        loop = asyncio.get_running_loop()
        outer, inner = Passing(self._passed), Passing(self._passed)
        try:
            await asyncio.shield(self._grpc)
            transport, _ = await loop.create_unix_connection(lambda: inner, through_folder(self._grpc_socket))
        except (OSError, RuntimeError):  # the latter is gRPC's, where it cannot open the socket
            connection.transport.abort()
            return
        if connection.transport.is_closing():
            transport.close()
            return
        connection.leave_to(outer)
        outer.join(inner)
        transport.write(early)
        connection.transport.resume_reading()

    async def _stop(self, grace_seconds: float) -> None:
        if self._listener is not None:
            for listening in self._listener.sockets:
                asyncio.get_running_loop().remove_reader(listening.fileno())
            # asyncio never closes a connection whose server closed between its acceptance and its first task
            await asyncio.sleep(0)
            self._listener.close()
            self._socket.unlink(missing_ok=True)
        until = asyncio.get_running_loop().time() + grace_seconds
        for connection in list(self._connections):
            connection.close(grace_seconds)
        await super()._stop(grace_seconds)
        while self._connections or self._passed:
            if asyncio.get_running_loop().time() >= until:
                for transport in [end.transport for end in self._connections | self._passed]:
                    transport.abort()
            await asyncio.sleep(0.0 if until <= asyncio.get_running_loop().time() else 0.01)
        if self._grpc is not None:
            self._grpc_socket.unlink(missing_ok=True)


class FrameConnection(asyncio.Protocol):
    """A connection of a process; with frames, the context of its stream."""

    transport: Any  # of a socket, whose protocol can be set

    def __init__(self, owner: FrameGateway) -> None:
        self._owner = owner
        self._unread = bytearray()
        self._read = asyncio.Event()
        self._written = asyncio.Event()
        self._ended = self._is_over = False
        self._task: asyncio.Task[None] | None = None

    # What asyncio calls -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self._written.set()
        if not self._owner.admit(self):
            self.transport.abort()
            return
        self.transport.set_write_buffer_limits(high=0)

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if self._task is None:
            if data.startswith(HTTP2):
                self.transport.pause_reading()
                self._task = asyncio.ensure_future(self._owner.pass_on(self, bytes(self._unread)))
                return
            self._task = asyncio.ensure_future(self._owner.play(self))
        if len(self._unread) > LENGTH_BYTES + limits.MESSAGE_BYTES:
            self.transport.pause_reading()
        self._read.set()

    def eof_received(self) -> bool:
        """Note that nothing more comes; what has come is still answered."""
        self._is_over = True
        self._read.set()
        return self._task is not None

    def pause_writing(self) -> None:
        self._written.clear()

    def resume_writing(self) -> None:
        self._written.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._read.set()
        self._written.set()
        self._owner.leave(self)

    # What the stream calls ----------------------------------------------------------------------------------

    async def read(self) -> Any:
        """Return the next message, or `grpc.aio.EOF`.

        :raises TooLongError: it is longer than it may be.
        """
        while True:
            message = self._next()
            if message is not None:
                return message
            if self._ended or self._is_over:
                return grpc.aio.EOF
            self._read.clear()
            await self._read.wait()

    def _next(self) -> bytes | None:
        if len(self._unread) < LENGTH_BYTES:
            return None
        end = LENGTH_BYTES + int.from_bytes(self._unread[:LENGTH_BYTES], "big")
        if end > LENGTH_BYTES + limits.MESSAGE_BYTES:
            raise TooLongError(f"a message may have {limits.MESSAGE_BYTES} bytes, not {end - LENGTH_BYTES}")
        if len(self._unread) < end:
            return None
        message = bytes(self._unread[LENGTH_BYTES:end])
        del self._unread[:end]
        if not (self._ended or self._is_over) and len(self._unread) <= LENGTH_BYTES + limits.MESSAGE_BYTES:
            self.transport.resume_reading()
        return message

    async def write(self, message: bytes) -> None:
        """Send a message, and wait until the socket has taken all of it."""
        if not self._ended:
            self.transport.write(len(message).to_bytes(LENGTH_BYTES, "big") + message)
            await self._written.wait()

    async def abort(self, code: grpc.StatusCode, details: str = "") -> None:
        """Tell the bot why its stream ends.

        :raises AbortedError: always.
        """
        refusal = pb.ToBot(refusal=pb.Refusal(status=code.name, reason=details)).SerializeToString()
        if not self._ended and not self.transport.is_closing():
            self.transport.write(len(refusal).to_bytes(LENGTH_BYTES, "big") + refusal)
        raise AbortedError

    def close(self, grace_seconds: float = CUT_OFF_SECONDS) -> None:
        """Close it once all is sent, at the latest after the grace."""
        if not self._ended:
            self.transport.close()
            if grace_seconds:
                asyncio.get_running_loop().call_later(grace_seconds, self._abort)
            else:
                self.transport.abort()

    def _abort(self) -> None:
        if not self._ended:
            self.transport.abort()

    def leave_to(self, protocol: Passing) -> None:
        """Let another protocol have the connection from now on."""
        self._ended = True
        self._owner.leave(self)
        self.transport.set_protocol(protocol)
        protocol.connection_made(self.transport)
