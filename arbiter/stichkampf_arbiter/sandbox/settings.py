"""What an administrator may decide about the sandbox."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stichkampf_arbiter.sandbox.contract import SandboxError

FIRST_UID = 200_000
UIDS = 60_000
WARM = 3


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """From the environment; every one has a default that suits one server."""

    first_uid: int = FIRST_UID
    """Where the platform was started as root, bots run under uids from this one on ..."""
    uids: int = UIDS
    """... of which there are this many, that nothing else on the machine may use."""
    cgroup: Path | None = None
    """A delegated, empty cgroup of version 2; None: the platform's own group."""
    runsc: Path | None = None
    """gVisor's program; None: bubblewrap."""
    warm: int = WARM
    """Sandboxes that wait with the interpreter and gRPC already imported."""
    owner_uid: int | None = None
    """Who the arbiter is once it has given up root; None: who it is now."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> SandboxSettings:
        """Read ``STICHKAMPF_BOT_FIRST_UID``, ``_BOT_UIDS``, ``_CGROUP``, ``_RUNSC`` and ``_WARM_SANDBOXES``.

        :raises SandboxError: a value is no number.
        """

        def number(name: str, default: int) -> int:
            text = environ.get(name, "").strip()
            if text and not text.isdecimal():
                raise SandboxError(f"{name}={text!r} must be a whole number, such as {default}")
            return int(text) if text else default

        cgroup, runsc = environ.get("STICHKAMPF_CGROUP"), environ.get("STICHKAMPF_RUNSC")
        return cls(
            first_uid=number("STICHKAMPF_BOT_FIRST_UID", FIRST_UID),
            uids=number("STICHKAMPF_BOT_UIDS", UIDS),
            cgroup=Path(cgroup) if cgroup else None,
            runsc=Path(runsc) if runsc else None,
            warm=number("STICHKAMPF_WARM_SANDBOXES", WARM),
        )
