"""The process of a hosted bot: a sandbox, the socket that leads into it, and what its end means."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from stichkampf.limits import START_SECONDS

from stichkampf_arbiter.accounts import CpuAccount, hard_end_seconds
from stichkampf_arbiter.gateway import Gateway
from stichkampf_arbiter.match import FaultKind
from stichkampf_arbiter.sandbox import BotSpec, ExitKind, ExitReport, Launcher, SandboxedBot, SandboxError
from stichkampf_arbiter.sandbox.limits import WORDS
from stichkampf_arbiter.sandbox.waiting import Look, Waits
from stichkampf_arbiter.stream import BotStream

LOOK_SECONDS = 0.25
REPORT_SECONDS = 2.0
LAST_WORDS_SECONDS = 2.0


class KeptFromCoreError(SandboxError):
    """The machine is too busy: a bot that was started was given no core to run on.

    :ivar digest: of its archive.
    """

    def __init__(self, digest: str) -> None:
        super().__init__(
            f"a bot was kept from a core for most of the time that it has for its start ({digest[:12]})"
        )
        self.digest = digest


class HostedBot:
    """One sandboxed process.

    :ivar digest: of its archive.
    :ivar stream: None if it ended before it said hello.
    :ivar users: matches that need it.
    """

    def __init__(self, digest: str, lane: str, socket: Path, arrival: Callable[[], float]) -> None:
        self.digest = digest
        self.lane = lane
        self.stream: BotStream | None = None
        self.users = 0
        self.ending = False
        self.started: asyncio.Future[None] | None = None
        self._socket = socket
        self._waits = Waits(self._look)
        self._gateway = Gateway(
            f"{digest[:12]} lane {lane}", arrival, CpuAccount(self._cpu_seconds, self._waits)
        )
        self._process: SandboxedBot | None = None
        self._ended: asyncio.Future[ExitReport] | None = None
        self._late = False
        self._has_played = False

    async def start(self, launcher: Launcher, archive: Path) -> None:
        """Start it and wait for its hello, its end, or too long.

        :raises SandboxError: the sandbox failed, not the bot.
        :raises KeptFromCoreError: the machine gave it no core for most of the longest time.
        """
        try:
            await self._gateway.listen(self._socket)
        except (RuntimeError, OSError) as error:
            raise SandboxError(f"cannot open the socket {self._socket} for a bot: {error}") from None
        self._process = await launcher.launch(BotSpec(self.digest, archive, self._socket))
        ended = self._ended = asyncio.ensure_future(self._process.wait())
        hello = self._gateway.stream
        await self._await_hello(ended, hello)
        if hello.done():
            self.stream = hello.result()
        elif ended.done() and ended.result().kind is ExitKind.LOST:
            raise SandboxError("the launcher process has ended")
        else:
            self._late = not ended.done()

    async def _await_hello(self, *either: asyncio.Future[Any]) -> None:
        """Wait for its end or its hello, as long as it may take.

        :raises KeptFromCoreError: the machine gave it no core for most of the longest time.
        """
        begun = now = monotonic()
        kept = 0.0
        while now - begun - kept < START_SECONDS and not any(event.done() for event in either):
            if now - begun > hard_end_seconds(START_SECONDS) and kept > (now - begun) / 2:
                raise KeptFromCoreError(self.digest)
            await asyncio.wait(either, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            now = monotonic()
            kept = self._waits.measure(begun, now)

    @property
    def usable(self) -> bool:
        return self.stream is not None and not self.stream.closed

    async def why_lost(self) -> FaultKind | None:
        """Of which kind the bot's fault is; None where the platform ended it."""
        if self._process is None:
            return None
        if self.stream is not None and self.stream.broke_rules:
            return FaultKind.MALFORMED
        if self._late:
            return FaultKind.TIMEOUT
        try:
            async with asyncio.timeout(REPORT_SECONDS):
                report = await self._process.wait()
        except TimeoutError:
            return FaultKind.DISCONNECTED
        return _fault_of(report)

    @property
    def exit_report(self) -> ExitReport | None:
        """How it ended; while it lives, None."""
        return self._ended.result() if self._ended is not None and self._ended.done() else None

    @property
    def stderr(self) -> str:
        """What it has printed so far."""
        return "" if self._process is None else self._process.stderr

    def begin_match(self) -> int:
        """Where in `stderr` the match begins that starts now; the first begins with the process."""
        begin = len(self.stderr) if self._has_played else 0
        self._has_played = True
        return begin

    async def hear_out(self) -> None:
        """Returns when all that it has printed by now stands in `stderr`, or soon."""
        if self._process is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORDS_SECONDS):
                    await self._process.hear_out()

    @property
    def trouble(self) -> str:
        """What its owner should know of its start and end, in words; empty where all went well."""
        if self._late:
            return (
                f"it did not say hello within {START_SECONDS} seconds, in which it is unpacked and imported"
            )
        report = self.exit_report
        if report is not None and report.limit is not None:
            return f"it was ended at the limit of {WORDS[report.limit]}"
        if report is not None and self.stream is None:
            return "it ended before it said hello"
        return ""

    def _look(self, before: Look) -> Look:
        return before if self._process is None else self._process.look(before)

    def _cpu_seconds(self) -> float:
        return 0.0 if self._process is None else self._process.cpu_seconds()

    async def end(self) -> None:
        """End the process and its socket; returns when nothing is left."""
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
