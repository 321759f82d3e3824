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
from stichkampf_arbiter.sandbox.contract import PYTHON, BotSpec, ExitKind, SandboxError
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


LOOKING_BOT = """
import os, signal, subprocess, sys
def writes(path):
    try:
        os.utime(path)
    except OSError:
        return False
    return True
places = ("/usr", "/usr/bin/perl", "/opt", "/opt/parts", "/opt/parts/perl", "/opt/parts/python/usr")
runs = os.path.exists("/usr/bin/perl") and subprocess.call(["perl", "-e", "use List::Util"]) == 0
print("warm" if "-c" in sys.orig_argv else "cold", sorted(os.listdir("/opt/parts")), runs,
      "writes", [place for place in places if writes(place)], flush=True)
signal.pause()
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

    def __init__(self, loop, folder: Path, warm: int, code: str = BOT, **settings: int) -> None:
        self._loop, self._folder = loop, folder
        self._numbers = itertools.count()
        self.launcher = loop.run(Launcher.start(SandboxSettings(warm=warm, **settings)))
        self._content = archive(code)
        (folder / "archive").write_bytes(self._content)

    def start(self, limits: Limits | None = None, parts: tuple[str, ...] = ()):
        return self._loop.run(self.launcher.launch(self.spec(limits, parts)))

    def spec(self, limits: Limits | None = None, parts: tuple[str, ...] = ()) -> BotSpec:
        path = self._folder / f"{next(self._numbers)}.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
        digest = hashlib.sha256(self._content).hexdigest()
        return BotSpec(digest, self._folder / "archive", path, limits or Limits(), parts=parts)

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
def parted(loop, tmp_path):
    """A launcher whose bots say what they see of the runtime, and wait."""
    made = WarmLauncher(loop, tmp_path, warm=2, code=LOOKING_BOT)
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


def test_warming_a_sandbox_is_not_charged_to_the_bot(warm_launcher, until):
    # A busy machine makes single runs dear; what is charged for warming is charged in each.
    reports, cold = [], [warm_launcher.run(Limits(wall_seconds=60)) for _ in range(5)]

    def three_are_warm() -> bool:
        reports.append(warm_launcher.run())
        return sum(report.stderr.startswith("warm") for report in reports) >= 3

    assert until(three_are_warm)
    warm = [report for report in reports if report.stderr.startswith("warm")]
    assert all(report.stderr.startswith("cold") for report in cold)
    assert min(one.cpu_seconds for one in warm) < 0.8 * min(one.cpu_seconds for one in cold)


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


def test_sandboxes_wait_again_after_all_were_killed_at_once_ever_so_often(warm_launcher, until):
    """As by the kernel, which ends processes where memory runs out."""
    killed = set()

    def is_told() -> bool:
        # On a busy machine some are ready before they are seen, which ends the row.
        for number in warm_launcher.waiting():
            with suppress(ProcessLookupError):
                os.kill(number, 9)
            killed.add(number)
        return "warm sandboxes in a row came to nothing" in warm_launcher.launcher.trouble

    assert until(is_told)
    assert until(lambda: len(set(warm_launcher.waiting()) - killed) == 2)
    assert until(lambda: warm_launcher.launcher.trouble == "")


def test_a_launcher_without_a_uid_left_says_so_and_goes_on(loop, until, tmp_path):
    made = WarmLauncher(loop, tmp_path, warm=3, code=LOOKING_BOT, first_uid=290_000, uids=3)
    bots = []

    def start() -> bool:
        try:
            bots.append(made.start())
        except SandboxError as error:
            return "all uids for bots on this machine are in use" in str(error)
        return False

    assert until(start)
    assert until(lambda: "all uids for bots on this machine are in use" in made.launcher.trouble)
    for bot in bots:
        loop.run(bot.kill())
    assert until(lambda: made.launcher.trouble == "")
    loop.run(made.launcher.close())
    assert made.uids() == set()


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


def both_warm(launcher, until, *kinds: tuple[str, ...]) -> list:
    """Start two bots with these parts until both got sandboxes that waited; they have said what they see."""
    bots = []

    def start() -> bool:
        bots[:] = [launcher.start(parts=parts) for parts in kinds]
        assert until(lambda: all("\n" in bot.stderr for bot in bots))
        if all(bot.stderr.startswith("warm") for bot in bots):
            return True
        for bot in bots:
            launcher._loop.run(bot.kill())
        return False

    assert until(start)
    return bots


def shown_to(bot) -> dict[str, str]:
    """Flags of the mounts of the runtime that a process sees; later mounts cover earlier ones."""
    lines = [line.split() for line in Path(f"/proc/{bot.pid}/mountinfo").read_text().splitlines()]
    return {fields[4]: fields[5] for fields in lines if fields[4].startswith(("/usr", "/opt"))}


def test_a_warm_sandbox_shows_the_parts_of_its_bot_and_to_no_other(parted, until):
    """Bots take two sandboxes that waited at the same time: what the first was shown, the second lacks."""
    first, second = both_warm(parted, until, ("perl", "sh"), ())
    assert first.stderr == "warm ['perl', 'python', 'sh'] True writes []\n"
    assert second.stderr == "warm ['python'] False writes []\n"
    assert shown_to(first).keys() - shown_to(second).keys() == {"/opt/parts/perl", "/opt/parts/sh"}


def test_the_end_of_a_bot_takes_nothing_from_others_with_its_parts(parted, until):
    first, second = both_warm(parted, until, ("perl",), ("perl",))
    before = shown_to(second)
    parted._loop.run(first.kill())
    assert shown_to(second) == before
    third, _ = both_warm(parted, until, ("perl",), ())
    assert third.stderr == "warm ['perl', 'python'] True writes []\n"
    assert shown_to(third) == before


def test_parts_are_mounted_in_a_warm_sandbox_as_in_a_cold_one(parted, until):
    warm, _ = both_warm(parted, until, ("awk", "perl"), ())
    cold = parted.start(Limits(wall_seconds=60), ("awk", "perl"))
    assert until(lambda: "\n" in cold.stderr)
    assert warm.stderr.split(" ", 1)[1] == cold.stderr.split(" ", 1)[1]
    found = shown_to(warm)
    assert found == shown_to(cold)
    assert all({"ro", "nosuid", "nodev"} <= set(options.split(",")) for options in found.values())


def test_a_bot_with_onnxruntime_gets_a_sandbox_of_its_own(parted, until):
    bot = parted.start(parts=("onnxruntime",))
    assert until(lambda: "\n" in bot.stderr)
    assert bot.stderr.startswith("cold ['onnxruntime', 'python']")


def test_a_part_that_does_not_exist_is_refused_and_costs_one_warm_sandbox(parted, until):
    with pytest.raises(SandboxError, match="there is no part 'cobol'; possible are python, javascript"):
        parted.start(parts=("cobol",))
    assert until(lambda: len(parted.waiting()) == 2)


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
    assert said.count("until the sandbox holds the bot") == said.count("until its hello") == 4
    assert said.endswith("goal: a warm start takes at most 0.001 ms: missed\n")
