"""Start a command as a process: with its user and its environment, and ended with the supervisor."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Sequence
from typing import IO

from stichkampf_platform.supervisor.installation import Installation


def command_line(
    installation: Installation, command: Sequence[str], *, keeps_root: bool = False
) -> list[str]:
    """Wrap a command so that it dies with the supervisor and, if that is root, runs as an ordinary user.

    `run_as` gives the process its own mounts, in which it can read the checkout and its interpreter even
    below a private folder.
    """
    bound = ["setpriv", "--pdeathsig", "KILL", "--", *command]
    if installation.uid is None or keeps_root:
        return bound
    views = [
        word
        for folder in dict.fromkeys([installation.root, installation.var, installation.sockets])
        for word in ("--view", str(folder))
    ]
    run_as = [sys.executable, "-m", "stichkampf_arbiter.sandbox.run_as", "--uid", str(installation.uid)]
    return [*run_as, *views, "--", *bound]


def launch(
    installation: Installation,
    command: Sequence[str],
    output: IO[bytes] | int,
    *,
    keeps_root: bool = False,
    secrets: Collection[str] = (),
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command_line(installation, command, keeps_root=keeps_root),
        cwd=installation.root,
        env=installation.environment(secrets=secrets),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
