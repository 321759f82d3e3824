"""The platform's end of the wire to the arbiter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any, Protocol

import grpc
from django.conf import settings
from django.utils.translation import gettext_noop
from stichkampf.errors import RecordError
from stichkampf.local_play.log_text import LogText
from stichkampf.match.verify import verified
from stichkampf.time_control import TimeControl
from stichkampf.wire.agreed import PEOPLE, REMOTE_PREFIX
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc
from stichkampf.wire.v1 import bot_pb2 as pb_bot

from stichkampf_platform.core.errors import (
    ArbiterBusy,
    ArbiterGone,
    ArchiveAway,
    MatchFailed,
    MatchForgotten,
)
from stichkampf_platform.core.machines.database_turns import without_database

ARCHIVE_AWAY = gettext_noop("The archive of {bot} cannot be read: {error}.")
"""The words of a table that waits for an archive, by which the notion of work that moves knows it."""
CALL_SECONDS = 10
UPLOAD_SECONDS = 30
CHUNK_BYTES = 256 * 1024
RETRYABLE = {
    grpc.StatusCode.UNIMPLEMENTED,  # an arbiter of an older release, which is about to be upgraded
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.UNKNOWN,
}
CHANNEL_OPTIONS = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.enable_http_proxy", 0),
]


class PlayableVersion(Protocol):
    """A version of a bot, as far as the arbiter has to know it.

    :ivar digest: of its archive; empty where it has none.
    :ivar house: the house bot that plays; empty for others.
    :ivar remote_name: the name under which a remote one connects.
    """

    bot: Any
    number: int
    digest: str
    archive: Any
    house: str
    remote: bool

    @property
    def remote_name(self) -> str: ...


@cache
def arbiter() -> ArbiterClient:
    """Return this process's client of its node's arbiter, made on first use: no channel survives a fork."""
    return ArbiterClient(settings.ARBITER_ADDRESS)


@cache
def gate() -> ArbiterClient:
    """Return this process's client of the arbiter where remote bots dial in."""
    if settings.GATE_ADDRESS == settings.ARBITER_ADDRESS:
        return arbiter()
    return ArbiterClient(settings.GATE_ADDRESS)


def close_idle() -> None:
    """Close the channels of this process on which no call is under way."""
    for client in {arbiter(), gate()}:
        client.close()


