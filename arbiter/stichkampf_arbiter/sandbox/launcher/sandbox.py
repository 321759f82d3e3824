"""One sandbox as the launcher holds it: started, handed its bot, released, ended."""

from __future__ import annotations

import itertools
import os
import select
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from stichkampf_arbiter.sandbox import cpu
from stichkampf_arbiter.sandbox.cgroups.driver import CgroupDriver, ControlGroup
from stichkampf_arbiter.sandbox.cgroups.freezer import Freezer
from stichkampf_arbiter.sandbox.contract import ExitKind, ExitReport, SandboxError
from stichkampf_arbiter.sandbox.isolation.mount_tree import MountTree
from stichkampf_arbiter.sandbox.isolation.runtime import START_SECONDS, Runtime, SandboxSpec
from stichkampf_arbiter.sandbox.limits import Limits

OUTER_SECONDS = 0.5
READ_BYTES = 16 * 1024
SIGNAL_LIMITS = {signal.SIGXFSZ: "tmp", signal.SIGXCPU: "cores"}


@dataclass(frozen=True, slots=True)
class SandboxFactory:
    """The means to make sandboxes, one set for each launcher.

    :ivar groups: makes control groups; None where the machine gives none.
    :ivar numbers: the numbers of sandboxes to come.
    """

    runtime: Runtime
    mount_tree: MountTree
    groups: CgroupDriver | None
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))


