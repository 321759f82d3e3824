"""What builds a sandbox: bubblewrap, or gVisor."""

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
WORDS_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """A sandbox to build."""

    number: int
    uid: int
    limits: Limits
    in_group: bool
    """Whether a control group will hold it."""
    folder: Path
    """What the bot sees as ``/bot``."""
    command: Sequence[str]
    parts: Sequence[str] = ()
    """What it sees of the runtime beside Python."""


@dataclass(frozen=True, slots=True)
class StartedSandbox:
    """A sandbox that was built and waits before the bot's first instruction."""

    process: subprocess.Popen[bytes]
    """The outer process; its standard input and output are the bot's."""
    pid: int
    """The first process of the sandbox, seen from outside: with it everything in the sandbox ends."""
    release: Callable[[], None]
    """Lets it go on, if it has not ended; call it once, also when it has."""


class Runtime(Protocol):
    """A way to build sandboxes."""

    @property
    def level(self) -> SandboxLevel:
        """The best level that it can reach."""
        ...

    @property
    def keeps_warm(self) -> bool:
        """Whether what is mounted after the start comes into a bot's sight."""
        ...

    @property
    def has_own_kernel(self) -> bool:
        """Whether system calls are answered by something else than the machine's kernel."""
        ...

    def start(self, spec: SandboxSpec) -> StartedSandbox:
        """Build a sandbox.

        :raises SandboxError: that failed; no process is left, and the message says why.
        """
        ...

    def group_limits(self, limits: Limits) -> Limits:
        """What the control group must allow for a bot with these limits."""
        ...

    def clear(self, number: int) -> None:
        """Remove what was made for a sandbox that has ended."""
        ...


def last_words(process: subprocess.Popen[bytes]) -> str:
    """What a process that failed has said."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], WORDS_SECONDS)
    return os.read(process.stdout.fileno(), 16 * 1024).decode(errors="replace").strip() if ready else ""


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that failed to build a sandbox."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
