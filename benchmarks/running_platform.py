"""The platform as `make up` starts it, for measurements: in a temporary folder, without a tournament."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.process_manager import ProcessManager
from stichkampf_platform.supervisor.services import arbiter, hub, redis, site, workers


@dataclass(frozen=True)
class RunningPlatform:
    """A running installation.

    :ivar manager: of its programs.
    """

    installation: Installation
    manager: ProcessManager

    @property
    def pids(self) -> dict[str, int]:
        """The process of each service that runs, by its name."""
        return {one.service.name: one.process.pid for one in self.manager.running if one.process is not None}

    @property
    def address(self) -> str:
        return self.installation.address

    def start_demonstration(self) -> None:
        """Start the demonstration tournament."""
        preparation.manage(self.installation, ("demo_tournament",))

    @contextmanager
    def restarting(self) -> Iterator[None]:
        """Start programs that are killed again meanwhile, as `make up` does."""
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as end:
            watching = threading.Thread(target=self.manager.watch, args=(end,))
            watching.start()
            try:
                yield
            finally:
                assert end.stdin is not None
                end.stdin.close()
                watching.join()


@contextmanager
def running_platform(port: int) -> Iterator[RunningPlatform]:
    """Start all services with an empty database (SQLite, or DATABASE_URL), and stop them in the end.

    :param port: the port of the site.
    :raises StopAsked: a stop signal arrived.
    """
    with tempfile.TemporaryDirectory(prefix="sk-measured-") as folder:
        Path(folder).chmod(0o755)
        settings = {"STICHKAMPF_VAR": folder, "STICHKAMPF_PORT": str(port)}
        installation = Installation.from_environment({**os.environ, **settings}, checkout())
        installation.prepare_folders()
        installation.check_port()
        try:
            with ProcessManager(installation) as manager:
                broker = redis(installation)
                assert broker is not None, "unset REDIS_URL: this measures with a Redis server of its own"
                manager.start([broker])
                preparation.manage(installation, ("upgrade",))
                manager.start([arbiter(installation), hub(), *workers(), site(installation)])
                with manager.interruptible():
                    yield RunningPlatform(installation, manager)
        finally:
            installation.leave()


def process_tree(pid: int) -> list[int]:
    """Return a process and all its descendants, whichever thread has started them; none that has ended."""
    children: list[str] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            children += (thread / "children").read_text().split()
    return [pid, *(process for child in children for process in process_tree(int(child)))]
