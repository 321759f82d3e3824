"""The control service `Arbiter`: gRPC in, gRPC out. Only here do errors become status codes."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, NoReturn

import grpc
import grpc.aio
import stichkampf
from stichkampf import limits
from stichkampf.errors import ArchiveError, StichkampfError
from stichkampf.wire.agreed import WIRE_VERSION
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc

from stichkampf_arbiter.bots.archive_store import ArchiveStore
from stichkampf_arbiter.bots.hosted_pool import HostedBotPool
from stichkampf_arbiter.bots.house import HouseProcess
from stichkampf_arbiter.bots.remote.admission import AdmissionError, read_bots, read_reasons
from stichkampf_arbiter.bots.remote.gateway import RemoteGateway
from stichkampf_arbiter.bots.remote.people import PeopleTables
from stichkampf_arbiter.bots.remote.registry import RemoteBotRegistry
from stichkampf_arbiter.control.connected_bots import connected_bots
from stichkampf_arbiter.matches.registry import MatchEntry, MatchRegistry
from stichkampf_arbiter.matches.request import MatchRequest, moves_of, read_request
from stichkampf_arbiter.matches.runner import MatchRunner, house_bots_on_offer
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.contract import SandboxLevel

KEY_CHARACTERS = 200
NAME_CHARACTERS = 100
MAX_BLOCK_TABLES = 64
MAX_WATCHED = 1_000
# Changes of many matches at once reach a watcher together.
WATCH_PAUSE_SECONDS = 0.05
MAX_COLLECT_SECONDS = 60
MAX_COLLECTED_CHARACTERS = 2**24
Code = grpc.StatusCode
Context = grpc.aio.ServicerContext[Any, Any]
LEVELS = {
    SandboxLevel.GVISOR: pb.SANDBOX_LEVEL_GVISOR,
    SandboxLevel.HOSTED: pb.SANDBOX_LEVEL_HOSTED,
    SandboxLevel.DEVELOPMENT: pb.SANDBOX_LEVEL_DEVELOPMENT,
    SandboxLevel.REFUSED: pb.SANDBOX_LEVEL_REFUSED,
}


class ArbiterService(arbiter_pb2_grpc.ArbiterServicer):
    """The service that a platform calls.

    :ivar draining: true while no new match is accepted.
    """

    def __init__(
        self,
        *,
        matches: MatchRegistry,
        runner: MatchRunner,
        archives: ArchiveStore,
        house: HouseProcess,
        hosted_pool: HostedBotPool,
        remote_bots: RemoteBotRegistry,
        remote: RemoteGateway | None,
        people: PeopleTables,
        launcher: Launcher,
        tables_limit: int,
    ) -> None:
        self.draining = False
        self._matches = matches
        self._runner = runner
        self._archives = archives
        self._house = house
        self._hosted_pool = hosted_pool
        self._remote_bots = remote_bots
        self._remote = remote
        self._people = people
        self._launcher = launcher
        self._tables_limit = tables_limit
        self._process_id = secrets.token_hex(8)
        self._refused_calls: Counter[str] = Counter()

    async def StartMatch(
        self,
        request: pb.StartMatchRequest,
        context: Context,
    ) -> pb.StartMatchResponse:
        try:
            _check_names(request)
            identity = _identity(request)
            entry = self._matches.get(request.idempotency_key)
            if entry is not None:
                _check_same_match(entry, identity)
                return pb.StartMatchResponse(match=entry.status, started=False)
            self._check_not_draining()
            match_request = read_request(request)
            missing = self._missing_archives(match_request.digests)
            self._check_sandbox(match_request)
            self._check_remote_bots(match_request)
            _check_archives(missing)
            self._check_free_table(match_request)
        except CallError as error:
            await self._refuse(context, error.code, str(error))
        except StichkampfError as error:
            await self._refuse(context, Code.INVALID_ARGUMENT, str(error))
        entry = self._matches.add(
            request.idempotency_key,
            identity,
            match_request.game.seats,
            request.block,
            request.tournament,
            has_people=match_request.has_people,
        )
        self._runner.start(entry, match_request)
        return pb.StartMatchResponse(match=entry.status, started=True)

    def _check_not_draining(self) -> None:
        if self.draining:
            raise CallError(Code.UNAVAILABLE, "the arbiter is about to stop; try again soon")

    def _missing_archives(self, digests: Iterable[str]) -> list[str]:
        """Return the digests whose archives are not stored.

        :raises ArchiveError: one is not a digest.
        """
        return [digest for digest in digests if not self._archives.has(digest)]

    def _check_sandbox(self, request: MatchRequest) -> None:
        if request.digests and self._launcher.level is SandboxLevel.REFUSED:
            raise CallError(
                Code.FAILED_PRECONDITION, f"no hosted bot runs on this machine: {self._launcher.reason}"
            )

    def _check_remote_bots(self, request: MatchRequest) -> None:
        if request.remote_names and self._remote is None:
            raise CallError(
                Code.FAILED_PRECONDITION,
                "this arbiter takes no remote bots; set STICHKAMPF_ARBITER_REMOTE_LISTEN to their address",
            )
        for name in request.remote_names:
            if self._remote_bots.get(name) is None:
                raise CallError(
                    Code.FAILED_PRECONDITION,
                    f"the remote bot {name!r:.220} is not admitted; admit it with AdmitRemoteBots first",
                )

    def _check_free_table(self, request: MatchRequest) -> None:
        if request.has_people:
            if not self._matches.has_room_for_people(limits.PEOPLE_TABLES):
                raise CallError(
                    Code.RESOURCE_EXHAUSTED,
                    f"all {limits.PEOPLE_TABLES} tables for people are taken; try again soon",
                )
        elif not self._matches.has_room(request.block, request.tournament, self._tables_limit):
            raise CallError(
                Code.RESOURCE_EXHAUSTED,
                f"all {self._tables_limit} tables are taken, or kept for other tournaments; try again soon",
            )

    async def WatchMatches(
        self,
        request: pb.WatchMatchesRequest,
        context: Context,
    ) -> AsyncIterator[pb.WatchMatchesResponse]:
        entries = await self._find_all(request.matches, context)
        watch = self._matches.watch(entries)
        try:
            open_keys = set(entries)
            keys = list(entries)
            sent = dict.fromkeys(entries, request.after_revision)
            while True:
                for key in keys:
                    status, over = entries[key].status, entries[key].is_over
                    if key in open_keys and (over or status.revision > sent[key]):
                        sent[key] = status.revision
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
        entry = await self._find(request.match, context)
        if not entry.is_over:
            self._runner.cancel(entry)
        return pb.CancelMatchResponse(match=entry.status)

    async def FetchRecord(
        self,
        request: pb.FetchRecordRequest,
        context: Context,
    ) -> pb.FetchRecordResponse:
        entry = await self._find(request.match, context)
        if entry.status.state != pb.MATCH_STATE_FINISHED:
            state = pb.MatchState.Name(entry.status.state).removeprefix("MATCH_STATE_").lower()
            await self._refuse(
                context, Code.FAILED_PRECONDITION, f"the match {entry.key!r} has no record: it is {state}"
            )
        return _record_of(entry)

    async def FetchMoves(
        self,
        request: pb.FetchMovesRequest,
        context: Context,
    ) -> pb.FetchMovesResponse:
        entry = await self._find(request.match, context)
        if entry.live is None:
            await self._refuse(
                context, Code.FAILED_PRECONDITION, f"the match {entry.key!r} is not being played"
            )
        adjudicator = entry.live.adjudicator
        replaced = [seat for seat, kind in enumerate(adjudicator.replaced) if kind is not None]
        moves_json = json.dumps(moves_of(adjudicator.match), separators=(",", ":"))
        return pb.FetchMovesResponse(moves_json=moves_json, replaced_seats=replaced)

    async def CollectMatches(
        self,
        request: pb.CollectMatchesRequest,
        context: Context,
    ) -> pb.CollectMatchesResponse:
        entries = (await self._find_all(request.matches, context)).values()
        if not 0 <= request.seconds <= MAX_COLLECT_SECONDS:
            await self._refuse(
                context,
                Code.INVALID_ARGUMENT,
                f"wait 0 to {MAX_COLLECT_SECONDS} seconds, not {request.seconds}",
            )
        await self._matches.wait_for_ends(entries, request.seconds)
        return pb.CollectMatchesResponse(matches=collected(entries))

    async def AcknowledgeRecord(
        self,
        request: pb.AcknowledgeRecordRequest,
        context: Context,
    ) -> pb.AcknowledgeRecordResponse:
        entry = self._matches.get(request.match)
        if entry is not None:
            if not entry.is_over:
                await self._refuse(
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
            missing = self._missing_archives(request.archive_sha256s)
        except ArchiveError as error:
            await self._refuse(context, Code.INVALID_ARGUMENT, str(error))
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
                await self._refuse(
                    context,
                    Code.INVALID_ARGUMENT,
                    f"the archive is larger than {limits.ARCHIVE_BYTES:,} bytes",
                )
        try:
            await asyncio.to_thread(self._archives.add, digest, bytes(content))
        except ArchiveError as error:
            await self._refuse(context, Code.INVALID_ARGUMENT, str(error))
        except OSError as error:
            await self._refuse(
                context, Code.RESOURCE_EXHAUSTED, f"the arbiter cannot keep the archive: {error.strerror}"
            )
        return pb.UploadBotResponse(archive_bytes=len(content))

    async def AdmitRemoteBots(
        self,
        request: pb.AdmitRemoteBotsRequest,
        context: Context,
    ) -> pb.AdmitRemoteBotsResponse:
        try:
            self._remote_bots.admit(read_bots(request.bots), read_reasons(request.bots))
        except AdmissionError as error:
            await self._refuse(context, Code.INVALID_ARGUMENT, str(error))
        return pb.AdmitRemoteBotsResponse()

    async def ListBots(
        self,
        request: pb.ListBotsRequest,
        context: Context,
    ) -> pb.ListBotsResponse:
        return pb.ListBotsResponse(
            bots=connected_bots(self._house, self._hosted_pool, self._remote_bots, self._people)
        )

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
            sandbox_trouble=self._launcher.trouble,
            match_trouble=self._matches.trouble(),
            missing_parts=self._launcher.missing_parts,
            tables=len(self._matches.unfinished()),
            tables_limit=self._tables_limit,
            draining=self.draining,
            house_bots=house_bots_on_offer(),
            remote_bots_sha256=self._remote_bots.sha256,
            remote_address=self._remote.address if self._remote is not None else "",
            refused_calls=self._refused_calls,
        )

    async def _refuse(self, context: Context, code: grpc.StatusCode, message: str) -> NoReturn:
        self._refused_calls[code.name] += 1
        await context.abort(code, message)
        raise AssertionError("abort never returns")

    async def _find_all(self, keys: Sequence[str], context: Context) -> dict[str, MatchEntry]:
        """Return matches by their keys; abort the call if one is not known, or for too many or none."""
        if not 1 <= len(keys) <= MAX_WATCHED:
            await self._refuse(
                context, Code.INVALID_ARGUMENT, f"name 1 to {MAX_WATCHED} matches, not {len(keys)}"
            )
        return {key: await self._find(key, context) for key in keys}

    async def _find(self, key: str, context: Context) -> MatchEntry:
        """Return a match; abort the call if there is none of this key."""
        entry = self._matches.get(key)
        if entry is None:
            await self._refuse(
                context, Code.NOT_FOUND, f"this arbiter knows no match {key!r:.220}; start it again"
            )
        return entry


class CallError(Exception):
    """A call that ends with a status other than OK.

    :ivar code: status of the call.
    """

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def collected(entries: Iterable[MatchEntry]) -> list[pb.FetchRecordResponse]:
    """Return the matches that are over, with their records; only as many as one message should hold."""
    found: list[pb.FetchRecordResponse] = []
    characters = 0
    for entry in entries:
        characters += len(entry.record_json)
        if entry.is_over and (not found or characters <= MAX_COLLECTED_CHARACTERS):
            found.append(_record_of(entry))
    return found


def _record_of(entry: MatchEntry) -> pb.FetchRecordResponse:
    return pb.FetchRecordResponse(record_json=entry.record_json, match=entry.status, reports=entry.reports)


def _check_names(request: pb.StartMatchRequest) -> None:
    key = request.idempotency_key
    if not key or len(key) > KEY_CHARACTERS or any(c.isspace() for c in key):
        raise CallError(
            Code.INVALID_ARGUMENT,
            f"an idempotency key has 1 to {KEY_CHARACTERS} characters without spaces, not {key!r:.80}",
        )
    names = {"lane": request.lane, "block": request.block, "tournament": request.tournament}
    for kind, name in names.items():
        if len(name) > NAME_CHARACTERS:
            raise CallError(
                Code.INVALID_ARGUMENT, f"the name of a {kind} has at most {NAME_CHARACTERS} characters"
            )
    if request.block_tables > (MAX_BLOCK_TABLES if request.block else 1):
        raise CallError(
            Code.INVALID_ARGUMENT,
            f"a block has a name and at most {MAX_BLOCK_TABLES} tables, not {request.block_tables}",
        )


def _check_same_match(entry: MatchEntry, identity: bytes) -> None:
    if entry.request != identity:
        raise CallError(
            Code.ALREADY_EXISTS, f"the key {entry.key!r} belongs to another match; take a new one"
        )


def _check_archives(missing: list[str]) -> None:
    if missing:
        raise CallError(Code.NOT_FOUND, f"the archive {min(missing)} is not here; upload it first")


def _identity(request: pb.StartMatchRequest) -> bytes:
    """Return the part of a request that identifies its match.

    It leaves out the number of tables of the block, which is smaller when a platform asks again, the
    tournament, and the moves with which it begins, which are more.
    """
    match = pb.StartMatchRequest()
    match.CopyFrom(request)
    match.ClearField("block_tables")
    match.ClearField("tournament")
    match.ClearField("moves_json")
    return match.SerializeToString(deterministic=True)
