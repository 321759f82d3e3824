"""Sandboxes that wait: quick to hand out, and never used twice."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import signal
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.contract import PYTHON, BotSpec, ExitKind
from stichkampf_arbiter.sandbox.launcher.warm_pool import WAIT
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.settings import SandboxSettings
from support import archive

from benchmarks import sandbox_start

BOT = """
import os, signal, sys
import stichkampf
print("warm" if "-c" in sys.orig_argv else "cold", os.listdir("/tmp") != [os.path.basename(os.getcwd())],
      hasattr(stichkampf, "mark"), sys.stdin.read() == "", flush=True)
stichkampf.mark = True
open("/tmp/mark", "w").close()
if os.fork() == 0:
    os.setsid()
    while True:
        signal.pause()
os._exit(7)
"""


def is_interpreter(proc: Path) -> bool:
    line = (proc / "cmdline").read_bytes()
    return line.startswith(PYTHON.encode()) and WAIT.encode() in line


def is_dead(number: int) -> bool:
    """Whether a process has ended, reaped or not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class Door:
    """A launcher with warm sandboxes, and a bot in an archive."""

    def __init__(self, loop, folder: Path, warm: int) -> None:
        self._loop, self._folder = loop, folder
        self._numbers = itertools.count()
        self.launcher = loop.run(Launcher.start(SandboxSettings(warm=warm)))
        self._content = archive(BOT)
        (folder / "archive").write_bytes(self._content)

    def start(self, limits: Limits | None = None):
        return self._loop.run(self.launcher.launch(self.spec(limits)))

    def spec(self, limits: Limits | None = None) -> BotSpec:
        path = self._folder / f"{next(self._numbers)}.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
        digest = hashlib.sha256(self._content).hexdigest()
        return BotSpec(digest, self._folder / "archive", path, limits or Limits())

    def run(self, limits: Limits | None = None):
        return self._loop.run(self.start(limits).wait())

    def waiting(self) -> list[int]:
        """Process numbers, from outside, of the interpreters that wait."""
        found = []
        for uid in self.uids():
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    if folder.stat().st_uid == uid and is_interpreter(folder):
                        found.append(int(folder.name))
                except OSError:
                    continue
        return found

    def uids(self) -> set[int]:
        """Every uid, other than the launcher's, among its descendants."""
        found, wave = set(), [self.launcher._process.pid]
        while wave:
            pid = wave.pop()
            try:
                found.add(os.stat(f"/proc/{pid}").st_uid)
                for task in Path(f"/proc/{pid}/task").iterdir():
                    wave += map(int, (task / "children").read_text().split())
            except OSError:
                continue
        return found - {os.getuid()}


@pytest.fixture(scope="module")
def door(loop):
    with tempfile.TemporaryDirectory(prefix="stichkampf-test-") as folder:
        made = Door(loop, Path(folder), warm=2)
        yield made
        loop.run(made.launcher.close())
        assert made.uids() == set()


@pytest.fixture
def warm_report(door, until):
    """The report of a bot that got a warm sandbox."""
    reports = []
    assert until(lambda: reports.append(door.run()) or reports[-1].stderr.startswith("warm"))
    return reports[-1]


def test_a_warm_sandbox_runs_the_bot_of_its_archive(warm_report):
    assert (warm_report.kind, warm_report.code) == (ExitKind.EXITED, 7)
    assert warm_report.stderr == "warm False False True\n"


def test_what_it_took_to_warm_a_sandbox_is_not_charged_to_the_bot(warm_report, door):
    cold = door.run(Limits(wall_seconds=60))
    assert cold.stderr.startswith("cold")
    assert warm_report.cpu_seconds < cold.cpu_seconds / 2


def test_no_warm_sandbox_is_used_twice(door, until):
    bots = [door.start() for _ in range(6)]
    reports = [door._loop.run(bot.wait()) for bot in bots]
    assert len({bot.pid for bot in bots}) == 6
    # Neither a file nor a change in memory of an earlier bot is there.
    assert {report.stderr.split(" ", 1)[1] for report in reports} == {"False False True\n"}


def test_a_bot_with_other_limits_gets_a_sandbox_of_its_own(door):
    assert door.run(Limits(memory_bytes=200 << 20)).stderr == "cold False False True\n"


def test_a_sandbox_that_dies_while_it_waits_is_replaced(door, until):
    assert until(lambda: len(door.waiting()) == 2)
    old = door.waiting()
    for number in old:
        os.kill(number, 9)
    assert until(lambda: len(set(door.waiting()) - set(old)) == 2)


def test_a_bot_whose_waiting_sandbox_dies_as_it_is_handed_over_is_started_all_the_same(
    door, until, number_of, processes_of
):
    """The launcher is stopped, is given its order, and finds all waiting sandboxes dead when it goes on."""
    assert until(lambda: len(door.waiting()) == 2)
    launcher = number_of(door.launcher)
    os.kill(launcher, signal.SIGSTOP)

    async def launch():
        launching = asyncio.ensure_future(door.launcher.launch(door.spec()))
        await asyncio.sleep(0)
        for uid in door.uids():
            for number in processes_of(uid):
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        assert until(lambda: all(is_dead(number) for uid in door.uids() for number in processes_of(uid)))
        os.kill(launcher, signal.SIGCONT)
        async with asyncio.timeout(60):
            bot = await launching
            return await bot.wait()

    assert door._loop.run(launch()).code == 7
    assert door.run().code == 7


def test_waiting_sandboxes_end_with_the_launcher(loop, until, tmp_path):
    door = Door(loop, tmp_path, warm=1)
    assert until(lambda: door.waiting() != [])
    (uid,) = door.uids()
    loop.run(door.launcher.close())
    assert door.uids() == set()
    assert uid != 0


async def test_the_bench_says_what_a_start_takes_and_whether_that_is_quick_enough(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(sandbox_start, "GOAL_MS", 0.001)
    assert await sandbox_start.run(1, tmp_path) == 1
    said = capsys.readouterr().out
    assert said.count("until the sandbox holds the bot") == said.count("until its hello") == 2
    assert said.endswith("goal: a warm start takes at most 0.001 ms: missed\n")
