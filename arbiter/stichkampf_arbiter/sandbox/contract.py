"""The words that the arbiter and the launcher share: a bot to start, how it ended, how safe this machine
is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

from stichkampf.errors import StichkampfError

from stichkampf_arbiter.sandbox.limits import Limits

PYTHON = "/opt/stichkampf/bin/python"
"""The interpreter as a bot sees it."""
ARCHIVE = "/bot/archive"
"""The submitted archive as a bot sees it, read-only."""
SOCKET = "/bot/arbiter.sock"
"""The one socket that leads out of a sandbox."""
CLIENT_COMMAND = (PYTHON, "-I", "-m", "stichkampf.client", "--archive", ARCHIVE, "--socket", SOCKET)


class SandboxError(StichkampfError):
    """A sandbox could not do what was asked of it."""


class SandboxRefused(SandboxError):
    """This machine offers no sandbox that may hold a stranger's code."""


class SandboxLevel(StrEnum):
    """What stands between a stranger's bot and this machine; found by trying, recorded with every match."""

    GVISOR = "gvisor"
    HOSTED = "hosted"
    DEVELOPMENT = "development"
    """No control group: memory and CPU of a bot are not held. For one's own bots only."""
    REFUSED = "refused"


class ExitKind(StrEnum):
    """Why a sandboxed process is no more."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    LIMIT = "limit"
    KILLED = "killed"
    """The arbiter ended it."""
    LOST = "lost"
    """The launcher went away; nobody's fault but the platform's."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot to start.

    ``digest`` is the SHA-256 of the archive in hexadecimal; the launcher refuses an archive that has another.
    ``socket_path`` is the Unix socket on which the arbiter awaits this one process: the launcher gives the
    socket to the process's own uid, mode 0600, and shows it at ``SOCKET``.
    """

    digest: str
    archive_path: Path
    socket_path: Path
    limits: Limits = field(default_factory=Limits)
    command: tuple[str, ...] = CLIENT_COMMAND
    parts: tuple[str, ...] = ()
    """What it sees of the runtime beside Python (`stichkampf.packaging.parts`)."""


@dataclass(frozen=True, slots=True)
class ExitReport:
    """How a sandboxed process ended.

    A program that ends itself with a status above 128 looks like one that a signal ended; bubblewrap, like a
    shell, makes no difference.
    """

    kind: ExitKind
    code: int | None = None
    """Exit status, for ``exited`` only."""
    signal: int | None = None
    stderr: str = ""
    """What the bot printed, both streams in order; of a long text the beginning and the last lines."""
    cpu_seconds: float = 0.0
    """CPU used by all its processes since the bot was handed over."""
    limit: str | None = None
    """Name of the limit that ended it: a field of ``Limits`` without its unit, such as ``memory``."""

    def as_json(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, object]) -> ExitReport:
        return cls(**{**fields, "kind": ExitKind(fields["kind"])})  # type: ignore[arg-type]
