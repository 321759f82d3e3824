"""The arbiter's server, from its first socket to its graceful end."""

from __future__ import annotations

import asyncio
import logging
import shutil
from contextlib import suppress
from time import monotonic

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from grpc_reflection.v1alpha import reflection  # type: ignore[import-untyped]
from stichkampf.wire.v1 import arbiter_pb2, arbiter_pb2_grpc, bot_pb2

from stichkampf_arbiter.bots.archive_store import ArchiveStore
from stichkampf_arbiter.bots.hosted_pool import HostedBotPool
from stichkampf_arbiter.bots.house import HouseProcess
from stichkampf_arbiter.bots.remote.gateway import RemoteGateway
from stichkampf_arbiter.bots.remote.people import PeopleTables
from stichkampf_arbiter.bots.remote.registry import RemoteBotRegistry
from stichkampf_arbiter.connection.lateness import StampedSelector, ticks
from stichkampf_arbiter.connection.stream import BotStream
from stichkampf_arbiter.control.service import ArbiterService
from stichkampf_arbiter.matches.registry import MatchRegistry
from stichkampf_arbiter.matches.runner import MatchRunner
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.contract import SandboxLevel
from stichkampf_arbiter.settings import Settings, SettingsError

log = logging.getLogger(__name__)

FORGET_SECONDS = 60.0
LAST_NEWS_SECONDS = 0.25
OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", 4 * 1024 * 1024),
)
SERVICES = (
    arbiter_pb2.DESCRIPTOR.services_by_name["Arbiter"].full_name,
    bot_pb2.DESCRIPTOR.services_by_name["BotGateway"].full_name,
    health_pb2.DESCRIPTOR.services_by_name["Health"].full_name,
    reflection.SERVICE_NAME,
)


class ArbiterServer:
    """All parts of one arbiter process.

    :param launcher: the launcher of sandboxes, already started.
    :param selector: selector of the running loop.
    """

    def __init__(self, settings: Settings, launcher: Launcher, selector: StampedSelector) -> None:
        self._settings = settings
        self._sockets = settings.sockets
        self._launcher = launcher
        self._matches = MatchRegistry(keep_seconds=settings.keep_seconds)
        self._house = HouseProcess(self._sockets / "house.sock", selector.arrival, gives_way=True)
        archives = ArchiveStore(settings.state / "archives")
        self._hosted_pool = HostedBotPool(
            launcher,
            archives,
            self._sockets,
            selector.arrival,
            most=settings.processes,
            idle_seconds=settings.idle_seconds,
        )
        self._remote_bots = RemoteBotRegistry(
            outage_seconds=settings.outage_seconds, absence_seconds=settings.absence_seconds
        )
        self._remote = (
            RemoteGateway(settings.remote, self._remote_bots, selector.arrival) if settings.remote else None
        )
        self._people = PeopleTables(
            HouseProcess(self._sockets / "people.sock", selector.arrival), selector.arrival
        )
        self._runner = MatchRunner(
            self._matches, self._house, self._hosted_pool, launcher.level, self._remote_bots, self._people
        )
        self._service = ArbiterService(
            matches=self._matches,
            runner=self._runner,
            archives=archives,
            house=self._house,
            hosted_pool=self._hosted_pool,
            remote_bots=self._remote_bots,
            remote=self._remote,
            people=self._people,
            launcher=launcher,
            tables_limit=settings.tables,
        )
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(options=OPTIONS)
        arbiter_pb2_grpc.add_ArbiterServicer_to_server(self._service, self._server)  # type: ignore[no-untyped-call]
        self._server.add_generic_rpc_handlers((self._people.handler,))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection(SERVICES, self._server)

    async def run(self, stop: asyncio.Event) -> bool:
        """Serve until `stop` is set or the launcher is lost; then drain, and end every process.

        :returns: true if `stop` was set.
        :raises SettingsError: the address cannot be listened on.
        """
        shutil.rmtree(self._sockets, ignore_errors=True)
        self._sockets.mkdir(mode=0o711, parents=True)
        self._house.start()
        ticking = asyncio.ensure_future(self._tick())
        try:
            await self._listen()
            await self._health.set("", health_pb2.HealthCheckResponse.SERVING)
            asked_for = await self._until_stopped(stop)
            await self._drain()
            return asked_for
        finally:
            ticking.cancel()
            with suppress(asyncio.CancelledError):
                await ticking
            if self._remote is not None:
                await self._remote.close(1.0)
            await self._server.stop(1.0)
            await self._house.stop()
            await self._people.house.stop()
            await self._hosted_pool.close()
            shutil.rmtree(self._sockets, ignore_errors=True)

    async def _until_stopped(self, stop: asyncio.Event) -> bool:
        if self._launcher.level is SandboxLevel.REFUSED:
            return await stop.wait()
        told = asyncio.ensure_future(stop.wait())
        await asyncio.wait((told, self._launcher.gone), return_when=asyncio.FIRST_COMPLETED)
        if not told.done():
            told.cancel()
            log.error("the launcher of sandboxes has ended; without it no hosted bot can start")
        return stop.is_set()

    async def _listen(self) -> None:
        try:
            self._server.add_insecure_port(self._settings.listen)
        except RuntimeError:
            raise SettingsError(f"cannot listen on {self._settings.listen}; is the address taken?") from None
        if self._remote is not None:
            await self._remote.listen()
        await self._server.start()
        if self._settings.socket is not None:
            self._settings.socket.chmod(0o600)
        log.info(
            "listening on %s; sandbox: %s %s",
            self._settings.listen,
            self._launcher.level,
            self._launcher.reason,
        )

    async def _tick(self) -> None:
        """Fail overdue questions and forget old matches, on every tick."""
        forgotten = monotonic()
        async for now, late_seconds in ticks(self._matches.work):
            if not self._matches.unfinished():
                self._matches.work.clear()
            for stream in self._streams():
                stream.sweep(now, late_seconds)
            if now - forgotten > FORGET_SECONDS:
                forgotten = now
                self._matches.forget_old()

    async def _drain(self) -> None:
        """Let open matches end, for a while, then cancel the others."""
        self._service.draining = True
        await self._health.enter_graceful_shutdown()
        seconds = self._settings.drain_seconds
        log.info("stopping; %d matches have %g s to end", len(self._matches.unfinished()), seconds)
        for stream in self._streams():
            stream.drain(seconds)
        if self._remote is not None:
            self._remote.draining = True
        if not self._matches.unfinished():
            return
        # a person may think for half an hour; the platform begins these matches again with their moves
        awaited = [entry for entry in self._matches.unfinished() if not entry.has_people]
        watch = self._matches.watch((entry.key for entry in awaited), only_ends=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not all(entry.is_over for entry in awaited):
                    await watch.changed()
        for entry in self._matches.unfinished():
            self._runner.cancel(entry)
        # A connection loses what its client has not read yet if it is closed while the client writes.
        await asyncio.sleep(LAST_NEWS_SECONDS)

    def _streams(self) -> list[BotStream]:
        """Return the streams of all connected bots."""
        house_and_hosted = [
            self._house.connected,
            self._people.house.connected,
            self._people.stream,
            *(bot.stream for bot in self._hosted_pool.connected),
        ]
        remote = [stream for _, stream in self._remote_bots.connected]
        return [stream for stream in house_and_hosted if stream is not None] + remote
