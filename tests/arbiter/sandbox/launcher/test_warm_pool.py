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
    """Tell whether a process has ended, reaped or not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class WarmLauncher:
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
def warm_launcher(loop):
    with tempfile.TemporaryDirectory(prefix="stichkampf-test-") as folder:
        made = WarmLauncher(loop, Path(folder), warm=2)
        yield made
        loop.run(made.launcher.close())
        assert made.uids() == set()


@pytest.fixture
def warm_report(warm_launcher, until):
    """The report of a bot that got a warm sandbox."""
    reports = []
    assert until(lambda: reports.append(warm_launcher.run()) or reports[-1].stderr.startswith("warm"))
    return reports[-1]


def test_a_warm_sandbox_runs_the_bot_of_its_archive(warm_report):
    assert (warm_report.kind, warm_report.code) == (ExitKind.EXITED, 7)
    assert warm_report.stderr == "warm False False True\n"


def test_warming_a_sandbox_is_not_charged_to_the_bot(warm_report, warm_launcher):
    cold = warm_launcher.run(Limits(wall_seconds=60))
    assert cold.stderr.startswith("cold")
    assert warm_report.cpu_seconds < cold.cpu_seconds / 2


def test_no_warm_sandbox_is_used_twice(warm_launcher, until):
    bots = [warm_launcher.start() for _ in range(6)]
    reports = [warm_launcher._loop.run(bot.wait()) for bot in bots]
    assert len({bot.pid for bot in bots}) == 6
    # Neither a file nor a change in memory of an earlier bot is there.
    assert {report.stderr.split(" ", 1)[1] for report in reports} == {"False False True\n"}


def test_a_bot_with_other_limits_gets_a_sandbox_of_its_own(warm_launcher):
    assert warm_launcher.run(Limits(memory_bytes=200 << 20)).stderr == "cold False False True\n"


def test_a_sandbox_that_dies_while_it_waits_is_replaced(warm_launcher, until):
    assert until(lambda: len(warm_launcher.waiting()) == 2)
    old = warm_launcher.waiting()
    for number in old:
        os.kill(number, 9)
    assert until(lambda: len(set(warm_launcher.waiting()) - set(old)) == 2)


def test_a_bot_starts_although_its_warm_sandbox_dies_at_the_handover(
    warm_launcher, until, number_of, processes_of
):
    """The launcher is stopped, is given its order, and finds all waiting sandboxes dead when it goes on."""
    assert until(lambda: len(warm_launcher.waiting()) == 2)
    launcher = number_of(warm_launcher.launcher)
    os.kill(launcher, signal.SIGSTOP)

    async def launch():
        launching = asyncio.ensure_future(warm_launcher.launcher.launch(warm_launcher.spec()))
        await asyncio.sleep(0)
        for uid in warm_launcher.uids():
            for number in processes_of(uid):
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        assert until(
            lambda: all(is_dead(number) for uid in warm_launcher.uids() for number in processes_of(uid))
        )
        os.kill(launcher, signal.SIGCONT)
        async with asyncio.timeout(60):
            bot = await launching
            return await bot.wait()

    assert warm_launcher._loop.run(launch()).code == 7
    assert warm_launcher.run().code == 7


def test_waiting_sandboxes_end_with_the_launcher(loop, until, tmp_path):
    warm_launcher = WarmLauncher(loop, tmp_path, warm=1)
    assert until(lambda: warm_launcher.waiting() != [])
    (uid,) = warm_launcher.uids()
    loop.run(warm_launcher.launcher.close())
    assert warm_launcher.uids() == set()
    assert uid != 0


async def test_the_benchmark_prints_the_time_of_a_start_and_its_goal(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sandbox_start, "GOAL_MS", 0.001)
    assert await sandbox_start.run(1, tmp_path) == 1
    said = capsys.readouterr().out
    assert said.count("until the sandbox holds the bot") == said.count("until its hello") == 2
    assert said.endswith("goal: a warm start takes at most 0.001 ms: missed\n")
