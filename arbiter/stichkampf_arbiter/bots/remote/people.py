"""People's tables: one stream of the control socket, on which the platform plays for all persons.

It needs no token, because whoever reaches the control socket may start matches and read their moves. Its
questions are timed each for itself, its outages are waited for, however often, and no calls ban it.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from math import inf
from typing import Any, cast

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from stichkampf import limits
from stichkampf.time_control import TimeControl
from stichkampf.timing.apart import ApartDecisions
from stichkampf.timing.pending import PendingDecisions
from stichkampf.timing.time_accounts import WallAccount
from stichkampf.wire.agreed import PEOPLE, WIRE_VERSION
from stichkampf.wire.v1 import bot_pb2 as pb

from stichkampf_arbiter.bots.house import HouseProcess
from stichkampf_arbiter.bots.remote.admitted_bot import AdmittedBot
from stichkampf_arbiter.bots.remote.seat import RemoteSeat
from stichkampf_arbiter.bots.remote.stream import CutOffError, RemoteStream
from stichkampf_arbiter.connection.answer_limit import FloodError
from stichkampf_arbiter.connection.gateway import PLAY, read_hello

PERSON_CONTROL = TimeControl(
    move_seconds=limits.PERSON_SECONDS, bank_seconds=0, cap_seconds=limits.PERSON_SECONDS
)
Code = grpc.StatusCode
Context = grpc.aio.ServicerContext[bytes, bytes]

log = logging.getLogger(__name__)


class PeopleStream(RemoteStream):
    """The stream of the process that plays for persons, whose time no round trip shortens.

    The kernel keeps the connection of a process that is stopped, so that only its silence tells.
    """

    ping_seconds = 20.0
    pong_seconds = 20.0

    def __init__(
        self, context: Context, hello: pb.Hello, arrival: Callable[[], float], numbers: Iterator[int]
    ) -> None:
        super().__init__(context, hello, arrival, numbers)
        self._apart = ApartDecisions(WallAccount)
        self._open = cast(PendingDecisions, self._apart)  # for all that is called outside of `sweep`

    def sweep(self, now: float, late_seconds: float = 0.0) -> None:
        """Fail every question past its own limit; half an hour does not depend on a late tick."""
        self._time_out(self._apart.over(now), now)


class PeopleTables:
    """The seats of persons, and the process of the house bots at their tables.

    :param house: started with the first match of persons.
    :param arrival: returns the earliest moment at which a message handled now can have arrived.
    """

    def __init__(self, house: HouseProcess, arrival: Callable[[], float]) -> None:
        self.house = house
        self._arrival = arrival
        self._bot = AdmittedBot(PEOPLE, b"")

    @property
    def stream(self) -> RemoteStream | None:
        """The open stream; None while there is none."""
        return self._bot.stream

    @property
    def handler(self) -> grpc.GenericRpcHandler:
        """The handler of the stream's call, for the server of the control socket."""
        service, _, method = PLAY.removeprefix("/").partition("/")
        play: Any = grpc.stream_stream_rpc_method_handler(self._play)
        return grpc.method_handlers_generic_handler(service, {method: play})

    def seat(self) -> RemoteSeat:
        """Return a seat in a match for a person."""
        return RemoteSeat(
            self._bot,
            outage_seconds=limits.PERSON_OUTAGE_SECONDS,
            absence_seconds=inf,
            forgiven_outages=inf,
        )

    async def _play(self, _: AsyncIterator[bytes], context: Context) -> None:
        hello = await read_hello(context)
        await context.send_initial_metadata(())
        if (old := self._bot.stream) is not None:
            old.cut(CutOffError(Code.ABORTED, "a newer stream of people's seats has replaced this one"))
            await old.ended.wait()
        stream = PeopleStream(context, hello, self._arrival, self._bot.numbers)
        welcome = pb.Welcome(
            wire_version=WIRE_VERSION,
            resume_token=stream.resume_token,
            message_bytes=limits.MESSAGE_BYTES,
            tables_at_once=stream.tables_at_once,
        )
        stream.send(pb.ToBot(welcome=welcome))
        self._bot.arrive(stream)
        log.info("people's seats are connected: %.100r", hello.agent)
        try:
            await stream.serve()
        except FloodError as error:
            await context.abort(Code.RESOURCE_EXHAUSTED, str(error))
        except DecodeError as error:
            await context.abort(Code.INVALID_ARGUMENT, str(error))
        except CutOffError as error:
            await context.abort(error.code, str(error))
        finally:
            log.info("people's seats have disconnected")
