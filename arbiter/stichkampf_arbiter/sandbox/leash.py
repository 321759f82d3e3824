"""The process above the launcher. It keeps the right to end it, which the arbiter gives up with root.

``python -m stichkampf_arbiter.sandbox.leash --fd N -- COMMAND`` runs a command to its end. A launcher ends by
itself when its arbiter has closed their socket pair; one that is stopped or hangs does not, and with it all
sandboxes would stay. So when a byte arrives at the socket ``N``, the command is killed; when its other end is
closed, because the arbiter has died, the command is killed if it has not ended soon. Its temporary files are
removed after it, however it ended.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile

TEMPORARY = "/var/tmp"
"""Where the command's temporary files are. Not /tmp: every sandbox has its own, so that a file in that of the
machine would prove nothing."""
PR_SET_CHILD_SUBREAPER = 36
PATIENCE_SECONDS = 5.0
"""So long may a launcher whose arbiter has died take to end its sandboxes and remove their groups."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("command", nargs="+")
    chosen = parser.parse_args()
    # A terminal's Ctrl-C reaches the whole group; the arbiter decides when this ends.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with (
        socket.socket(fileno=chosen.fd) as arbiter,
        tempfile.TemporaryDirectory(prefix="stichkampf-", dir=TEMPORARY) as folder,
    ):
        # Bots may walk through it, so that the sandbox alone keeps them from what lies there.
        os.chmod(folder, 0o711)
        os.environ["TMPDIR"] = folder
        arbiter.set_inheritable(False)
        return hold(arbiter, ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--", *chosen.command])


def hold(arbiter: socket.socket, command: list[str]) -> int:
    """Run a command until it ends or is to be killed; returns its exit status when no child of it is left."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    process = subprocess.Popen(command, close_fds=False)
    ended = os.pidfd_open(process.pid)
    try:
        select.select([arbiter.fileno(), ended], [], [])
        if not has_ended(ended) and not arbiter.recv(1):
            has_ended(ended, seconds=PATIENCE_SECONDS)
        if not has_ended(ended):
            process.kill()
        status = process.wait()
    finally:
        os.close(ended)
    reap_orphans()
    return status


def has_ended(pidfd: int, *, seconds: float = 0.0) -> bool:
    """Whether a process has ended, or does so within this time."""
    return bool(select.select([pidfd], [], [], seconds)[0])


def reap_orphans() -> None:
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


if __name__ == "__main__":
    sys.exit(main())
