"""The arbiter's side of the launcher."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from stichkampf.timing.core_waits import CpuSample

from stichkampf_arbiter.sandbox import cpu
from stichkampf_arbiter.sandbox.cache_lines import CommonLines
from stichkampf_arbiter.sandbox.cgroups.driver import empty_own_group
from stichkampf_arbiter.sandbox.cgroups.freezer import Freezer
from stichkampf_arbiter.sandbox.contract import (
    MESSAGE_BYTES,
    BotSpec,
    ExitKind,
    ExitReport,
    SandboxError,
    SandboxLevel,
)
from stichkampf_arbiter.sandbox.cpu import take_sample
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.output import PrintedOutput
from stichkampf_arbiter.sandbox.preconditions import missing_for_ordinary_user, why_it_ended
from stichkampf_arbiter.sandbox.settings import SandboxSettings
from stichkampf_arbiter.sandbox.uids import uids_inside

PROGRAM = ("-I", "-m", "stichkampf_arbiter.sandbox.launcher")
GUARDIAN = ("-I", "-m", "stichkampf_arbiter.sandbox.launcher.guardian")
ANSWER_FDS = 9
"""Room for the descriptors that come with an answer; more than any answer has."""
START_SECONDS = 300.0
"""Time to copy the runtime and try the sandbox: a second on most machines, minutes on an emulated one."""
RETRY_SECONDS = 0.02
ANSWER_SECONDS = 30.0
T = TypeVar("T")

logger = logging.getLogger(__name__)


class SandboxedBot:
    """A bot process that was started.

    :ivar uid: its uid as the launcher sees it; inside the sandbox every bot is uid 1000.
    :ivar pid: the sandbox's first process, seen from outside.
    """

    def __init__(
        self,
        launcher: Launcher,
        answer: dict[str, Any],
        pidfd: int,
        output: PrintedOutput,
        files: dict[str, int],
        freezer: Freezer | None,
    ) -> None:
        self.uid: int = answer["uid"]
        self.pid = _pid_of(pidfd)
        self._launcher = launcher
        self._number: int = answer["sandbox"]
        self._before: float = answer["before"]
        self._meter = cpu.CpuMeter(self.pid, files)
        self._freezer = freezer
        self._output = output
        self._has_flooded = False
        self._report: asyncio.Future[ExitReport] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().add_reader(output.pipe, self._on_output)

    @property
    def stderr(self) -> str:
        """The bot's output so far, both streams."""
        return self.printed.decode(errors="replace")

    @property
    def printed(self) -> bytes:
        """The bytes of `stderr`."""
        return bytes(self._output.kept)

    def printed_bytes(self) -> int:
        """Return the length of `printed`, with all that the bot has printed until now."""
        if not self._report.done():
            self._output.read()
        return len(self._output.kept)

    @property
    def ended(self) -> bool:
        return self._report.done()

    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes of the bot since its start; after its end the final
        figure."""
        if self._report.done():
            return self._report.result().cpu_seconds
        return max(0.0, self._meter.read() - self._before)

    def sample(self, before: CpuSample) -> CpuSample:
        """Sample its use of a core, to measure for how long it was kept from one; after its end `before`."""
        return before if self._report.done() else take_sample(self._meter, before)

    def freeze(self) -> None:
        """Stop every process of the bot, where the level can."""
        if self._freezer is not None:
            self._freezer.freeze()

    def thaw(self) -> None:
        """Let every process of the bot go on, which finds no common line in the caches that others read."""
        if self._freezer is not None:
            self._launcher.common_lines.put_out()
            self._freezer.thaw()

    async def kill(self) -> ExitReport:
        """End every process of the bot, and return when none is left. Killing twice is no error."""
        if not self._report.done():
            # From here on only the launcher thaws it: nothing may freeze a bot that is to end.
            self._close_freezer()
            self._launcher._send({"do": "kill", "sandbox": self._number, "limit": None})
        return await self._launcher._answer_of(self._report)

    async def wait(self) -> ExitReport:
        """Wait for its end, and return the report; any number of waiters may be cancelled."""
        return await asyncio.shield(self._report)

    def _on_output(self) -> None:
        if not self._output.read():
            asyncio.get_running_loop().remove_reader(self._output.pipe)
        if self._output.is_flood and not self._has_flooded:
            self._has_flooded = True
            self._launcher._send({"do": "kill", "sandbox": self._number, "limit": "output"})

    def _close_freezer(self) -> None:
        if self._freezer is not None:
            self._freezer.close()
            self._freezer = None

    def _end(self, fields: dict[str, Any]) -> None:
        self._meter.close()
        self.thaw()  # where the launcher died: its frozen processes end only thawed
        self._close_freezer()
        asyncio.get_running_loop().remove_reader(self._output.pipe)
        self._output.close()
        if not self._report.done():
            self._report.set_result(ExitReport.from_json({**fields, "stderr": self.stderr}))


class Launcher:
    """The launcher process. Start it before gRPC is imported, and before root is given up.

    :ivar level: how well this machine contains bots.
    :ivar reason: why it is no better.
    :ivar missing_parts: the parts of the runtime that this node lacks.
    :ivar common_lines: lines of caches that its sandboxes have in common.
    :ivar trouble: why it cannot make sandboxes, or none that wait; empty where it can.
    :ivar gone: done when the launcher process has ended, on request or not.
    """

    def __init__(
        self,
        control: socket.socket,
        guardian: socket.socket,
        process: asyncio.subprocess.Process | None,
        level: SandboxLevel,
        reason: str,
        missing_parts: Sequence[str] = (),
    ):
        self.level, self.reason, self.missing_parts = level, reason, tuple(missing_parts)
        self._control, self._guardian, self._process = control, guardian, process
        self.trouble = ""
        self.common_lines = CommonLines()
        self._asked = 0
        self._answers: dict[int, tuple[asyncio.Future[SandboxedBot], Limits]] = {}
        self._bots: dict[int, SandboxedBot] = {}
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if process is None or level is SandboxLevel.REFUSED:
            self._on_end()
        else:
            asyncio.get_running_loop().add_reader(control, self._on_readable)

    @classmethod
    async def start(
        cls, settings: SandboxSettings | None = None, *, program: Sequence[str] = PROGRAM
    ) -> Launcher:
        """Start the launcher process, which tries the sandbox on this machine; takes about a second.

        A machine without a sandbox is no error: the level is then `REFUSED` and the reason says what is
        missing.

        :param program: arguments of this interpreter that make a launcher.
        """
        settings = settings or SandboxSettings()
        request = {**asdict(settings), "cgroup": settings.cgroup and str(settings.cgroup)}
        request["runsc"] = settings.runsc and str(settings.runsc)
        request["owner_uid"] = os.getuid() if settings.owner_uid is None else settings.owner_uid
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        guardian, guardian_end = socket.socketpair()
        # A process namespace: whatever the launcher dies of, the kernel ends all that it started.
        namespaces = ["--pid", "--fork", "--kill-child=KILL", "--mount-proc"]
        if os.getuid() != 0:
            missing = missing_for_ordinary_user()
            if missing:
                theirs.close()
                guardian_end.close()
                return cls(ours, guardian, None, SandboxLevel.REFUSED, missing)
            namespaces += ["--user", "--map-root-user", "--map-auto"]
            inside = uids_inside(settings.first_uid, settings.uids)
            request |= {"owner_uid": 0, "first_uid": inside.start, "uids": len(inside)}
        empty_own_group()
        with theirs, guardian_end:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *GUARDIAN,
                "--fd",
                str(guardian_end.fileno()),
                "--",
                "/usr/bin/unshare",
                *namespaces,
                "--",
                sys.executable,
                *program,
                "--socket-fd",
                str(theirs.fileno()),
                pass_fds=[theirs.fileno(), guardian_end.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"},
                cwd="/",
                start_new_session=True,
            )
        ours.setblocking(False)
        try:
            ours.send(json.dumps(request).encode())
            async with asyncio.timeout(START_SECONDS):
                answer = await asyncio.get_running_loop().sock_recv(ours, MESSAGE_BYTES)
        except TimeoutError:
            guardian.send(b"x")
            answer = b""
        except (BrokenPipeError, ConnectionResetError):
            answer = b""
        if not answer:
            await process.wait()
            return cls(ours, guardian, None, SandboxLevel.REFUSED, await why_it_ended(namespaces))
        found = json.loads(answer)
        level = SandboxLevel(found["level"])
        return cls(ours, guardian, process, level, found["reason"], found["missing"])

    async def launch(self, spec: BotSpec, *, frozen: bool = False) -> SandboxedBot:
        """Start a bot.

        :param frozen: hold its first instruction until it is thawed, where the level can freeze.
        :raises SandboxError: the level is `REFUSED`.
        :raises SandboxError: this bot could not be started; no process of it is left.
        """
        if self.level is SandboxLevel.REFUSED:
            raise SandboxError(f"no stranger's bot runs on this machine: {self.reason}")
        if self.gone.done():
            raise SandboxError("the launcher process has ended; start the arbiter again")
        self._asked += 1
        request = {
            "do": "launch",
            "ask": self._asked,
            "digest": spec.digest,
            "socket": str(spec.socket_path.absolute()),
            "limits": asdict(spec.limits),
            "command": list(spec.command),
            "frozen": frozen,
            "parts": list(spec.parts),
        }
        answer: asyncio.Future[SandboxedBot] = asyncio.get_running_loop().create_future()
        self._answers[self._asked] = answer, spec.limits
        try:
            archive = os.open(spec.archive_path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            del self._answers[self._asked]
            raise SandboxError(f"cannot open {spec.archive_path} for a bot: {error.strerror}") from None
        try:
            self._send(request, [archive])
        except SandboxError:
            del self._answers[self._asked]
            raise
        finally:
            os.close(archive)
        return await self._answer_of(answer)

    async def _answer_of(self, awaited: asyncio.Future[T]) -> T:
        """Wait for an answer; a launcher that has stopped answering is ended, and every sandbox with it."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await asyncio.shield(awaited)
        except TimeoutError:
            with suppress(BrokenPipeError):
                self._guardian.send(b"x")
            return await awaited

    def _send(self, request: dict[str, Any], fds: Sequence[int] = ()) -> None:
        if self.gone.done():
            return
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], fds)
        except BlockingIOError:
            if fds:
                raise SandboxError("the launcher does not keep up with its requests; try again") from None
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._send, request)
        except (BrokenPipeError, ConnectionResetError):
            self._on_end()

    def _on_readable(self) -> None:
        try:
            text, fds, _, _ = socket.recv_fds(self._control, MESSAGE_BYTES, ANSWER_FDS)
        except BlockingIOError:
            return
        except ConnectionResetError:
            text, fds = b"", []
        if not text:
            self._on_end()
            return
        message = json.loads(text)
        if "answer" in message:
            self._accept_answer(*self._answers.pop(message["answer"]), message, fds)
            return
        if message["event"] == "trouble":
            self._note_trouble(message["text"])
            return
        # The launcher sends events of a bot that could not be taken over, until it is ended.
        bot = self._bots.get(message["sandbox"])
        if bot is None:
            return
        match message["event"]:
            case "ended":
                del self._bots[message["sandbox"]]
                bot._end(message["report"])

    def _note_trouble(self, trouble: str) -> None:
        self.trouble = trouble
        if trouble:
            logger.error("sandboxes cannot be made as they should: %s", trouble)
        else:
            logger.warning("sandboxes can be made again")

    def _accept_answer(
        self, answer: asyncio.Future[SandboxedBot], limits: Limits, message: dict[str, Any], fds: list[int]
    ) -> None:
        error = message.get("error", "")
        if not error and len(fds) != 2 + len(message["cpu"]) + len(message["freezer"]):
            error = "the arbiter has too many open files to take a bot over"
        if error:
            for fd in fds:
                os.close(fd)
        else:
            pidfd, pipe, *others = fds
            files = dict(zip(message["cpu"], others, strict=False))
            freezer = Freezer(message["freezer"][0], others[-1]) if message["freezer"] else None
            bot = SandboxedBot(self, message, pidfd, PrintedOutput(pipe, limits), files, freezer)
            os.close(pidfd)
            self._bots[message["sandbox"]] = bot
            if not answer.cancelled():
                answer.set_result(bot)
                return
        if "sandbox" in message:
            self._send({"do": "kill", "sandbox": message["sandbox"], "limit": None})
        if not answer.cancelled():
            answer.set_exception(SandboxError(error))

    def _on_end(self) -> None:
        """Report every bot as lost: the launcher has ended, and with it every sandbox."""
        if self.gone.done():
            return
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        self.gone.set_result(None)
        for answer, _ in self._answers.values():
            if not answer.done():
                answer.set_exception(SandboxError("the launcher process has ended"))
        self._answers.clear()
        for bot in list(self._bots.values()):
            bot._end({"kind": ExitKind.LOST})
        self._bots.clear()

    async def close(self) -> None:
        """End every bot and the launcher, and return when no process is left."""
        if not self.gone.done():
            self._control.shutdown(socket.SHUT_WR)
            await self._answer_of(self.gone)
        if self._process is not None:
            await self._process.wait()
        self._guardian.close()


def _pid_of(pidfd: int) -> int:
    """Return the number of a process here; 0 if it has ended."""
    lines = Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines()
    number = next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))
    return max(number, 0)