class ArbiterClient:
    """One channel to the arbiter, open while it is used: an idle one keeps threads of gRPC awake.

    Calls raise `ArbiterGone` where trying again later is right, `MatchFailed` where the arbiter refused.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = Lock()
        self._calls = 0
        self._channel: grpc.Channel | None = None
        self._stub: Any = None

    def close(self) -> None:
        """Close the channel, unless a call is under way; the next call opens it again."""
        with self._lock:
            if self._channel is not None and not self._calls:
                self._channel.close()
                self._channel = self._stub = None

    @contextmanager
    def _calling(self) -> Iterator[Any]:
        """Give the stub for a call, whose errors become those of the platform."""
        with self._lock:
            if self._stub is None:
                self._channel = grpc.insecure_channel(self._address, options=CHANNEL_OPTIONS)
                self._stub = arbiter_pb2_grpc.ArbiterStub(self._channel)
            self._calls += 1
            stub = self._stub
        try:
            yield stub
        except grpc.RpcError as error:
            raise _own(error) from error
        finally:
            with self._lock:
                self._calls -= 1

    def status(self, *, seconds: float = CALL_SECONDS) -> pb.GetStatusResponse:
        with self._calling() as stub:
            return stub.GetStatus(pb.GetStatusRequest(), timeout=seconds, wait_for_ready=seconds > 1)

    def upload_missing(self, versions: Iterable[PlayableVersion]) -> None:
        """Upload the archives that the arbiter does not have.

        :raises ArchiveAway: one cannot be read.
        """
        by_digest = {version.digest: version for version in versions if version.digest}
        if not by_digest:
            return
        with self._calling() as stub:
            request = pb.HasBotsRequest(archive_sha256s=sorted(by_digest))
            missing = stub.HasBots(request, timeout=CALL_SECONDS, wait_for_ready=True).missing_sha256s
        for digest in missing:
            try:
                with by_digest[digest].archive.open("rb") as archive:
                    content = archive.read()
            except OSError as error:
                told = LogText(ARCHIVE_AWAY, bot=str(by_digest[digest]), error=str(error))
                raise ArchiveAway(told) from error
            with self._calling() as stub:
                stub.UploadBot(_chunks(digest, content), timeout=UPLOAD_SECONDS)

    def admit(self, bots: Mapping[str, bytes], reasons: Mapping[str, str]) -> None:
        """Send the arbiter all remote bots that may connect: by name, the SHA-256 of their tokens.

        :param reasons: why bots get no further tables, by name; only of those.
        """
        request = pb.AdmitRemoteBotsRequest(
            bots=[
                pb.RemoteBot(name=name, token_sha256=digest, plays_no_more=reasons.get(name, ""))
                for name, digest in bots.items()
            ]
        )
        with self._calling() as stub:
            stub.AdmitRemoteBots(request, timeout=CALL_SECONDS)

    def remote_bots(self) -> dict[str, pb.ConnectedBot]:
        """Return the remote bots that are connected now, by name."""
        with self._calling() as stub:
            bots = stub.ListBots(pb.ListBotsRequest(), timeout=CALL_SECONDS).bots
        return {
            bot.program.removeprefix(REMOTE_PREFIX): bot
            for bot in bots
            if bot.program.startswith(REMOTE_PREFIX)
        }

    def connected(self, version: PlayableVersion, lane: str) -> pb.ConnectedBot | None:
        """Return what a version's process said in its hello; None if it is not connected."""
        place = (REMOTE_PREFIX + version.remote_name, "") if version.remote else (version.digest, lane)
        with self._calling() as stub:
            bots = stub.ListBots(pb.ListBotsRequest(), timeout=CALL_SECONDS).bots
        return next((bot for bot in bots if (bot.program, bot.lane) == place), None)

    def start(
        self,
        *,
        key: str,
        game: str,
        options: dict,
        versions: Sequence[PlayableVersion | pb.Seat],
        seed: bytes,
        lane: str,
        time_control: TimeControl,
        fault_allowance: int,
        substitute_version: int = 0,
        alone: bool = False,
        block: str = "",
        block_tables: int = 1,
        tournament: str = "",
        moves: Sequence[tuple[int, str]] = (),
        deals: Sequence[Mapping[str, Any]] | None = None,
    ) -> bool:
        """Start a match, or find the one with this key; return whether it was started now.

        :param versions: by seat; or the seat itself, as for a person.
        :param substitute_version: of the house bot that moves for failing bots; 0 for the current one.
        :param alone: while no other match with submitted bots is played.
        :param block: of which it is a table; empty for a match of its own.
        :param block_tables: how many tables of the block are played now.
        :param tournament: to which the block belongs; empty for a match of none.
        :param moves: seats and words of the moves that are made before anybody is asked.
        :param deals: as in a record, in place of those of the seed.
        """
        cards = {"deals_json": json.dumps(deals)} if deals else {"seed": seed}
        request = pb.StartMatchRequest(
            idempotency_key=key,
            game=game,
            options_json=json.dumps(options),
            seats=[_seat(version) for version in versions],
            **cards,
            lane=lane,
            time_control=pb_bot.TimeControl(**time_control.to_json()),
            fault_allowance=fault_allowance,
            substitute_version=substitute_version,
            alone=alone,
            block=block,
            block_tables=block_tables,
            tournament=tournament,
            moves_json=json.dumps(moves) if moves else "",
        )
        with self._calling() as stub:
            return stub.StartMatch(request, timeout=CALL_SECONDS, wait_for_ready=True).started

    def watch(self, keys: list[str], *, seconds: float) -> Iterator[pb.MatchStatus]:
        """Yield the statuses of these matches, then every change, until the time or all matches are over."""
        request = pb.WatchMatchesRequest(matches=keys)
        heard = False
        with without_database(), self._calling() as stub:
            try:
                for news in stub.WatchMatches(request, timeout=seconds):
                    heard = True
                    yield news.match
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise
                if not heard:
                    self.status(seconds=seconds)  # it may hang

    def collect(self, keys: list[str], *, seconds: float) -> list[pb.FetchRecordResponse]:
        """Wait for an end among these matches; return those that are over, with their records."""
        request = pb.CollectMatchesRequest(matches=keys, seconds=seconds)
        with without_database() if seconds else nullcontext(), self._calling() as stub:
            return list(stub.CollectMatches(request, timeout=2 * max(seconds, 1)).matches)

    def fetch_record(self, key: str) -> pb.FetchRecordResponse:
        with self._calling() as stub:
            return stub.FetchRecord(pb.FetchRecordRequest(match=key), timeout=CALL_SECONDS)

    def fetch_moves(self, key: str) -> pb.FetchMovesResponse:
        """Return the moves of a match so far, hidden ones among them."""
        with self._calling() as stub:
            return stub.FetchMoves(pb.FetchMovesRequest(match=key), timeout=CALL_SECONDS)

    def has_people(self, *, seconds: float = CALL_SECONDS) -> bool:
        """Tell whether the process that plays for persons is connected."""
        with self._calling() as stub:
            bots = stub.ListBots(pb.ListBotsRequest(), timeout=seconds).bots
        return any(bot.program == PEOPLE for bot in bots)

    def acknowledge(self, key: str) -> None:
        """Let the arbiter forget a match that is stored, or that failed."""
        with self._calling() as stub:
            stub.AcknowledgeRecord(pb.AcknowledgeRecordRequest(match=key), timeout=CALL_SECONDS)

    def cancel(self, key: str) -> None:
        with self._calling() as stub:
            stub.CancelMatch(pb.CancelMatchRequest(match=key), timeout=CALL_SECONDS)


