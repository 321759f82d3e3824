"""Give up root for good."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from stichkampf_arbiter.sandbox.contract import SandboxError
from stichkampf_arbiter.sandbox.privileges.reachable import make_reachable


def give_up_root(*, uid: int, gid: int | None = None, view: Sequence[Path] = ()) -> None:
    """Become `uid` for good, still able to reach this interpreter, its packages and the paths of `view`.

    The arbiter calls it after `Launcher.start` and before gRPC is imported.

    :raises SandboxError: this process is not root, `uid` is 0, or a path cannot be reached as `uid`.
    """
    if os.getuid() != 0:
        raise SandboxError(f"only root can become another uid; this process is uid {os.getuid()}")
    if uid <= 0:
        raise SandboxError(f"uid {uid} is not an unprivileged one")
    gid = uid if gid is None else gid
    make_reachable([*own_paths(), *view], uid=uid, gid=gid)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    os.umask(0o077)


def own_paths() -> list[Path]:
    """Return the folders of this interpreter and its packages."""
    checkout = Path(__file__).resolve().parents[4]
    found = [Path(sys.prefix), Path(sys.base_prefix), Path(sysconfig.get_path("stdlib")), checkout]
    found += [Path(entry) for entry in sys.path if entry]
    return sorted({path.resolve() for path in found if path.is_dir()})
