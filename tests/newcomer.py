"""Type README's two commands as a newcomer does: `make up`, until it has played, and then `make test`.

    python3 tests/newcomer.py

`make newcomer` runs it in a minimal Debian system. It needs Python alone, as nothing is installed before.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

WELCOME = "Stichkampf is up: "
STOPPED = "stopped; "
SANDBOX = "sandbox: hosted"
UP_SECONDS, STOP_SECONDS = 1500.0, 120.0
"""The most that `make up` may take to play, and to stop."""


def main() -> int:
    began = time.monotonic()
    try:
        up()
    except BaseException:
        for log in Path("var/log").glob("*.log"):
            print(f"newcomer: the end of {log}:", *log.read_text().splitlines()[-20:], sep="\n  ", flush=True)
        raise
    print(f"newcomer: make up has played and stopped, after {time.monotonic() - began:.0f} s", flush=True)
    status = subprocess.run(["make", "test"], check=False).returncode
    print(
        f"newcomer: make test ended with {status}, after {time.monotonic() - began:.0f} s in all", flush=True
    )
    return status


def up() -> None:
    """Start the platform, see its first page and a finished table, and stop it with Ctrl-C."""
    before = programs_here()
    environment = os.environ | {"STICHKAMPF_PORT": str(free_port())}
    platform = subprocess.Popen(
        ["make", "up"], env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    # A platform that hangs must not keep those who wait for this.
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("newcomer: make up took too long"))
    signal.alarm(int(UP_SECONDS))
    try:
        address = said(platform, WELCOME).removeprefix(WELCOME)
        with urllib.request.urlopen(address, timeout=STOP_SECONDS) as page:
            print(f"newcomer: the first page has {len(page.read())} bytes", flush=True)
        said(platform, SANDBOX)
        while not tables_done(environment):
            assert platform.poll() is None, "make up has ended by itself"
            time.sleep(2)
        signal.alarm(int(STOP_SECONDS))
        os.killpg(platform.pid, signal.SIGINT)
        assert platform.stdout is not None
        said(platform, STOPPED)
        platform.wait()
        left = [(folder / "cmdline").read_text() for folder in programs_here() - before]
        assert left == [], f"programs of make up are left: {left}"
    finally:
        signal.alarm(0)
        if platform.poll() is None:
            os.killpg(platform.pid, signal.SIGKILL)
        platform.wait()


def said(platform: subprocess.Popen[str], words: str) -> str:
    """Print what `make up` prints, up to a line with these words; return that line."""
    assert platform.stdout is not None
    for line in platform.stdout:
        print(line, end="", flush=True)
        if words in line:
            return line.strip()
    sys.exit(f"newcomer: make up ended with {platform.wait()} and never said {words!r}")


def tables_done(environment: dict[str, str]) -> int:
    command = ["make", "--silent", "manage", "COMMAND=platform_status --json"]
    told = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    status = json.loads(told.splitlines()[-1])
    return sum(tournament["tables_done"] for tournament in status["tournaments"])


def programs_here() -> set[Path]:
    """Return the processes that run in this checkout."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (folder / "cwd").resolve().is_relative_to(Path.cwd()):
                found.add(folder)
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
