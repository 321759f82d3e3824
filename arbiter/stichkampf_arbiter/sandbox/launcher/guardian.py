"""The process above the launcher. It keeps the right to end it, which the arbiter gives up with root.

`python -m stichkampf_arbiter.sandbox.launcher.guardian --fd N -- COMMAND` runs a command to its end. A
launcher ends by itself when its arbiter has closed their socket pair; one that is stopped or hangs does
not, and all sandboxes would stay with it. So when a byte arrives at the socket `N`, the command is killed;
when its other end is closed, because the arbiter has died, the command is killed if it has not ended soon.
Its temporary files are removed after it, however it ended, and frozen sandboxes that died with it are
thawed: only then can they end.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stichkampf_arbiter.sandbox.cgroups.freezer import REGISTER, thaw_below

TEMPORARY = "/var/tmp"
"""Folder of the command's temporary files. Not /tmp: every sandbox has its own, so that a file in the
machine's would prove nothing."""
PREFIX = "stichkampf-launcher-"
YOUNG_SECONDS = 60.0
"""A folder may be younger than the lock on it, but not by this much."""
PR_SET_CHILD_SUBREAPER = 36
PAUSE_SECONDS = 0.02
PATIENCE_SECONDS = 5.0
"""Time for a launcher whose arbiter has died to end its sandboxes and remove their groups."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("command", nargs="+")
    chosen = parser.parse_args()
    # A terminal's Ctrl-C reaches the whole group; the arbiter decides when this ends.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with socket.socket(fileno=chosen.fd) as arbiter, own_folder() as folder:
        # Bots may walk through it, so that the sandbox alone keeps them from what lies there.
        os.chmod(folder, 0o711)
        os.environ["TMPDIR"] = folder
        arbiter.set_inheritable(False)
        groups = FrozenGroups(Path(folder) / REGISTER)
        return hold(arbiter, groups, ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--", *chosen.command])


@contextmanager
def own_folder() -> Iterator[str]:
    """Give a folder for temporary files and remove it; remove those of guardians that were killed.

    One that lives holds a lock on its folder.
    """
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=TEMPORARY) as folder, held(Path(folder)):
        for path in Path(TEMPORARY).glob(f"{PREFIX}*"):
            with suppress(OSError), held(path) as status:
                if status.st_uid == os.getuid() and time.time() - status.st_mtime > YOUNG_SECONDS:
                    shutil.rmtree(path, ignore_errors=True)
        yield folder


@contextmanager
def held(folder: Path) -> Iterator[os.stat_result]:
    """Hold a folder.

    :raises OSError: another process holds it, or it is none.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(descriptor)
    finally:
        os.close(descriptor)


class FrozenGroups:
    """The launcher's groups, whose processes can be frozen.

    :param pipe: path of the pipe over which the launcher names their folder; made here.
    :ivar descriptor: readable when the launcher has named it, and again when the launcher is dead.
    """

    def __init__(self, pipe: Path) -> None:
        os.mkfifo(pipe, 0o600)
        self.descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self._folder: Path | None = None

    def read(self) -> bool:
        """Read the folder from the pipe; False once the launcher is dead."""
        text = os.read(self.descriptor, 4096)
        if text:
            self._folder = Path(os.fsdecode(text))
        return bool(text)

    def thaw(self) -> None:
        if self._folder is not None:
            thaw_below(self._folder)


def hold(arbiter: socket.socket, groups: FrozenGroups, command: list[str]) -> int:
    """Run a command until it ends or is to be killed; returns its exit status when no child of it is left."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    process = subprocess.Popen(command, close_fds=False)
    ended = os.pidfd_open(process.pid)
    try:
        ready = wait_for([arbiter.fileno(), ended, groups.descriptor])
        while ready == [groups.descriptor] and groups.read():
            ready = wait_for([arbiter.fileno(), ended, groups.descriptor])
        if arbiter.fileno() in ready and not has_ended(ended) and not arbiter.recv(1):
            has_ended(ended, seconds=PATIENCE_SECONDS)
        if not has_ended(ended):
            process.kill()
        # Again and again: an arbiter that does not know of the end goes on freezing.
        while not has_ended(ended, seconds=PAUSE_SECONDS):
            groups.thaw()
        status = process.wait()
    finally:
        os.close(ended)
    reap_orphans(groups)
    return status


def wait_for(descriptors: list[int]) -> list[int]:
    """Return the readable ones, as soon as there is one."""
    return select.select(descriptors, [], [])[0]


def has_ended(pidfd: int, *, seconds: float = 0.0) -> bool:
    """Tell whether a process has ended, or ends within this time."""
    return bool(select.select([pidfd], [], [], seconds)[0])


def reap_orphans(groups: FrozenGroups) -> None:
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                groups.thaw()
                time.sleep(PAUSE_SECONDS)
        except ChildProcessError:
            return


if __name__ == "__main__":
    sys.exit(main())
