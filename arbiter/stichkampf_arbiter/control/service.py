"""The control service `Arbiter`: gRPC in, gRPC out. Only here do errors become status codes."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Any, NoReturn

import grpc
import grpc.aio
import stichkampf
from stichkampf import limits
from stichkampf.errors import StichkampfError
from stichkampf.packaging.manifest import ArchiveError
from stichkampf.wire.agreed import MATCH_OVER, WIRE_VERSION
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc

from stichkampf_arbiter.bots.archive_store import Shelf
from stichkampf_arbiter.bots.hosted_pool import Lanes
from stichkampf_arbiter.bots.house import House
from stichkampf_arbiter.bots.remote.admission import AdmissionError, read_bots
from stichkampf_arbiter.bots.remote.bots import RemoteBots
from stichkampf_arbiter.bots.remote.gateway import RemoteGateway
from stichkampf_arbiter.control.connected_bots import connected_bots
from stichkampf_arbiter.matches.registry import Entry, Matches
from stichkampf_arbiter.matches.request import read_order
from stichkampf_arbiter.matches.runner import Referee, house_bots_on_offer
from stichkampf_arbiter.sandbox import Launcher, Level

KEY_CHARACTERS = 200
LANE_CHARACTERS = 100
MAX_BLOCK_TABLES = 64
MAX_WATCHED = 1_000
# Changes of many matches at once reach a watcher together.
WATCH_PAUSE_SECONDS = 0.05
Code = grpc.StatusCode
Context = grpc.aio.ServicerContext[Any, Any]
LEVELS = {
    Level.GVISOR: pb.SANDBOX_LEVEL_GVISOR,
    Level.HOSTED: pb.SANDBOX_LEVEL_HOSTED,
    Level.DEVELOPMENT: pb.SANDBOX_LEVEL_DEVELOPMENT,
    Level.REFUSED: pb.SANDBOX_LEVEL_REFUSED,
}


class ArbiterService(arbiter_pb2_grpc.ArbiterServicer):
    """What a platform calls.

    :ivar draining: no new match is taken.
    """

    def __init__(
        self,
        *,
        matches: Matches,
        referee: Referee,
        shelf: Shelf,
        house: House,
        lanes: Lanes,
        remote_bots: RemoteBots,
        remote: RemoteGateway | None,
        launcher: Launcher,
        tables_limit: int,
    ) -> None:
        self.draining = False
        self._matches = matches
        self._referee = referee
        self._shelf = shelf
        self._house = house
        self._lanes = lanes
        self._remote_bots = remote_bots
        self._remote = remote
        self._launcher = launcher
        self._tables_limit = tables_limit
        self._process_id = secrets.token_hex(8)

    async def StartMatch(
        self,
        request: pb.StartMatchRequest,
        context: Context,
    ) -> pb.StartMatchResponse:
        key = request.idempotency_key
        if not key or len(key) > KEY_CHARACTERS or any(c.isspace() for c in key):
            await _refuse(
                context,
                Code.INVALID_ARGUMENT,
                f"an idempotency key has 1 to {KEY_CHARACTERS} characters without spaces, not {key!r:.80}",
            )
        if len(request.lane) > LANE_CHARACTERS:
            await _refuse(
                context, Code.INVALID_ARGUMENT, f"the name of a lane has at most {LANE_CHARACTERS} characters"
            )
        for what, name in (("block", request.block), ("tournament", request.tournament)):
            if len(name) > LANE_CHARACTERS:
                await _refuse(
                    context,
                    Code.INVALID_ARGUMENT,
                    f"the name of a {what} has at most {LANE_CHARACTERS} characters",
                )
        if request.block_tables > (MAX_BLOCK_TABLES if request.block else 1):
            await _refuse(
                context,
                Code.INVALID_ARGUMENT,
                f"a block has a name and at most {MAX_BLOCK_TABLES} tables, not {request.block_tables}",
            )
        asked = _identity(request)
        entry = self._matches.get(key)
        if entry is not None:
            if entry.request != asked:
                await _refuse(
                    context, Code.ALREADY_EXISTS, f"the key {key!r} belongs to another match; take a new one"
                )
            return pb.StartMatchResponse(match=entry.status, started=False)
        if self.draining:
            await _refuse(context, Code.UNAVAILABLE, "the arbiter is about to stop; try again soon")
        try:
            order = read_order(request)
            missing = sorted(digest for digest in order.digests if not self._shelf.holds(digest))
        except StichkampfError as error:
            await _refuse(context, Code.INVALID_ARGUMENT, str(error))
        if order.digests and self._launcher.level is Level.REFUSED:
            await _refuse(
                context,
                Code.FAILED_PRECONDITION,
                f"no hosted bot runs on this machine: {self._launcher.reason}",
            )
        if order.remote_names and self._remote is None:
            await _refuse(
                context,
                Code.FAILED_PRECONDITION,
                "this arbiter takes no remote bots; ARBITER_REMOTE_LISTEN says where they come in",
            )
        for name in order.remote_names:
            if self._remote_bots.get(name) is None:
                await _refuse(
                    context,
                    Code.FAILED_PRECONDITION,
                    f"the remote bot {name!r:.220} may not come in; admit it with AdmitRemoteBots first",
                )
        if missing:
            await _refuse(context, Code.NOT_FOUND, f"the archive {missing[0]} is not here; upload it first")
        if len(self._matches.unfinished()) >= self._tables_limit:
            await _refuse(
                context, Code.RESOURCE_EXHAUSTED, f"all {self._tables_limit} tables are taken; try again soon"
            )
        entry = self._matches.add(key, asked, order.game.seats)
        self._referee.start(entry, order)
        return pb.StartMatchResponse(match=entry.status, started=True)

    async def WatchMatches(
        self,
        request: pb.WatchMatchesRequest,
        context: Context,
    ) -> AsyncIterator[pb.WatchMatchesResponse]:
        if not 1 <= len(request.matches) <= MAX_WATCHED:
            await _refuse(
                context, Code.INVALID_ARGUMENT, f"name 1 to {MAX_WATCHED} matches, not {len(request.matches)}"
            )
        entries = {key: await self._known(key, context) for key in request.matches}
        watch = self._matches.watch(entries)
        try:
            open_keys = set(entries)
            keys = list(entries)
            after = request.after_revision
            while True:
                for key in keys:
                    status = entries[key].status
                    over = status.state in MATCH_OVER
                    if key in open_keys and (over or status.revision > after):
                        if over:
                            open_keys.discard(key)
                        yield pb.WatchMatchesResponse(match=status)
                if not open_keys:
                    return
                keys = await watch.changed()
                await asyncio.sleep(WATCH_PAUSE_SECONDS)
        finally:
            self._matches.unwatch(watch)

    async def CancelMatch(
        self,
        request: pb.CancelMatchRequest,
        context: Context,
    ) -> pb.CancelMatchResponse:
        entry = await self._known(request.match, context)
        if entry.status.state not in MATCH_OVER:
            self._referee.cancel(entry)
        return pb.CancelMatchResponse(match=entry.status)

    async def FetchRecord(
        self,
        request: pb.FetchRecordRequest,
        context: Context,
    ) -> pb.FetchRecordResponse:
        entry = await self._known(request.match, context)
        if entry.status.state != pb.MATCH_STATE_FINISHED:
            state = pb.MatchState.Name(entry.status.state).removeprefix("MATCH_STATE_").lower()
            await _refuse(
                context, Code.FAILED_PRECONDITION, f"the match {entry.key!r} has no record: it is {state}"
            )
        return pb.FetchRecordResponse(
            record_json=entry.record_json, match=entry.status, reports=entry.reports
        )

    async def AcknowledgeRecord(
        self,
        request: pb.AcknowledgeRecordRequest,
        context: Context,
    ) -> pb.AcknowledgeRecordResponse:
        entry = self._matches.get(request.match)
        if entry is not None:
            if entry.status.state not in MATCH_OVER:
                await _refuse(
                    context, Code.FAILED_PRECONDITION, f"the match {entry.key!r} is not over; cancel it first"
                )
            self._matches.forget(entry.key)
        return pb.AcknowledgeRecordResponse()

    async def HasBots(
        self,
        request: pb.HasBotsRequest,
        context: Context,
    ) -> pb.HasBotsResponse:
        try:
            missing = [digest for digest in request.archive_sha256s if not self._shelf.holds(digest)]
        except ArchiveError as error:
            await _refuse(context, Code.INVALID_ARGUMENT, str(error))
        return pb.HasBotsResponse(missing_sha256s=missing)

    async def UploadBot(
        self,
        request_iterator: AsyncIterator[pb.UploadBotRequest],
        context: Context,
    ) -> pb.UploadBotResponse:
        digest, content = "", bytearray()
        async for part in request_iterator:
            digest = digest or part.archive_sha256
            content += part.chunk
            if len(content) > limits.ARCHIVE_BYTES:
                await _refuse(
                    context,
                    Code.INVALID_ARGUMENT,
                    f"the archive is larger than {limits.ARCHIVE_BYTES:,} bytes",
                )
        try:
            await asyncio.to_thread(self._shelf.put, digest, bytes(content))
        except ArchiveError as error:
            await _refuse(context, Code.INVALID_ARGUMENT, str(error))
        except OSError as error:
            await _refuse(
                context, Code.RESOURCE_EXHAUSTED, f"the arbiter cannot keep the archive: {error.strerror}"
            )
        return pb.UploadBotResponse(archive_bytes=len(content))

    async def AdmitRemoteBots(
        self,
        request: pb.AdmitRemoteBotsRequest,
        context: Context,
    ) -> pb.AdmitRemoteBotsResponse:
        try:
            self._remote_bots.admit(read_bots(request.bots))
        except AdmissionError as error:
            await _refuse(context, Code.INVALID_ARGUMENT, str(error))
        return pb.AdmitRemoteBotsResponse()

    async def ListBots(
        self,
        request: pb.ListBotsRequest,
        context: Context,
    ) -> pb.ListBotsResponse:
        return pb.ListBotsResponse(bots=connected_bots(self._house, self._lanes, self._remote_bots))

    async def GetStatus(
        self,
        request: pb.GetStatusRequest,
        context: Context,
    ) -> pb.GetStatusResponse:
        return pb.GetStatusResponse(
            process_id=self._process_id,
            version=stichkampf.__version__,
            wire_version=WIRE_VERSION,
            sandbox_level=LEVELS[self._launcher.level],
            sandbox_reason=self._launcher.reason,
            tables=len(self._matches.unfinished()),
            tables_limit=self._tables_limit,
            draining=self.draining,
            house_bots=house_bots_on_offer(),
            remote_bots_sha256=self._remote_bots.sha256,
            remote_address=self._remote.address if self._remote is not None else "",
        )

    async def _known(self, key: str, context: Context) -> Entry:
        entry = self._matches.get(key)
        if entry is None:
            await _refuse(
                context, Code.NOT_FOUND, f"this arbiter knows no match {key!r:.220}; start it again"
            )
        return entry


def _identity(request: pb.StartMatchRequest) -> bytes:
    """What makes it this match. Of a block, fewer tables are left when a platform asks again; and the
    tournament says nothing about it."""
    match = pb.StartMatchRequest()
    match.CopyFrom(request)
    match.ClearField("block_tables")
    match.ClearField("tournament")
    return match.SerializeToString(deterministic=True)


async def _refuse(context: Context, code: grpc.StatusCode, message: str) -> NoReturn:
    await context.abort(code, message)
    raise AssertionError("abort returns never")
