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

QUIET = {"rules": 0, "wheels": 19}
"""By log, how much a process gives way to others."""
INTERPRETED = "STICHKAMPF_COMPILE=0"


def are_awaited(installation: Installation) -> bool:
    """Tell whether the rules are not compiled although nobody asked for that."""
    asked_for = os.environ.get("STICHKAMPF_COMPILE") == "0"
    return not asked_for and not any((installation.root / "sdk").glob("*__mypyc*.so"))


@contextlib.contextmanager
def compilation(installation: Installation) -> Iterator[subprocess.Popen[bytes]]:
    """Start the compilation; on leaving, end it if it has not ended. Its output goes to the log `rules`."""
    with _beside(installation, "rules", "deploy/setup.sh", "--rules") as process:
        yield process


@contextlib.contextmanager
def wheels(installation: Installation) -> Iterator[subprocess.Popen[bytes]]:
    """Start to build what the page *Download* offers, as `compilation` starts; the log is `wheels`."""
    folder = str(installation.state / "download")
    with _beside(installation, "wheels", "deploy/wheels.sh", "--site", folder) as process:
        yield process


@contextlib.contextmanager
def _beside(installation: Installation, name: str, *script: str) -> Iterator[subprocess.Popen[bytes]]:
    with installation.open_log(name, "wb") as log:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", "nice", "-n", str(QUIET[name]), "sh", *script],
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
