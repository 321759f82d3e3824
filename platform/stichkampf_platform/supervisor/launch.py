"""How a command becomes a process: as which user, with which environment, bound to the supervisor's life."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import IO

from stichkampf_platform.supervisor.installation import Place


def command_line(place: Place, command: Sequence[str], *, keeps_root: bool = False) -> list[str]:
    """The command, made to die with the supervisor and, where that is root, to run as an ordinary user.

    `run_as` gives the process mounts of its own, in which it can read the checkout and its interpreter even
    below a private folder.
    """
    bound = ["setpriv", "--pdeathsig", "KILL", "--", *command]
    if place.uid is None or keeps_root:
        return bound
    views = [
        word
        for folder in dict.fromkeys([place.root, place.var, place.sockets])
        for word in ("--view", str(folder))
    ]
    run_as = [sys.executable, "-m", "stichkampf_arbiter.sandbox.run_as", "--uid", str(place.uid)]
    return [*run_as, *views, "--", *bound]


def launch(
    place: Place,
    command: Sequence[str],
    output: IO[bytes] | int,
    *,
    keeps_root: bool = False,
    secrets: bool = False,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command_line(place, command, keeps_root=keeps_root),
        cwd=place.root,
        env=place.environment(secrets=secrets),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
