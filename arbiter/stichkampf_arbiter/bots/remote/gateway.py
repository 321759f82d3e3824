"""The server socket for remote bots: a TCP listener, tokens, and one stream a bot."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Callable
from time import monotonic
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from stichkampf import limits
from stichkampf.wire.agreed import WIRE_VERSION
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.bots.remote.admission import UnknownTokens, token_sha256
from stichkampf_arbiter.bots.remote.admitted_bot import AdmittedBot
from stichkampf_arbiter.bots.remote.entrance import Entrance
from stichkampf_arbiter.bots.remote.registry import RemoteBotRegistry
from stichkampf_arbiter.bots.remote.settings import ListenError, RemoteSettings
from stichkampf_arbiter.bots.remote.stream import (
    KEEPALIVE_SECONDS,
    KEEPALIVE_TIMEOUT_SECONDS,
    CutOffError,
    RemoteStream,
)
from stichkampf_arbiter.connection.answer_limit import FloodError
from stichkampf_arbiter.connection.gateway import PLAY, SERVER_OPTIONS, read_hello
from stichkampf_arbiter.connection.stream import SlowReaderError

log = logging.getLogger(__name__)

# A connection on which nothing is played is closed.
IDLE_SECONDS = 30.0
# Every stream resends the whole history of its tables, so a bot may open one only this often.
ARRIVAL_SECONDS = 0.5
# A client that guesses too often, or is connected already, waits this long for every answer: four calls fit
# on a connection.
REFUSAL_PAUSE_SECONDS = 1.0
OPTIONS = {
    **dict(SERVER_OPTIONS),
    # The entrance decides who may come in.
    "grpc.max_allowed_incoming_connections": 1_000_000,
    "grpc.max_connection_idle_ms": int(IDLE_SECONDS * 1_000),
    "grpc.keepalive_time_ms": int(KEEPALIVE_SECONDS * 1_000),
    "grpc.keepalive_timeout_ms": int(KEEPALIVE_TIMEOUT_SECONDS * 1_000),
    "grpc.http2.ping_timeout_ms": int(KEEPALIVE_TIMEOUT_SECONDS * 1_000),
    # Bots may check the connection from their end too.
    "grpc.http2.min_ping_interval_without_data_ms": int(KEEPALIVE_SECONDS * 500),
}
Code = grpc.StatusCode
Context = grpc.aio.ServicerContext[bytes, bytes]


class RemoteGateway:
    """The server socket of all remote bots.

    :param arrival: returns the earliest moment at which a message handled now can have arrived.
    :ivar address: address shown to authors of remote bots; empty while nothing listens.
    :ivar draining: true while only bots that matches wait for may connect.
    """

    def __init__(
        self, settings: RemoteSettings, bots: RemoteBotRegistry, arrival: Callable[[], float]
    ) -> None:
        self.address = ""
        self.draining = False
        self._settings = settings
        self._bots = bots
        self._arrival = arrival
        self._unknown_tokens = UnknownTokens()
        self._entrance = Entrance()
        self._server = grpc.aio.server(options=list(OPTIONS.items()))
        self._server.add_generic_rpc_handlers((CallCounter(self._play, self._refuse_name, self._count),))

    async def listen(self) -> None:
        """Open the socket.

        :raises ListenError: the address is taken, or there is no certificate or key.
        """
        settings = self._settings
        try:
            credentials = _credentials(settings)
            if credentials is None:
                self._entrance.inner_port = self._server.add_insecure_port("127.0.0.1:0")
            else:
                self._entrance.inner_port = self._server.add_secure_port("127.0.0.1:0", credentials)
        except RuntimeError:
            raise ListenError(
                f"cannot listen on {settings.listen} for remote bots; is the certificate its key's?"
            ) from None
        except OSError as error:
            raise ListenError(
                f"cannot read {error.filename}: {error.strerror}; let the arbiter's user read it"
            ) from None
        await self._server.start()
        try:
            port = self._entrance.listen(settings.host.strip("[]"), settings.port)
        except OSError:
            await self._server.stop(0)
            raise ListenError(
                f"cannot listen on {settings.listen} for remote bots; is the address taken?"
            ) from None
        self.address = settings.address or f"{settings.host}:{port}"
        log.info(
            "remote bots connect to %s:%d, %s", settings.host, port, "TLS" if credentials else "plain text"
        )

    async def close(self, grace_seconds: float = 0.0) -> None:
        """End all streams and close the socket."""
        for _, stream in self._bots.connected:
            stream.close()
        await self._server.stop(grace_seconds)
        self._entrance.close()

    async def _play(self, _: AsyncIterator[bytes], context: Context) -> None:
        # A status that crosses the hello reaches Python's clients as INTERNAL, without its message.
        hello = await read_hello(context)
        bot = await self._authenticate(context)
        # Otherwise the metadata go with the first message, and while that is under way no status can be sent.
        await context.send_initial_metadata(())
        await self._replace_previous_stream(bot, hello, context)
        stream = RemoteStream(context, hello, self._arrival, bot.numbers)
        welcome = pb.Welcome(
            wire_version=WIRE_VERSION,
            resume_token=stream.resume_token,
            message_bytes=limits.MESSAGE_BYTES,
            tables_at_once=stream.tables_at_once,
            takes_leave=True,
        )
        stream.send(pb.ToBot(welcome=welcome))
        log.info("%s says hello: %.100r", bot.name, hello.agent)
        bot.arrive(stream)
        self._entrance.serves_bot(context.peer(), True)
        try:
            await stream.serve()
        except FloodError as error:
            log.warning("%s floods the arbiter with answers", bot.name)
            bot.ban(str(error))
            await context.abort(Code.RESOURCE_EXHAUSTED, f"{error}; answer each question once")
        except SlowReaderError as error:
            log.warning("%s does not read its messages: %s", bot.name, error)
            await context.abort(Code.DEADLINE_EXCEEDED, f"{error}; read on while your bot thinks")
        except DecodeError as error:
            log.warning("%s sent an invalid message", bot.name)
            await context.abort(
                Code.INVALID_ARGUMENT, f"not a message of wire version {WIRE_VERSION}: {error}"
            )
        except CutOffError as error:
            await context.abort(error.code, str(error))
        finally:
            self._entrance.serves_bot(context.peer(), False)
            log.info("%s has disconnected", bot.name)

    def _count(self, digest: bytes) -> None:
        """Count a call, if its token is valid."""
        bot = self._bots.find_by_token(digest)
        if bot is not None:
            bot.note_call()

    async def _authenticate(self, context: Context) -> AdmittedBot:
        """Return the bot of the call's token; abort the call if there is none, or if it may not connect."""
        if not self._bots.sha256:
            await context.abort(
                Code.UNAVAILABLE, "the arbiter has not received its list of remote bots yet; try again soon"
            )
        bot = self._bots.find_by_token(token_sha256(context.invocation_metadata()))
        if bot is None:
            await self._slow_down(context)
            await context.abort(
                Code.UNAUTHENTICATED,
                "no bot has this token; send the one that its page showed, as 'authorization: Bearer TOKEN'",
            )
        if bot.is_banned:
            await asyncio.sleep(REFUSAL_PAUSE_SECONDS)
            await context.abort(
                Code.RESOURCE_EXHAUSTED, f"{bot.name} made too many calls, or flooded; try again in a minute"
            )
        if self.draining and not bot.has_tables:
            await context.abort(Code.UNAVAILABLE, "the arbiter is about to stop; try again soon")
        return bot

    async def _replace_previous_stream(self, bot: AdmittedBot, hello: pb.Hello, context: Context) -> None:
        """End the previous stream of the bot; abort the call if it lacks that stream's resume token."""
        await asyncio.sleep(max(0.0, bot.arrived + ARRIVAL_SECONDS - monotonic()))
        while (old := bot.stream) is not None:
            if not hmac.compare_digest(old.resume_token, hello.resume_token):
                await asyncio.sleep(REFUSAL_PAUSE_SECONDS)
                await context.abort(
                    Code.ALREADY_EXISTS,
                    f"{bot.name} is already connected, and only one connection is allowed: end the other"
                    " process, or wait until its lost connection is noticed",
                )
            old.cut(CutOffError(Code.ABORTED, "a newer stream of this bot has replaced this one"))
            await old.ended.wait()
        if self._bots.find_by_token(token_sha256(context.invocation_metadata())) is not bot:
            await context.abort(Code.UNAUTHENTICATED, "this token has just been replaced or revoked")

    async def _refuse_name(self, _: AsyncIterator[bytes], context: Context) -> None:
        await self._slow_down(context)
        await context.abort(Code.UNIMPLEMENTED, f"remote bots may only call {PLAY}")

    async def _slow_down(self, context: Context) -> None:
        """Count a refused call; abort it, after a pause, if there were too many from its address."""
        if self._unknown_tokens.note(self._entrance.address_of(context.peer()), monotonic()):
            await asyncio.sleep(REFUSAL_PAUSE_SECONDS)
            await context.abort(
                Code.RESOURCE_EXHAUSTED, "too many calls with unknown tokens from here; try again in a minute"
            )


class CallCounter(grpc.GenericRpcHandler):
    """Counts all calls, including those that are cancelled at once, and passes them to their handler.

    :param count: called with the digest of the token of each call.
    """

    def __init__(self, play: Any, refuse: Any, count: Callable[[bytes], None]) -> None:
        self._count = count
        self._play: Any = grpc.stream_stream_rpc_method_handler(play)
        self._refuse: Any = grpc.stream_stream_rpc_method_handler(refuse)

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        self._count(token_sha256(details.invocation_metadata))
        return self._play if details.method == PLAY else self._refuse


def _credentials(settings: RemoteSettings) -> grpc.ServerCredentials | None:
    """Return the TLS credentials; None for plain text. Renewed files apply from the next connection."""
    certificate, key = settings.certificate, settings.key
    if certificate is None or key is None:
        return None

    def read() -> Any:
        return grpc.ssl_server_certificate_configuration([(key.read_bytes(), certificate.read_bytes())])

    return grpc.dynamic_ssl_server_credentials(read(), read)
