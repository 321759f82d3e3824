"""Needs of a launcher that a machine may lack, and the words for them."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
from collections.abc import Sequence
from pathlib import Path


async def why_it_ended(namespaces: Sequence[str]) -> str:
    """Explain why a launcher ended before it was ready: most often, a container forbids its namespaces."""
    trial = await asyncio.create_subprocess_exec(
        "/usr/bin/unshare", *namespaces, "--", "true", stderr=asyncio.subprocess.PIPE
    )
    _, said = await trial.communicate()
    if trial.returncode != 0:
        return f"this process may not make namespaces ({said.decode(errors='replace').strip()})"
    return "the launcher ended before it was ready, for the reason that it gave on standard error"


def missing_for_ordinary_user(etc: Path = Path("/etc")) -> str | None:
    """Name the thing an ordinary user lacks to give every bot a uid of its own; None if nothing."""
    uid = os.getuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = str(uid)
    if shutil.which("newuidmap") is None:
        return "bots need uids of their own: start the platform as root, or apt-get install uidmap"
    for file in (etc / "subuid", etc / "subgid"):
        lines = file.read_text().splitlines() if file.exists() else []
        if not {name, str(uid)} & {line.partition(":")[0] for line in lines}:
            return f"bots need uids of their own: as root, add the line {name}:100000:65536 to {file}"
    return None
