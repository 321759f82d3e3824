"""An arbiter for one command: the server's program with the sandbox of this machine, on a socket of its own.

It is started as a program, never imported, and ends with the command, however that ends.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Final

import grpc

from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.errors import StichkampfError, installing
from stichkampf.time_control import TimeControl
from stichkampf.wire.agreed import MATCH_OVER
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf.wire.v1 import arbiter_pb2_grpc
from stichkampf.wire.v1 import bot_pb2 as pb_bot

PROGRAM: Final = "stichkampf_arbiter"
ORDINARY_UID: Final = 61_043
"""The user of the arbiter where the command runs as root, which an arbiter never does."""
START_SECONDS: Final = 330.0
LOOK_SECONDS: Final = 0.5
SHORT_FOLDERS: Final = ("/tmp", "/var/tmp", "/dev/shm")
FOLDER_BYTES: Final = 60
"""The longest name of the folder above: a socket's path below it has 45 bytes more, and at most 107."""
CALL_SECONDS: Final = 30.0
END_SECONDS: Final = 20.0
CHUNK_BYTES: Final = 256 * 1024
CHANNEL_OPTIONS: Final = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
)
CONTAINING: Final = (pb.SANDBOX_LEVEL_HOSTED, pb.SANDBOX_LEVEL_GVISOR)


def _short_folder() -> Path:
    """Make a folder whose sockets have paths that the system takes: the user's own may be too long.

    :raises SandboxMissing: there is none.
    """
    for parent in dict.fromkeys((tempfile.gettempdir(), *SHORT_FOLDERS)):
        if len(os.fsencode(parent)) <= FOLDER_BYTES:
            with suppress(OSError):
                return Path(tempfile.mkdtemp(prefix="sk-", dir=parent))
    raise SandboxMissing(
        f"the folder for temporary files has a name of more than {FOLDER_BYTES} bytes, too long for sockets;"
        f" name a shorter one with TMPDIR, or make {SHORT_FOLDERS[0]} writable"
    )


class SandboxMissing(StichkampfError):
    """This machine has no sandbox; the message says what is missing."""


