"""Settings of the sandbox, which an administrator may change."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stichkampf.whole_numbers import whole_number

from stichkampf_arbiter.sandbox.contract import SandboxError

FIRST_UID = 200_000
UIDS = 60_000
WARM = 3


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """Settings from the environment, with defaults that suit one server.

    :ivar first_uid: first of the uids for bots, where the platform was started as root.
    :ivar uids: number of these uids; nothing else on the machine may use them.
    :ivar cgroup: a delegated, empty cgroup of version 2; None: the platform's own group.
    :ivar runsc: gVisor's program; None: bubblewrap.
    :ivar warm: number of sandboxes that wait with the interpreter and gRPC already imported.
    :ivar owner_uid: the arbiter's uid after it has given up root; None: its uid now.
    """

    first_uid: int = FIRST_UID
    uids: int = UIDS
    cgroup: Path | None = None
    runsc: Path | None = None
    warm: int = WARM
    owner_uid: int | None = None

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> SandboxSettings:
        """Read `STICHKAMPF_BOT_FIRST_UID`, `_BOT_UIDS`, `_CGROUP`, `_RUNSC` and `_WARM_SANDBOXES`.

        :raises SandboxError: a value is no number.
        """

        def number(name: str, default: int) -> int:
            text = environ.get(name, "").strip() or str(default)
            read = whole_number(text, 10)
            if read is None or read >= 2**32:
                raise SandboxError(f"{name}={text!r} must be a whole number, such as {default}")
            return read

        cgroup, runsc = environ.get("STICHKAMPF_CGROUP"), environ.get("STICHKAMPF_RUNSC")
        return cls(
            first_uid=number("STICHKAMPF_BOT_FIRST_UID", FIRST_UID),
            uids=number("STICHKAMPF_BOT_UIDS", UIDS),
            cgroup=Path(cgroup) if cgroup else None,
            runsc=Path(runsc) if runsc else None,
            warm=number("STICHKAMPF_WARM_SANDBOXES", WARM),
        )
