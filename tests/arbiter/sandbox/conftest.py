"""Sandboxes for tests: the default one, and the same with named protections taken away."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gvisor_level
import pytest
from stichkampf.limits import LIGHT, NET
from stichkampf_arbiter.sandbox.client import PROGRAM, START_SECONDS, Launcher, SandboxedBot
from stichkampf_arbiter.sandbox.contract import PYTHON, BotSpec, ExitReport, SandboxError, SandboxLevel
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.settings import SandboxSettings
from support import children_of, poll

ARCHIVE = b"an archive that no test opens"
DIGEST = hashlib.sha256(ARCHIVE).hexdigest()
WEAK = Path(__file__).parent / "weak_launcher.py"
SECONDS = 60.0
LIFE_SECONDS = 600.0
"""A program that a test looks at lives longer than a busy machine takes to look, unless the test ends it."""
PARTS = tuple(os.environ.get("STICHKAMPF_ATTACK_PARTS", "").split())
"""Parts of the runtime that the attacking bots see too; `make nightly` attacks with onnxruntime."""
WEIGHT = NET if set(NET.parts) <= set(PARTS) else LIGHT
"""Their weight class: with the parts of nets they have its limits."""
GVISOR = os.environ.get("STICHKAMPF_RUNSC")
"""gVisor's program, where it is to make the default sandbox; weakened ones are bubblewrap's."""
FIRST_UID = 1900
MOST_WEAK = 4
"""Number of weakened launchers kept for the next test that wants the same; no test has more at once."""
PRELUDE = """
import ctypes, errno, fcntl, os, resource, signal, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
NAMES = "keyctl userfaultfd ptrace setns unshare chroot mount shmget inotify_init1 io_uring_setup pivot_root"
NAMES += " membarrier sched_rr_get_interval"
CALLS = {
    "x86_64": (250, 323, 101, 308, 272, 161, 165, 29, 294, 425, 155, 324, 148),
    "aarch64": (219, 282, 117, 268, 97, 51, 40, 194, 26, 425, 41, 283, 127),
}[os.uname().machine]
NUMBERS = dict(zip(NAMES.split(), CALLS))

def call(name, *arguments):
    return libc.syscall(NUMBERS[name], *arguments) != -1

def works(action, *arguments):
    try:
        action(*arguments)
    except OSError:
        return False
    return True

def end(through):
    print("through" if through else "held", flush=True)
    os._exit(0)
"""


def weak_program(*taken: str, tested: bool = False) -> tuple[str, ...]:
    """The kernel counts by uid, so each process that runs tests has throwaway uids of its own."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    settings = ("--without", ",".join(taken), "--uid", str(FIRST_UID + 2 * worker))
    return ("-I", str(WEAK), *settings, *(["--tested"] if tested else []))


class Loop:
    """An event loop in a thread of its own, so that tests of programs can be plain functions."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(START_SECONDS + SECONDS)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def launcher_of(launcher: Launcher) -> int:
    """Give the number of the launcher's own process, below its guardian and unshare."""
    (unshare,) = children_of(launcher._process.pid)
    (number,) = children_of(unshare)
    return number


class Arena:
    """One launcher, and programs that run in its sandboxes."""

    def __init__(self, loop: Loop, folder: Path, taken: tuple[str, ...]) -> None:
        self._loop = loop
        self._folder = folder
        self._numbers = itertools.count(1)
        self.taken = taken
        program = weak_program(*taken) if taken else PROGRAM
        settings = SandboxSettings(warm=0, runsc=Path(GVISOR) if GVISOR and not taken else None)
        self.launcher = loop.run(Launcher.start(settings, program=program))
        assert self.launcher.level is not SandboxLevel.REFUSED, self.launcher.reason
        (folder / "archive").write_bytes(ARCHIVE)

    @property
    def victim(self) -> int:
        """Number, for the launcher, of a process with the uid of all bots, where that protection is gone."""
        return int(self.launcher.reason)

    def lives(self, victim: int) -> bool:
        """Tell whether a process that has this number for the launcher is among its children."""
        return any(
            line.split()[-1] == str(victim)
            for child in children_of(launcher_of(self.launcher))
            for line in Path(f"/proc/{child}/status").read_text().splitlines()
            if line.startswith("NSpid:")
        )

    def spec(self, code: str, *arguments: object, limits: Limits | None = None) -> BotSpec:
        """A bot that runs this Python code; its socket listens."""
        path = self._folder / f"{next(self._numbers)}.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
        command = (PYTHON, "-I", "-S", "-c", code, *map(str, arguments))
        limits = limits or replace(Limits.of(WEIGHT), wall_seconds=LIFE_SECONDS)
        return BotSpec(DIGEST, self._folder / "archive", path, limits, command, PARTS)

    def start(self, code: str, *arguments: object, limits: Limits | None = None) -> SandboxedBot:
        return self._loop.run(self.launcher.launch(self.spec(code, *arguments, limits=limits)))

    def launch(self, spec: BotSpec) -> SandboxedBot:
        return self._loop.run(self.launcher.launch(spec))

    def run(self, code: str, *arguments: object, limits: Limits | None = None) -> ExitReport:
        return self.wait(self.start(code, *arguments, limits=limits))

    def refusal(self, spec: BotSpec) -> str:
        """Return the launcher's reason not to start a bot."""
        with pytest.raises(SandboxError) as refused:
            self._loop.run(self.launcher.launch(spec))
        return str(refused.value)

    def wait(self, bot: SandboxedBot) -> ExitReport:
        return self._loop.run(bot.wait())

    def kill(self, bot: SandboxedBot) -> ExitReport:
        return self._loop.run(bot.kill())

    def gets_through(self, code: str, *arguments: object, limits: Limits | None = None) -> bool:
        """Tell whether an attack succeeds: it prints `through` if it did and `held` if not."""
        report = self.run(PRELUDE + code, *arguments, limits=limits)
        said = report.stderr.strip().splitlines()
        assert said, report
        assert said[-1] in ("through", "held"), report
        return said[-1] == "through"

    def close(self) -> None:
        self._loop.run(self.launcher.close())


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


