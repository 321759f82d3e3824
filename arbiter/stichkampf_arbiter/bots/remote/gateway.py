"""The door for remote bots: a TCP listener of its own, tokens, and one stream a bot."""

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

from stichkampf_arbiter.bots.remote.admission import Refusals, token_sha256
from stichkampf_arbiter.bots.remote.bot import RemoteBot
from stichkampf_arbiter.bots.remote.bots import RemoteBots
from stichkampf_arbiter.bots.remote.stream import (
    KEEPALIVE_SECONDS,
    KEEPALIVE_TIMEOUT_SECONDS,
    CutOffError,
    RemoteStream,
)
from stichkampf_arbiter.connection.answer_limit import FloodError
from stichkampf_arbiter.connection.gateway import PLAY, SERVER_OPTIONS, read_hello
from stichkampf_arbiter.connection.stream import DeafError
from stichkampf_arbiter.settings import RemoteSettings, SettingsError

log = logging.getLogger(__name__)

MAX_CONNECTIONS = 512
# A connection on which nothing is played is closed.
IDLE_SECONDS = 30.0
# Every stream brings the whole history of its tables, so a bot opens one so often at most.
ARRIVAL_SECONDS = 0.5
# Who guesses too often, or is here already, waits so long for every answer: four calls fit on a connection.
REFUSAL_PAUSE_SECONDS = 1.0
OPTIONS = {
    **dict(SERVER_OPTIONS),
    "grpc.max_allowed_incoming_connections": MAX_CONNECTIONS,
    "grpc.max_connection_idle_ms": int(IDLE_SECONDS * 1_000),
    "grpc.keepalive_time_ms": int(KEEPALIVE_SECONDS * 1_000),
    "grpc.keepalive_timeout_ms": int(KEEPALIVE_TIMEOUT_SECONDS * 1_000),
    "grpc.http2.ping_timeout_ms": int(KEEPALIVE_TIMEOUT_SECONDS * 1_000),
    # Bots may look after the line from their end too.
    "grpc.http2.min_ping_interval_without_data_ms": int(KEEPALIVE_SECONDS * 500),
}
Code = grpc.StatusCode
Context = grpc.aio.ServicerContext[bytes, bytes]


