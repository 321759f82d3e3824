"""Ways to build a sandbox: bubblewrap or gVisor."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from stichkampf_arbiter.sandbox.contract import SandboxLevel
from stichkampf_arbiter.sandbox.limits import Limits

START_SECONDS = 10.0
LAST_OUTPUT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """A sandbox to build.

    :ivar in_group: True if a control group will hold it.
    :ivar folder: the folder that the bot sees as `/bot`.
    :ivar parts: the parts of the runtime that it sees beside Python.
    """

    number: int
    uid: int
    limits: Limits
    in_group: bool
    folder: Path
    command: Sequence[str]
    parts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class StartedSandbox:
    """A sandbox that was built and waits before the bot's first instruction.

    :ivar process: the outer process; its standard input and output are the bot's.
    :ivar pid: the first process of the sandbox, seen from outside: with it everything in the sandbox ends.
    :ivar release: lets it go on, if it has not ended; call it once, also when it has.
    """

    process: subprocess.Popen[bytes]
    pid: int
    release: Callable[[], None]


class Runtime(Protocol):
    """A way to build sandboxes."""

    @property
    def level(self) -> SandboxLevel:
        """The best level that it can reach."""
        ...

    @property
    def sees_later_mounts(self) -> bool:
        """True if a bot sees mounts that are made after its sandbox has started."""
        ...

    @property
    def has_own_kernel(self) -> bool:
        """True if another kernel than the machine's answers system calls."""
        ...

    @property
    def vital(self) -> int | None:
        """A descriptor that is readable once a process has ended without which no sandbox goes on."""
        ...

    def start(self, spec: SandboxSpec) -> StartedSandbox:
        """Build a sandbox.

        :raises SandboxError: that failed; no process is left, and the message says why.
        """
        ...

    def group_limits(self, limits: Limits) -> Limits:
        """Return the limits of the control group for a bot with these limits."""
        ...

    def clear(self, number: int) -> None:
        """Remove the files of a sandbox that has ended."""
        ...


def last_output(process: subprocess.Popen[bytes]) -> str:
    """Return the output of a process that failed."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], LAST_OUTPUT_SECONDS)
    return os.read(process.stdout.fileno(), 16 * 1024).decode(errors="replace").strip() if ready else ""


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that failed to build a sandbox."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