def verified_record(report: pb.FetchRecordResponse, *, seed: bytes | None = None) -> dict[str, Any]:
    """Referee the record of a match again.

    :param seed: from which the deals must follow, where that is known.
    :raises MatchFailed: it is no record that the rules make.
    """
    try:
        return verified(report.record_json, seed=seed)
    except RecordError as error:
        told = LogText("The arbiter's record is not correct: {error}", error=str(error))
        raise MatchFailed(told) from error


def _seat(version: PlayableVersion | pb.Seat) -> pb.Seat:
    if isinstance(version, pb.Seat):
        return version
    return pb.Seat(bot=version.bot.full_name, version=version.number, **_program(version))


def _program(version: PlayableVersion) -> dict[str, str]:
    if version.remote:
        return {"remote": version.remote_name}
    return {"house": version.house} if version.house else {"archive_sha256": version.digest}


def _chunks(digest: str, content: bytes) -> Iterator[pb.UploadBotRequest]:
    yield pb.UploadBotRequest(archive_sha256=digest, chunk=content[:CHUNK_BYTES])
    for start in range(CHUNK_BYTES, len(content), CHUNK_BYTES):
        yield pb.UploadBotRequest(chunk=content[start : start + CHUNK_BYTES])


def _own(error: grpc.RpcError) -> ArbiterGone | MatchFailed:
    what = f"{error.code().name}: {error.details()}"
    if error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED:
        return ArbiterBusy(
            LogText("The arbiter has no room for the match at the moment ({error}).", error=what)
        )
    lost = LogText("The arbiter cannot be reached or has lost the match ({error}).", error=what)
    if error.code() == grpc.StatusCode.NOT_FOUND:
        return MatchForgotten(lost)
    if error.code() in RETRYABLE:
        return ArbiterGone(lost)
    return MatchFailed(LogText("The arbiter refuses ({error}).", error=what))