class Sandbox:
    """A sandbox. It holds one bot once, and is destroyed."""

    def __init__(
        self,
        factory: SandboxFactory,
        *,
        uid: int,
        limits: Limits,
        command: Sequence[str],
        parts: Sequence[str] = (),
    ) -> None:
        """Build the sandbox; its pid 1 stands before the first instruction of `command`.

        :raises SandboxError: that failed, and nothing is left; the message says why.
        """
        self.number, self.uid, self.limits = next(factory.numbers), uid, limits
        self._factory = factory
        self.group: ControlGroup | None = None
        self.freezer: Freezer | None = None
        self._meter: cpu.CpuMeter | None = None
        self._limit: str | None = None
        self._killed = self._released = False
        self._cpu_before = self._cpu_at_kill = 0.0
        self.deadline = time.monotonic() + limits.wall_seconds
        self.folder = factory.mount_tree.new_bot_folder(uid, limits.archive_bytes)
        in_group = factory.groups is not None
        spec = SandboxSpec(self.number, uid, limits, in_group, self.folder, command, parts)
        try:
            started = factory.runtime.start(spec)
        except (SandboxError, OSError):
            factory.mount_tree.remove_bot_folder(self.folder)
            raise
        self._process, self.pid, self._go = started.process, started.pid, started.release
        assert self._process.stdout is not None
        self.output = self._process.stdout.fileno()
        os.set_blocking(self.output, False)
        self.pidfd = -1
        try:
            self.pidfd = os.pidfd_open(self.pid)
            if factory.groups is not None:
                group_limits = factory.runtime.group_limits(limits)
                self.group = factory.groups.make(f"bot-{self.number}", group_limits)
                self.group.add(self.pid)
                self.freezer = Freezer.open(self.group.freezer_file)
            self._meter = cpu.CpuMeter(self.pid, cpu.open_files(self.group.cpu_files if self.group else {}))
        except (SandboxError, OSError):
            self.discard()
            raise

    def show_parts(self, parts: Sequence[str]) -> None:
        """Show the parts that a bot needs, to a sandbox that waits.

        :raises SandboxError: a part does not exist, or this node lacks it.
        """
        self._factory.mount_tree.show_parts(self.folder, parts)

    def hand_over(self, archive_fd: int, digest: str, socket_path: Path, *, owner_uid: int) -> None:
        """Put bot and socket into the sandbox; from now on CPU time is the bot's."""
        mount_tree = self._factory.mount_tree
        mount_tree.put_archive(self.folder, archive_fd, digest, self.limits.archive_bytes)
        mount_tree.put_socket(self.folder, socket_path, owner_uid=owner_uid, uid=self.uid)
        self._cpu_before = self.cpu_seconds()
        self.deadline = time.monotonic() + self.limits.wall_seconds

    def cpu_seconds(self) -> float:
        """Return the CPU time that it has used since it was built."""
        return self._meter.read() if self._meter else 0.0

    @property
    def cpu_files(self) -> Mapping[str, int]:
        """The open files of its group that tell its CPU time; none without a group."""
        return self._meter.files if self._meter else {}

    @property
    def cpu_before(self) -> float:
        """CPU seconds that went into making the sandbox, which are not the bot's."""
        return self._cpu_before

    def release(self, *, wait_for_line: bool = False) -> None:
        """Let the first instruction run. A sandbox that has ended already is no error: `ended` says so.

        :param wait_for_line: keep its standard input open for `write_stdin`.
        """
        assert self._process.stdin is not None
        self._let_go()
        if not wait_for_line:
            self._process.stdin.close()

    def _let_go(self) -> None:
        if not self._released:
            self._released = True
            self._go()

    def write_stdin(self, line: bytes) -> None:
        """Write the only line to the standard input of the sandbox; one that has ended is no error."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(line)
            self._process.stdin.close()

    def reads_in_circles(self) -> bool:
        """Tell whether its memory is full of what cannot be evicted, and it reads its files again and again.

        The kernel ends processes only where it finds no page to evict, and those of files it always finds.
        """
        return self.group is not None and self.group.read_again_bytes() > self.limits.memory_bytes

    def freeze(self) -> None:
        """Stop every process in the sandbox, where it has a control group."""
        if self.freezer is not None:
            self.freezer.freeze()

    def read_output(self) -> bytes:
        """Return new output, which the arbiter reads of a sandbox that holds its bot; empty for none."""
        try:
            return os.read(self.output, READ_BYTES)
        except BlockingIOError:
            return b""

    def kill(self, limit: str | None = None) -> None:
        """End every process in the sandbox; `ended` becomes true soon."""
        if limit is None:
            self._killed = True
        elif self._limit is None:
            self._limit = limit
        # Read now: the kernel gives no account of processes that it ends with pid 1.
        self._cpu_at_kill = self.cpu_seconds()
        # pid 1 of the sandbox, never only the outer process: with pid 1 the kernel ends all that it started.
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        # Only then does the signal reach frozen processes.
        if self.freezer is not None:
            self.freezer.thaw()

    def ended(self) -> bool:
        """Tell whether the sandbox holds no process any more."""
        return bool(select.select([self.pidfd], [], [], 0)[0])

    def finish(self) -> ExitReport:
        """Return the report, after `ended`; removes the sandbox."""
        code, waited = self._reap()
        used = max(waited, self._cpu_at_kill)
        memory_kills = refused = 0
        if self.group is not None:
            used = self.cpu_seconds()
            memory_kills, refused = self.group.memory_kills(), self.group.refused_processes()
        report = self._judge(code, max(0.0, used - self._cpu_before), memory_kills, refused)
        self.discard()
        return report

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
        return self._process.returncode, used + self._reap_init()

    def _reap_init(self) -> float:
        """Reap the sandbox's pid 1, which bubblewrap leaves to the launcher; return its CPU seconds."""
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
        """End the sandbox, if it has not ended, and remove all its files and groups."""
        if self._process.returncode is None:
            if self.pidfd >= 0:
                self.kill()
                select.select([self.pidfd], [], [], START_SECONDS)
            self._process.kill()
            self._process.wait()
            self._reap_init()
            self._let_go()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        if self.pidfd >= 0:
            os.close(self.pidfd)
        if self._meter is not None:
            self._meter.close()
        if self.freezer is not None:
            self.freezer.close()
        if self.group is not None:
            self.group.remove()
        self._factory.runtime.clear(self.number)
        self._factory.mount_tree.remove_bot_folder(self.folder)
