"""The arguments that make bubblewrap build one sandbox."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.programs.images import BindMount

INSIDE_UID = 1000
ENVIRONMENT = {
    "PATH": "/opt/stichkampf/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "GRPC_ENABLE_FORK_SUPPORT": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
NAMESPACES = ("user", "ipc", "pid", "net", "uts", "cgroup")


@dataclass(frozen=True, slots=True)
class InheritedDescriptors:
    """Open files that bubblewrap inherits.

    :ivar info: bubblewrap writes here which process is the sandbox's pid 1.
    :ivar block: the bot's first instruction waits until a byte arrives here.
    """

    seccomp: int
    info: int
    block: int


def arguments(
    *,
    shown: Sequence[BindMount],
    devices: Path,
    bot_folder: Path,
    limits: Limits,
    fds: InheritedDescriptors,
) -> list[str]:
    """Make bubblewrap's options, in the order in which it obeys them; the command line ends with the command.

    The environment is set here and nowhere else: bubblewrap itself is started with an empty one. There is no
    `/proc`: its files tell of the whole machine, also those of the process itself.
    """
    made = [f"--unshare-{name}" for name in NAMESPACES]
    made += ["--disable-userns", "--uid", str(INSIDE_UID), "--gid", str(INSIDE_UID), "--hostname", "bot"]
    made += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for show in shown:
        made += ["--ro-bind", str(show.source), str(show.target)]
    for name in ("bin", "lib", "lib64"):
        made += ["--symlink", f"usr/{name}", f"/{name}"]
    # Read-only already; --ro-bind would take the devices out of it.
    made += ["--dev-bind", str(devices), "/dev"]
    made += ["--ro-bind", str(bot_folder), "/bot"]
    made += ["--perms", "0700", "--size", str(limits.tmp_bytes), "--tmpfs", "/tmp", "--chdir", "/tmp"]
    made += ["--remount-ro", "/"]
    for name, value in ENVIRONMENT.items():
        made += ["--setenv", name, value]
    made += ["--seccomp", str(fds.seccomp), "--info-fd", str(fds.info), "--block-fd", str(fds.block)]
    return made


def write_arguments(texts: Sequence[str]) -> int:
    """Write the arguments for `--args` into a file of memory; the caller closes it."""
    fd = os.memfd_create("bwrap-args", os.MFD_CLOEXEC)
    os.write(fd, b"".join(os.fsencode(text) + b"\0" for text in texts))
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
