"""One sandbox as the launcher holds it: started, handed its bot, released, ended."""

from __future__ import annotations

import itertools
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stichkampf_arbiter.sandbox import bubblewrap, cpu, rlimits, syscalls
from stichkampf_arbiter.sandbox.cgroups import Driver, Group
from stichkampf_arbiter.sandbox.contract import ExitKind, ExitReport, SandboxError
from stichkampf_arbiter.sandbox.library import Library
from stichkampf_arbiter.sandbox.limits import FLOOD_FACTOR, Limits
from stichkampf_arbiter.sandbox.stage import Stage

START_SECONDS = 10.0
OUTER_SECONDS = 0.5
READ_BYTES = 16 * 1024
LAST_BYTES = 16 * 1024
SIGNAL_LIMITS = {signal.SIGXFSZ: "tmp", signal.SIGXCPU: "cores"}


@dataclass(frozen=True, slots=True)
class Workshop:
    """What every sandbox of a launcher is made with."""

    bwrap: Path
    library: Library
    stage: Stage
    groups: Driver | None
    with_proc: bool = True
    """False inside a container that forbids a /proc of one's own."""
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """Every sandbox has a number of its own."""


class Box:
    """A sandbox. It holds one bot once, and is destroyed."""

    def __init__(self, workshop: Workshop, *, uid: int, limits: Limits, command: Sequence[str]) -> None:
        """Build the sandbox; its pid 1 stands before the first instruction of ``command``.

        :raises SandboxError: bubblewrap failed; the message holds what it said.
        """
        self.number, self.uid, self.limits = next(workshop.numbers), uid, limits
        self._workshop = workshop
        self.folder = workshop.stage.new_box(self.number, uid)
        self.group: Group | None = None
        self._printed = 0
        self._tail = b""
        self._limit: str | None = None
        self._killed = False
        self._cpu_before = self._cpu_at_kill = 0.0
        self.deadline = time.monotonic() + limits.wall_seconds
        self._process, info, self._block = self._start(command)
        assert self._process.stdout is not None
        self.output = self._process.stdout.fileno()
        os.set_blocking(self.output, False)
        try:
            self.pid = self._await_pid(info)
            self.pidfd = os.pidfd_open(self.pid)
            if workshop.groups is not None:
                self.group = workshop.groups.make(f"bot-{self.number}", limits)
                self.group.add(self.pid)
            self._meter = cpu.Meter(self.pid, self.group.cpu_file if self.group else None)
        except (SandboxError, OSError):
            self.discard()
            raise

    def _start(self, command: Sequence[str]) -> tuple[subprocess.Popen[bytes], int, int]:
        info_read, info_write = os.pipe2(os.O_CLOEXEC)
        block_read, block_write = os.pipe2(os.O_CLOEXEC)
        fds = bubblewrap.Descriptors(syscalls.write_program(), info_write, block_read)
        texts = bubblewrap.arguments(
            library=self._workshop.library,
            shown=self._workshop.stage.shown,
            box=self.folder,
            limits=self.limits,
            fds=fds,
            with_proc=self._workshop.with_proc,
        )
        args = bubblewrap.write_arguments(texts)
        inherited = (args, fds.seccomp, fds.info, fds.block)
        try:
            process = subprocess.Popen(
                [*self._bwrap(), "--args", str(args), "--", *command],
                env={},
                cwd="/",
                user=self.uid,
                group=self.uid,
                extra_groups=[],
                pass_fds=inherited,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        finally:
            for fd in inherited:
                os.close(fd)
        return process, info_read, block_write

    def _bwrap(self) -> list[str]:
        """bubblewrap, started with limits that it passes on to the bot."""
        options = rlimits.options(self.limits, in_group=self._workshop.groups is not None)
        return ["/usr/bin/prlimit", *options, "--", str(self._workshop.bwrap)]

    def _await_pid(self, info: int) -> int:
        text = b""
        end = time.monotonic() + START_SECONDS
        with open(info, "rb", buffering=0) as said:
            while not text.rstrip().endswith(b"}"):
                ready, _, _ = select.select([said], [], [], max(0.0, end - time.monotonic()))
                part = said.read(4096) if ready else b""
                if not part:
                    raise SandboxError(f"bubblewrap did not start: {self._last_words() or 'no word in 10 s'}")
                text += part
        return int(json.loads(text)["child-pid"])

    def _last_words(self) -> str:
        ready, _, _ = select.select([self.output], [], [], OUTER_SECONDS)
        return os.read(self.output, READ_BYTES).decode(errors="replace").strip() if ready else ""

    def hand_over(self, archive_fd: int, digest: str, socket_path: Path, *, owner_uid: int) -> None:
        """Put bot and socket into the sandbox; from now on CPU time is the bot's."""
        stage = self._workshop.stage
        stage.put_archive(self.folder, archive_fd, digest)
        stage.put_socket(self.folder, socket_path, owner_uid=owner_uid, uid=self.uid)
        self._cpu_before = self._meter.read()
        self.deadline = time.monotonic() + self.limits.wall_seconds

    @property
    def cpu_before(self) -> float:
        """CPU seconds that went into making the sandbox, which are not the bot's."""
        return self._cpu_before

    def release(self, *, wait_for_line: bool = False) -> None:
        """Let the first instruction run; with ``wait_for_line`` its standard input stays open for
        ``tell``."""
        assert self._process.stdin is not None
        if not wait_for_line:
            self._process.stdin.close()
        os.write(self._block, b"x")
        os.close(self._block)
        self._block = -1

    def tell(self, line: bytes) -> None:
        """Write one line, the last, to the standard input of the sandbox."""
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.close()

    def read_output(self) -> bytes | None:
        """What was printed since and is kept; empty: nothing to keep; None: the bot's output has ended."""
        try:
            part = os.read(self.output, READ_BYTES)
        except BlockingIOError:
            return b""
        if not part:
            return None
        kept = part[: max(0, self.limits.output_bytes - self._printed)]
        self._printed += len(part)
        self._tail = (self._tail + part[len(kept) :])[-LAST_BYTES:]
        if self._printed > self.limits.output_bytes * FLOOD_FACTOR:
            self.kill(limit="output")
        return kept

    def kill(self, limit: str | None = None) -> None:
        """End every process in the sandbox; ``ended`` becomes true soon."""
        if limit is None:
            self._killed = True
        elif self._limit is None:
            self._limit = limit
        # Read now: of processes that the kernel ends with pid 1, nobody gets the account.
        self._cpu_at_kill = self._meter.read()
        # pid 1 of the sandbox, never only the outer process: with pid 1 the kernel ends all that it started.
        try:
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        except ProcessLookupError:
            return

    def ended(self) -> bool:
        """Whether the sandbox holds no process any more."""
        return bool(select.select([self.pidfd], [], [], 0)[0])

    def finish(self) -> tuple[bytes, ExitReport]:
        """After ``ended``: the rest of the output, and the report. Leaves nothing of the sandbox."""
        rest = b""
        while part := self.read_output():
            rest += part
        if self._tail:
            rest += b"\n[...]\n" + self._tail
        code, waited = self._reap()
        used = max(waited, self._cpu_at_kill)
        memory_kills = refused = 0
        if self.group is not None:
            used = self._meter.read()
            memory_kills, refused = self.group.memory_kills(), self.group.refused_processes()
        report = self._judge(code, max(0.0, used - self._cpu_before), memory_kills, refused)
        self.discard()
        return rest, report

    def _reap(self) -> tuple[int, float]:
        outer = os.pidfd_open(self._process.pid)
        try:
            if not select.select([outer], [], [], OUTER_SECONDS)[0]:
                self._process.kill()
            _, status, usage = os.wait4(self._process.pid, 0)
        finally:
            os.close(outer)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        used = usage.ru_utime + usage.ru_stime
        return self._process.returncode, used + self._bury()

    def _bury(self) -> float:
        """Reap the sandbox's pid 1, which bubblewrap leaves to the launcher; gives its CPU seconds."""
        try:
            _, _, usage = os.wait4(self.pid, 0)
        except ChildProcessError:
            return 0.0
        return usage.ru_utime + usage.ru_stime

    def _judge(self, code: int, used: float, memory_kills: int, refused: int) -> ExitReport:
        signal_number = -code if code < 0 else code - 128 if 128 < code < 128 + signal.NSIG else None
        if self._limit is not None:
            return ExitReport(ExitKind.LIMIT, cpu_seconds=used, limit=self._limit)
        if self._killed:
            return ExitReport(ExitKind.KILLED, cpu_seconds=used)
        if memory_kills and code != 0:
            return ExitReport(ExitKind.LIMIT, signal=signal_number, cpu_seconds=used, limit="memory")
        if signal_number in SIGNAL_LIMITS:
            limit = SIGNAL_LIMITS[signal.Signals(signal_number)]
            return ExitReport(ExitKind.LIMIT, signal=signal_number, cpu_seconds=used, limit=limit)
        if refused and code != 0:
            return ExitReport(ExitKind.LIMIT, code=code, cpu_seconds=used, limit="processes")
        if signal_number is not None:
            return ExitReport(ExitKind.SIGNALLED, signal=signal_number, cpu_seconds=used)
        return ExitReport(ExitKind.EXITED, code=code, cpu_seconds=used)

    def discard(self) -> None:
        """Close and remove all that belongs to the sandbox; it may be half made."""
        if self._process.returncode is None:
            if hasattr(self, "pidfd"):
                self.kill()
                select.select([self.pidfd], [], [], START_SECONDS)
            self._process.kill()
            self._process.wait()
            if hasattr(self, "pidfd"):
                self._bury()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and not stream.closed:
                stream.close()
        if self._block >= 0:
            os.close(self._block)
            self._block = -1
        if hasattr(self, "pidfd"):
            os.close(self.pidfd)
        if hasattr(self, "_meter"):
            self._meter.close()
        if self.group is not None:
            self.group.remove()
        self._workshop.stage.clear_box(self.folder)
