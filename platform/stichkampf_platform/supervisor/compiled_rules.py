"""The compiled rules of a checkout, which `make up` compiles while the site already runs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from stichkampf_platform.supervisor.installation import Installation
from stichkampf_platform.supervisor.output import last_line

INTERPRETED = "STICHKAMPF_COMPILE=0"


def are_awaited(installation: Installation) -> bool:
    """Tell whether the rules are not compiled although nobody asked for that."""
    asked_for = os.environ.get("STICHKAMPF_COMPILE") == "0"
    return not asked_for and not any((installation.root / "sdk").glob("*__mypyc*.so"))


@contextlib.contextmanager
def compilation(installation: Installation) -> Iterator[subprocess.Popen[bytes]]:
    """Start the compilation; on leaving, end it if it has not ended. Its output goes to the log `rules`."""
    command = ["setpriv", "--pdeathsig", "KILL", "--", "sh", "deploy/setup.sh", "--rules"]
    with installation.open_log("rules", "wb") as log:
        process = subprocess.Popen(
            command,
            cwd=installation.root,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def outcome(log: Path) -> str:
    """Return what the compilation said last."""
    return last_line(log.read_text(errors="replace")).removeprefix("setup: ")