@pytest.fixture(scope="session")
def arenas(loop: Loop) -> Iterator[Callable[..., Arena]]:
    """Return the arena without the named protections; the default sandbox if none is named."""
    folder = Path(tempfile.mkdtemp(prefix="stichkampf-test-"))
    made: dict[tuple[str, ...], Arena] = {}

    def arena(*taken: str) -> Arena:
        taken = tuple(sorted(taken))
        if taken in made:
            made[taken] = made.pop(taken)
            return made[taken]
        weak = [each for each in made if each]
        if len(weak) >= MOST_WEAK:
            made.pop(weak[0]).close()
        made[taken] = Arena(loop, Path(tempfile.mkdtemp(dir=folder)), taken)
        return made[taken]

    yield arena
    for each in made.values():
        each.close()
    shutil.rmtree(folder)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "held_by(*protections): the attack succeeds once these protections are taken away, only then",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if GVISOR:
        left = [item for item in items if gvisor_level.leaves_out(item.name)]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Try an attack against the default sandbox, and against one without the protections named."""
    marker = metafunc.definition.get_closest_marker("held_by")
    if marker is not None:
        without = "without " + " and ".join(marker.args)
        shared = pytest.mark.xdist_group(f"sandbox {without}")  # each weakened launcher is started once
        weak = pytest.param(marker.args, marks=shared)
        metafunc.parametrize("taken", [(), weak], ids=["default", without])


@pytest.fixture
def weakened(taken: tuple[str, ...], request: pytest.FixtureRequest, arena: Arena) -> bool:
    """Tell whether this run lacks the protections against the attack, so that it must succeed.

    An ordinary user's machine may lack control groups; the launcher then calls itself `development`. It also
    may not mount, and shows the same files in all sandboxes.
    """
    if GVISOR and gvisor_level.gets_through(request.node.name):
        return True
    absent = {"cgroup"} if arena.launcher.level is SandboxLevel.DEVELOPMENT else set()
    absent |= {"own files"} if "files of the runtime in common" in arena.launcher.reason else set()
    return set(request.node.get_closest_marker("held_by").args) <= set(taken) | absent


@pytest.fixture
def here(arenas: Callable[..., Arena], taken: tuple[str, ...]) -> Arena:
    return arenas(*taken)


@pytest.fixture
def attack(here: Arena) -> Callable[..., bool]:
    """Run an attack in the arena of this test; tells whether it succeeded."""
    return here.gets_through


@pytest.fixture(scope="session")
def arena(arenas: Callable[..., Arena]) -> Arena:
    return arenas()


@pytest.fixture
def start(loop: Loop) -> Iterator[Callable[..., Launcher]]:
    """Start a launcher that tries its sandbox, without the named protections."""
    made: list[Launcher] = []

    def launcher(*taken: str) -> Launcher:
        program = weak_program(*taken, tested=True) if taken else PROGRAM
        made.append(loop.run(Launcher.start(SandboxSettings(warm=0), program=program)))
        return made[-1]

    yield launcher
    for each in made:
        loop.run(each.close())


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder of this machine that any uid may read, as sandboxes without the protection `files` see it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="stichkampf-test-") as text:
        folder = Path(text)
        folder.chmod(0o777)
        yield folder


@pytest.fixture
def small_tmp() -> Limits:
    return Limits(tmp_bytes=2 << 20, wall_seconds=SECONDS)


@pytest.fixture
def small_memory() -> Limits:
    return Limits(memory_bytes=32 << 20, wall_seconds=SECONDS)


@pytest.fixture
def processes_of() -> Callable[[int], list[int]]:
    return _processes_of


@pytest.fixture
def prelude() -> str:
    """Python code that every attack begins with."""
    return PRELUDE


@pytest.fixture
def number_of() -> Callable[[Launcher], int]:
    return launcher_of


@pytest.fixture
def until() -> Callable[..., bool]:
    return poll


def _processes_of(uid: int) -> list[int]:
    """Every living process of this uid."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "status").read_text()
            if f"\nUid:\t{uid}\t" in status and "\nState:\tZ" not in status:
                found.append(int(folder.name))
        except OSError:
            continue
    return found
