"""The process of a hosted bot: its sandbox, its socket, its turns, and the meaning of its end.

It runs in its turns (`turns.py`) while it starts and while it has a question; otherwise it is frozen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from stichkampf.faults import FaultKind
from stichkampf.limits import START_SECONDS
from stichkampf.timing.core_waits import CoreWaitMeter, CpuSample
from stichkampf.timing.time_accounts import CpuAccount, hard_end_seconds

from stichkampf_arbiter.bots.archive_store import needs_of_archive
from stichkampf_arbiter.bots.turns import TableTurns
from stichkampf_arbiter.connection.frame_gateway import FrameGateway
from stichkampf_arbiter.connection.gateway import Gateway
from stichkampf_arbiter.connection.hosted_stream import HostedStream
from stichkampf_arbiter.sandbox.client import Launcher, SandboxedBot
from stichkampf_arbiter.sandbox.contract import CLIENT_COMMAND, BotSpec, ExitKind, ExitReport, SandboxError
from stichkampf_arbiter.sandbox.limits import Limits

LOOK_SECONDS = 0.25
REPORT_SECONDS = 2.0


class KeptFromCoreError(SandboxError):
    """The machine is too busy: a bot that was started was given no core to run on.

    :ivar digest: digest of the bot's archive.
    """

    def __init__(self, digest: str) -> None:
        super().__init__(
            f"a bot was kept from a core for most of the time that it has for its start ({digest[:12]})"
        )
        self.digest = digest


class HostedBot:
    """One sandboxed process of a hosted bot.

    :ivar digest: digest of its archive.
    :ivar stream: its stream; None if it ended before it said hello.
    :ivar taken: true while a match holds it; one at a time.
    :ivar is_on: true while it runs, or would if it were started.
    :ivar since: time at which it was made, on the monotonic clock.
    """

    def __init__(self, digest: str, lane: str, socket: Path, arrival: Callable[[], float]) -> None:
        self.digest = digest
        self.lane = lane
        self.stream: HostedStream | None = None
        self.taken = False
        self.is_on = False
        self.since = monotonic()
        self.ending = False
        self.started: asyncio.Future[None] | None = None
        self._socket = socket
        self._waits = CoreWaitMeter(self._sample)
        self._account = CpuAccount(self._cpu_seconds, self._waits)
        self._arrival = arrival
        self._gateway: Gateway | None = None
        self._turns: TableTurns | None = None
        self._run_seconds = self._resumed = 0.0
        self._paused = monotonic()
        self._process: SandboxedBot | None = None
        self._ended: asyncio.Future[ExitReport] | None = None
        self._limits = Limits()
        self._late = False
        self._has_played = False

    # Turns --------------------------------------------------------------------------------------------------

    def join(self, turns: TableTurns) -> None:
        """Give it to a match, whose turns it follows from now on."""
        self.taken = True
        self._turns = turns

    def leave(self) -> None:
        """Take it back from its match; it is frozen until the next one takes it."""
        self.release()
        self.taken = False
        self._turns = None

    def request(self) -> None:
        """Ask for a turn."""
        if self._turns is not None:
            self._turns.request(self)

    def release(self) -> None:
        """End its turn, or its wait for one."""
        if self._turns is not None:
            self._turns.release(self)

    def resume(self) -> None:
        self.is_on, self._resumed = True, monotonic()
        if self._process is not None:
            self._process.thaw()
        stream = self._hosted_stream
        if stream is not None:
            stream.resume()
        else:
            self._waits.postpone(self._resumed - self._paused)

    def pause(self) -> None:
        if self._process is not None:
            self._process.freeze()
        self.is_on, self._paused = False, monotonic()
        self._run_seconds += self._paused - self._resumed
        stream = self._hosted_stream
        if stream is not None:
            stream.pause()

    @property
    def _hosted_stream(self) -> HostedStream | None:
        return None if self._gateway is None else self._gateway.hosted_stream

    @property
    def run_seconds(self) -> float:
        """The time for which it has been allowed to run so far."""
        return self._run_seconds + (monotonic() - self._resumed if self.is_on else 0.0)

    # Start and end ------------------------------------------------------------------------------------------

    async def start(self, launcher: Launcher, archive: Path) -> None:
        """Start it and wait for its hello, for its end, or until its time to start is over: its first turn.

        :raises SandboxError: the sandbox failed, not the bot.
        :raises KeptFromCoreError: the machine gave it no core for most of the longest wait.
        """
        if not self._socket.parent.is_dir():
            raise SandboxError(f"cannot open the socket {self._socket} for a bot: its folder is missing")
        try:
            needs = await asyncio.to_thread(needs_of_archive, archive)
        except OSError as error:
            raise SandboxError(f"cannot read {archive} for a bot: {error.strerror}") from None
        kind = Gateway if needs.manifest.speaks_grpc else FrameGateway
        gateway = self._gateway = kind(
            f"{self.digest[:12]} lane {self.lane}", self._arrival, self._account, self
        )
        try:
            await gateway.listen(self._socket)
        except (RuntimeError, OSError) as error:
            raise SandboxError(f"cannot open the socket {self._socket} for a bot: {error}") from None
        self._limits = Limits.of(needs.weight)
        command = (*CLIENT_COMMAND, "--manifest", needs.manifest.told())
        spec = BotSpec(self.digest, archive, self._socket, self._limits, command, needs.parts)
        self._process = await launcher.launch(spec, frozen=True)
        ended = self._ended = asyncio.ensure_future(self._process.wait())
        hello = gateway.stream
        self.request()
        await self._await_hello(ended, hello)
        self.release()
        if hello.done():
            self.stream = gateway.hosted_stream
        elif ended.done() and ended.result().kind is ExitKind.LOST:
            raise SandboxError("the launcher process has ended")
        else:
            self._late = not ended.done()

    async def _await_hello(self, *either: asyncio.Future[Any]) -> None:
        """Wait for its end or its hello, up to `START_SECONDS` of time with a core.

        :raises KeptFromCoreError: the machine gave it no core for most of the longest wait.
        """
        begun = monotonic()
        ran = kept = 0.0
        while ran - kept < START_SECONDS and not any(event.done() for event in either):
            if ran > hard_end_seconds(START_SECONDS) and kept > ran / 2:
                raise KeptFromCoreError(self.digest)
            await asyncio.wait(either, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            ran, kept = self.run_seconds, self._waits.measure(begun, monotonic())

    @property
    def usable(self) -> bool:
        return self.stream is not None and not self.stream.closed

    async def why_lost(self) -> FaultKind | None:
        """Return the kind of the bot's fault; None if the platform ended it."""
        if self._process is None:
            return None
        if self.stream is not None and self.stream.violated_protocol:
            return FaultKind.MALFORMED
        if self._late:
            return FaultKind.TIMEOUT
        self.request()  # or a process that has closed its stream could not exit
        try:
            async with asyncio.timeout(REPORT_SECONDS):
                report = await self._process.wait()
        except TimeoutError:
            return FaultKind.DISCONNECTED
        finally:
            self.release()
        return _fault_of(report)

    @property
    def exit_report(self) -> ExitReport | None:
        """The report of its end; None while it lives."""
        return self._ended.result() if self._ended is not None and self._ended.done() else None

    @property
    def stderr(self) -> str:
        """Its output so far as text, standard output and standard error together."""
        return "" if self._process is None else self._process.stderr

    @property
    def printed(self) -> bytes:
        """Its output so far, both streams, as the bytes that it wrote."""
        return b"" if self._process is None else self._process.printed

    def printed_bytes(self) -> int:
        """Return the length of `printed`, with all that it has written until now."""
        return 0 if self._process is None else self._process.printed_bytes()

    def begin_match(self) -> int:
        """Return the position in `printed` at which a new match begins; the first begins with the process."""
        begin = self.printed_bytes() if self._has_played else 0
        self._has_played = True
        return begin

    async def flush_stderr(self) -> None:
        """Take everything that it has printed by now into `stderr`."""
        self.printed_bytes()

    @property
    def trouble(self) -> str:
        """A message to its owner about a failed start or end; empty if all went well."""
        if self._late:
            return (
                f"it did not say hello within {START_SECONDS} seconds, in which it is unpacked and imported"
            )
        report = self.exit_report
        if report is not None and report.limit is not None:
            return f"it was ended at the limit of {self._limits.in_words(report.limit)}"
        if report is not None and self.stream is None:
            return "it ended before it said hello"
        return ""

    def _sample(self, before: CpuSample) -> CpuSample:
        return before if self._process is None else self._process.sample(before)

    def _cpu_seconds(self) -> float:
        return 0.0 if self._process is None else self._process.cpu_seconds()

    async def end(self) -> None:
        """End the process and remove its socket; return when nothing is left."""
        if self._gateway is not None:
            await self._gateway.close()
        if self._process is not None:
            await self._process.kill()
        self._socket.unlink(missing_ok=True)


def _fault_of(report: ExitReport) -> FaultKind | None:
    match report.kind:
        case ExitKind.LIMIT:
            return FaultKind.RESOURCE_LIMIT
        case ExitKind.EXITED | ExitKind.SIGNALLED:
            return FaultKind.CRASHED
        case ExitKind.KILLED:
            return FaultKind.DISCONNECTED
    return None