class RemoteGateway:
    """The server socket of all remote bots.

    :param arrival: the earliest moment at which what is handled now can have arrived.
    :ivar address: where bots dial in, to be told to their authors; empty while nothing listens.
    :ivar draining: only bots that matches wait for are let in.
    """

    def __init__(self, settings: RemoteSettings, bots: RemoteBots, arrival: Callable[[], float]) -> None:
        self.address = ""
        self.draining = False
        self._settings = settings
        self._bots = bots
        self._arrival = arrival
        self._refusals = Refusals()
        self._server = grpc.aio.server(options=list(OPTIONS.items()))
        self._server.add_generic_rpc_handlers((_Calls(self._play, self._refuse_name, self._count),))

    async def listen(self) -> None:
        """Open the socket.

        :raises SettingsError: the address is taken, or there is no certificate or key.
        """
        settings = self._settings
        try:
            credentials = _credentials(settings)
            if credentials is None:
                port = self._server.add_insecure_port(settings.listen)
            else:
                port = self._server.add_secure_port(settings.listen, credentials)
        except RuntimeError:
            reason = "is the address taken" + (
                "" if credentials is None else ", or the certificate not its key's"
            )
            raise SettingsError(f"cannot listen on {settings.listen} for remote bots; {reason}?") from None
        except OSError as error:
            raise SettingsError(
                f"cannot read {error.filename}: {error.strerror}; the arbiter's user must be able to"
            ) from None
        await self._server.start()
        self.address = settings.address or f"{settings.host}:{port}"
        log.info(
            "remote bots dial in at %s:%d, %s", settings.host, port, "TLS" if credentials else "plain text"
        )

    async def close(self, grace_seconds: float = 0.0) -> None:
        """End all streams and close the socket."""
        for _, stream in self._bots.connected:
            stream.close()
        await self._server.stop(grace_seconds)

    async def _play(self, _: AsyncIterator[bytes], context: Context) -> None:
        # A status that meets the hello on its way reaches Python's clients as INTERNAL, without its words.
        hello = await read_hello(context)
        bot = await self._known(context)
        # Otherwise they go with the first message, and while that is under way no status can be sent.
        await context.send_initial_metadata(())
        await self._make_way(bot, hello, context)
        stream = RemoteStream(context, hello, self._arrival, bot.numbers)
        welcome = pb.Welcome(
            wire_version=WIRE_VERSION,
            resume_token=stream.resume_token,
            message_bytes=limits.MESSAGE_BYTES,
            tables_at_once=stream.tables_at_once,
        )
        stream.say(pb.ToBot(welcome=welcome))
        log.info("%s says hello: %.100r", bot.name, hello.agent)
        bot.arrive(stream)
        try:
            await stream.serve()
        except FloodError as error:
            log.warning("%s floods", bot.name)
            bot.bar(str(error))
            await context.abort(Code.RESOURCE_EXHAUSTED, f"{error}; answer each question once")
        except DeafError as error:
            log.warning("%s does not read: %s", bot.name, error)
            await context.abort(Code.DEADLINE_EXCEEDED, f"{error}; read on while your bot thinks")
        except DecodeError as error:
            log.warning("%s talks garbage", bot.name)
            await context.abort(
                Code.INVALID_ARGUMENT, f"not a message of wire version {WIRE_VERSION}: {error}"
            )
        except CutOffError as error:
            await context.abort(error.code, str(error))
        finally:
            log.info("%s has left", bot.name)

    def _count(self, digest: bytes) -> None:
        """Count a call with the token of this digest, if it is a good one."""
        bot = self._bots.of_token(digest)
        if bot is not None:
            bot.note_call()

    async def _known(self, context: Context) -> RemoteBot:
        """The bot whose token the call brings; aborts the call where there is none."""
        if not self._bots.sha256:
            await context.abort(
                Code.UNAVAILABLE, "the arbiter does not know yet which bots may come in; try again soon"
            )
        bot = self._bots.of_token(token_sha256(context.invocation_metadata()))
        if bot is None:
            await self._slow_down(context)
            await context.abort(
                Code.UNAUTHENTICATED,
                "no bot has this token; send the one that its page showed, as 'authorization: Bearer TOKEN'",
            )
        if bot.barred:
            await asyncio.sleep(REFUSAL_PAUSE_SECONDS)
            await context.abort(
                Code.RESOURCE_EXHAUSTED, f"{bot.name} made too many calls, or flooded; try again in a minute"
            )
        if self.draining and not bot.has_tables:
            await context.abort(Code.UNAVAILABLE, "the arbiter is about to stop; try again soon")
        return bot

    async def _make_way(self, bot: RemoteBot, hello: pb.Hello, context: Context) -> None:
        """End the stream that the bot has; aborts the call where it may not."""
        await asyncio.sleep(max(0.0, bot.arrived + ARRIVAL_SECONDS - monotonic()))
        while (old := bot.stream) is not None:
            if not hmac.compare_digest(old.resume_token, hello.resume_token):
                await asyncio.sleep(REFUSAL_PAUSE_SECONDS)
                await context.abort(
                    Code.ALREADY_EXISTS,
                    f"{bot.name} is connected already, which it can be once: end the other process, or wait"
                    " until its lost line is noticed",
                )
            old.cut(CutOffError(Code.ABORTED, "a newer stream of this bot has taken the place of this one"))
            await old.ended.wait()
        if self._bots.of_token(token_sha256(context.invocation_metadata())) is not bot:
            await context.abort(Code.UNAUTHENTICATED, "this token was good until a moment ago")

    async def _refuse_name(self, _: AsyncIterator[bytes], context: Context) -> None:
        await self._slow_down(context)
        await context.abort(Code.UNIMPLEMENTED, f"remote bots call {PLAY}, nothing else")

    async def _slow_down(self, context: Context) -> None:
        """Count a call that is refused; aborts it, late, where there were too many from its address."""
        if self._refusals.note(context.peer(), monotonic()):
            await asyncio.sleep(REFUSAL_PAUSE_SECONDS)
            await context.abort(
                Code.RESOURCE_EXHAUSTED, "too many calls with unknown tokens from here; try again in a minute"
            )


class _Calls(grpc.GenericRpcHandler):
    """Counts the calls, also those that are given up at once, and leads them to their handler.

    :param count: told the digest of the token that a call brings.
    """

    def __init__(self, play: Any, refuse: Any, count: Callable[[bytes], None]) -> None:
        self._count = count
        self._play: Any = grpc.stream_stream_rpc_method_handler(play)
        self._refuse: Any = grpc.stream_stream_rpc_method_handler(refuse)

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        self._count(token_sha256(details.invocation_metadata))
        return self._play if details.method == PLAY else self._refuse


def _credentials(settings: RemoteSettings) -> grpc.ServerCredentials | None:
    """None for plain text. Files that are renewed count from the next connection."""
    certificate, key = settings.certificate, settings.key
    if certificate is None or key is None:
        return None

    def read() -> Any:
        return grpc.ssl_server_certificate_configuration([(key.read_bytes(), certificate.read_bytes())])

    return grpc.dynamic_ssl_server_credentials(read(), read)