class PrivateArbiter:
    """An arbiter that is started on entering and ended on leaving.

    :ivar shortcoming: what this machine's sandbox does not hold, in a line; empty where it is the server's.
    """

    def __init__(self) -> None:
        self.shortcoming = ""

    def __enter__(self) -> PrivateArbiter:
        """Start it, and wait until it takes matches.

        :raises SandboxMissing: there is no sandbox here, or no folder for its sockets.
        """
        if sys.platform != "linux":
            raise SandboxMissing("there is no sandbox here: it needs Linux; play without --sandbox")
        if find_spec(PROGRAM) is None:
            raise SandboxMissing(f"there is no sandbox here: {installing('sandbox')}")
        self._folder = _short_folder()
        if os.getuid() == 0:
            os.chown(self._folder, ORDINARY_UID, ORDINARY_UID)
        socket = f"unix:{self._folder / 'arbiter.sock'}"
        words = ["--listen", socket, "--state", str(self._folder), "--end-with-input"]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", PROGRAM, *words],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd="/",  # for the arbiter's ordinary user the folder of the command may be closed
                start_new_session=True,  # Ctrl-C is for the command, which ends it
            )
        self._channel = grpc.insecure_channel(socket, options=CHANNEL_OPTIONS)
        self._stub = arbiter_pb2_grpc.ArbiterStub(self._channel)  # type: ignore[no-untyped-call]
        try:
            self._await_start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def upload(self, archive: bytes) -> str:
        """Hand an archive over; returns its digest."""
        digest = hashlib.sha256(archive).hexdigest()
        self._stub.UploadBot(_chunks(digest, archive), timeout=CALL_SECONDS)
        return digest

    def play(
        self,
        key: str,
        game: Game,
        seats: Sequence[pb.Seat],
        *,
        seed: bytes,
        control: TimeControl,
        fault_allowance: int,
        substitute_version: int,
        lane: str,
        started: Callable[[], float] | None = None,
    ) -> pb.FetchRecordResponse | None:
        """Play a match to its end; returns its record and the reports about the bots' processes.

        :param key: names the match; a new one for each.
        :param lane: matches of a lane share the processes of their bots, one after the other.
        :param started: called once the bots of the match have started; returns the seconds for which it is
            played. A longer one is ended, and None returned.
        :raises StichkampfError: the sandbox failed, not a bot.
        """
        options: dict[str, Json] = dict(game.options)
        request = pb.StartMatchRequest(
            idempotency_key=key,
            game=game.name,
            options_json=json.dumps(options),
            seats=seats,
            seed=seed,
            lane=lane,
            time_control=pb_bot.TimeControl(**control.to_json()),
            fault_allowance=fault_allowance,
            substitute_version=substitute_version,
        )
        try:
            self._stub.StartMatch(request, timeout=CALL_SECONDS)
            status = self._watch(key, started)
            if status.state == pb.MATCH_STATE_RUNNING:
                self._stub.CancelMatch(pb.CancelMatchRequest(match=key), timeout=CALL_SECONDS)
                return None
            if status.state != pb.MATCH_STATE_FINISHED:
                raise StichkampfError(f"the sandbox could not play the match: {status.reason}")
            report: pb.FetchRecordResponse = self._stub.FetchRecord(
                pb.FetchRecordRequest(match=key), timeout=CALL_SECONDS
            )
            self._stub.AcknowledgeRecord(pb.AcknowledgeRecordRequest(match=key), timeout=CALL_SECONDS)
        except grpc.RpcError as error:
            raise StichkampfError(f"the sandbox could not play the match: {error.details()}") from error
        return report

    def _watch(self, key: str, started: Callable[[], float] | None) -> pb.MatchStatus:
        """Return the status of a match that is over, or that has run for so long."""
        until = math.inf
        waits = True
        while True:
            for news in self._news(key):
                status = news.match
                if waits and status.state != pb.MATCH_STATE_WAITING:
                    waits = False
                    until = monotonic() + (math.inf if started is None else started())
                if status.state in MATCH_OVER:
                    return status
            if monotonic() > until:
                return status

    def _news(self, key: str) -> Iterator[pb.WatchMatchesResponse]:
        """Yield the status of a match and what changes, for a moment."""
        try:
            yield from self._stub.WatchMatches(
                pb.WatchMatchesRequest(matches=[key]), timeout=LOOK_SECONDS, wait_for_ready=True
            )
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                raise

    def connected(self, digest: str, lane: str) -> pb.ConnectedBot | None:
        """Return what a bot's process said in its hello; None if it is not connected."""
        bots = self._stub.ListBots(pb.ListBotsRequest(), timeout=CALL_SECONDS).bots
        return next((bot for bot in bots if (bot.program, bot.lane) == (digest, lane)), None)

    def _await_start(self) -> None:
        until = monotonic() + START_SECONDS
        while True:
            try:
                status = self._stub.GetStatus(
                    pb.GetStatusRequest(), timeout=LOOK_SECONDS, wait_for_ready=True
                )
                break
            except grpc.RpcError:
                if self._process.poll() is not None:
                    raise SandboxMissing(f"there is no sandbox here: {self._why_ended()}") from None
                if monotonic() > until:
                    raise SandboxMissing("the sandbox does not start; play without --sandbox") from None
        if status.sandbox_level == pb.SANDBOX_LEVEL_REFUSED:
            raise SandboxMissing(f"there is no sandbox here: {status.sandbox_reason}")
        if status.sandbox_level not in CONTAINING:
            self.shortcoming = f"The sandbox here holds less than the server's: {status.sandbox_reason}"

    def _why_ended(self) -> str:
        said = (self._folder / "log").read_text("utf-8", "replace").strip().splitlines()
        if not said:
            return f"its program has ended with exit status {self._process.returncode}"
        missing = said[-1].startswith("ModuleNotFoundError")
        return f"{said[-1]}; {installing('sandbox')}" if missing else said[-1]

    def _end(self) -> None:
        """End it with all sandboxes, and remove its files."""
        self._channel.close()
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _chunks(digest: str, content: bytes) -> Iterator[pb.UploadBotRequest]:
    yield pb.UploadBotRequest(archive_sha256=digest, chunk=content[:CHUNK_BYTES])
    for start in range(CHUNK_BYTES, len(content), CHUNK_BYTES):
        yield pb.UploadBotRequest(chunk=content[start : start + CHUNK_BYTES])
