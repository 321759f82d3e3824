"""Types that the arbiter and the launcher share: a bot to start, its end, the safety of this machine."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

from stichkampf.errors import StichkampfError

from stichkampf_arbiter.sandbox.limits import Limits

PYTHON = "/opt/stichkampf/bin/python"
"""Path of the interpreter in a sandbox."""
ARCHIVE = "/bot/archive"
"""Path of the submitted archive in a sandbox, read-only."""
SOCKET = "/bot/arbiter.sock"
"""Path of the socket to the arbiter in a sandbox; no other leads out."""
CLIENT_COMMAND = (PYTHON, "-I", "-m", "stichkampf.client", "--archive", ARCHIVE, "--socket", SOCKET)


MESSAGE_BYTES = 256 * 1024
"""The longest message between arbiter and launcher."""


class SandboxError(StichkampfError):
    """A sandbox could not be made: with this bot, or at all, as this machine offers none that holds."""


class SandboxLevel(StrEnum):
    """Level of containment of a stranger's bot on this machine; found by trying, recorded with every match.

    At `DEVELOPMENT` no control group limits a bot's memory and CPU: for one's own bots only.
    """

    GVISOR = "gvisor"
    HOSTED = "hosted"
    DEVELOPMENT = "development"
    REFUSED = "refused"


class ExitKind(StrEnum):
    """Reason for which a sandboxed process ended.

    `KILLED`: the arbiter ended it. `LOST`: the launcher ended, which is the platform's fault.
    """

    EXITED = "exited"
    SIGNALLED = "signalled"
    LIMIT = "limit"
    KILLED = "killed"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot to start.

    :ivar digest: SHA-256 of the archive in hexadecimal; the launcher refuses an archive that has another.
    :ivar socket_path: the Unix socket on which the arbiter awaits this one process. The launcher gives it to
        the process's own uid, mode 0600, and shows it at `SOCKET`.
    :ivar parts: the parts of the runtime that the bot sees beside Python (`stichkampf.packaging.parts`).
    """

    digest: str
    archive_path: Path
    socket_path: Path
    limits: Limits = field(default_factory=Limits)
    command: tuple[str, ...] = CLIENT_COMMAND
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExitReport:
    """Report of the end of a sandboxed process.

    A program that ends itself with a status above 128 looks like one that a signal ended; bubblewrap, like a
    shell, makes no difference.

    :ivar code: exit status, for `exited` only.
    :ivar stderr: the bot's output, both streams in order; of a long text the beginning and the last lines.
    :ivar cpu_seconds: CPU used by all its processes since the bot was handed over.
    :ivar limit: name of the limit that ended it: a field of `Limits` without its unit, such as `memory`.
    """

    kind: ExitKind
    code: int | None = None
    signal: int | None = None
    stderr: str = ""
    cpu_seconds: float = 0.0
    limit: str | None = None

    def as_json(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, object]) -> ExitReport:
        return cls(**{**fields, "kind": ExitKind(fields["kind"])})  # type: ignore[arg-type]
