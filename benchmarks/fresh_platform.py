"""`make up` in a new clone with an empty cache of Python packages, for measurements."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

MOST_SECONDS = 1800.0


class FreshPlatform:
    """A platform that `make up` sets up and runs.

    :ivar clone: the folder of the clone.
    :ivar printed: the seconds since the start at which `make up` printed each line.
    """

    def __init__(self, clone: Path, port: int) -> None:
        self.clone = clone
        self.address = f"http://127.0.0.1:{port}"
        self.printed: dict[str, float] = {}
        self.environment = {
            **os.environ,
            "STICHKAMPF_PORT": str(port),
            "UV_CACHE_DIR": str(clone.parent / "packages"),
            "PIP_NO_CACHE_DIR": "1",
        }
        self._begin = monotonic()
        self._up = subprocess.Popen(
            ["make", "up"], cwd=clone, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, start_new_session=True,
        )  # fmt: skip
        self._reader = Thread(target=self._read)
        self._reader.start()

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return monotonic() - self._begin

    def until(self, beginning: str) -> float:
        """Wait until `make up` prints a line with this beginning; return the seconds since the start.

        :raises SystemExit: it ends before, or takes too long.
        """
        while self._up.poll() is None and monotonic() - self._begin < MOST_SECONDS:
            for line, seconds in list(self.printed.items()):
                if line.startswith(beginning):
                    return seconds
            sleep(0.1)
        raise SystemExit(f"make up did not say {beginning!r}")

    def manage(self, *words: str) -> str:
        """Run a command of manage.py in this installation; return what it prints."""
        command = [".venv/bin/python", "-m", "stichkampf_platform.supervisor", "manage", *words]
        return subprocess.run(
            command, cwd=self.clone, env=self.environment, stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    def stop(self) -> None:
        if self._up.poll() is None:
            os.killpg(self._up.pid, signal.SIGINT)
        self._up.wait()
        self._reader.join()

    def _read(self) -> None:
        for line in self._up.stdout or ():
            seconds = monotonic() - self._begin
            self.printed.setdefault(line.strip(), seconds)
            print(f"{seconds:6.1f} s  {line}", end="", file=sys.stderr, flush=True)


@contextmanager
def fresh_platform(port: int) -> Iterator[FreshPlatform]:
    """Clone this checkout into an empty folder and run `make up` there.

    :param port: the port of the site.
    """
    with tempfile.TemporaryDirectory(prefix="sk-fresh-") as folder:
        os.chmod(folder, 0o755)  # sandboxed bots read the interpreter in it
        clone = Path(folder, "clone")
        here = Path(__file__).resolve().parents[1]
        subprocess.run(["git", "clone", "--quiet", str(here), str(clone)], check=True)
        platform = FreshPlatform(clone, port)
        try:
            yield platform
        finally:
            platform.stop()
