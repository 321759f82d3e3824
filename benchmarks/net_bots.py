"""A trained bot of ten million weights in the sandbox: `python -m benchmarks.net_bots`.

CPU time of a decision, the observation of the table included, in the sandbox and outside, in turns in one
run; and the time from the arbiter's order until the bot has said hello. Goals: in the sandbox at most 1.5
times the time outside, at most 10 ms, and a start of at most 3 s. Of a start the time counts in which the bot
had a core, as in a match: other work on the machine is not its own.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from stichkampf.lab.batch.nets import save_net
from stichkampf.lab.batch.trained import TableObserver
from stichkampf.limits import NET
from stichkampf.packaging.archive import pack
from stichkampf.testing import table_at
from stichkampf.timing.core_waits import CoreWaitMeter
from stichkampf_arbiter.sandbox.client import Launcher, SandboxedBot
from stichkampf_arbiter.sandbox.contract import ARCHIVE, CLIENT_COMMAND, PYTHON, BotSpec, SandboxLevel
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.settings import SandboxSettings

if TYPE_CHECKING:
    from stichkampf_arbiter.connection.frame_gateway import FrameGateway

FACTOR_GOAL, DECISION_GOAL_MS, START_GOAL_SECONDS = 1.5, 10.0, 3.0
GAME, SEATS = "sticheln", 4
HIDDEN = 2500
LOOK_SECONDS = 0.1
BOT = """
from pathlib import Path
from stichkampf import Bot
from stichkampf.lab.batch.nets import Net

NET = Net(Path(__file__).with_name("net.onnx"))

class Large(Bot):
    def choose(self, table):
        chances = NET.chances(table)
        return max(chances, key=chances.__getitem__)
"""
DECIDE = """
import statistics, sys, tempfile, time
from pathlib import Path
from stichkampf.packaging.archive import unpack
from stichkampf.lab.batch.nets import Net
from stichkampf.testing import table_at

folder = Path(tempfile.mkdtemp())
unpack(Path(sys.argv[1]).read_bytes(), folder)
net, table = Net(folder / "net.onnx"), table_at({game!r}, {seats})
for _ in range(20):
    net.chances(table)
taken = []
for _ in range({decisions}):
    begun = time.process_time()
    net.chances(table)
    taken.append(time.process_time() - begun)
print("median", statistics.median(taken), flush=True)
"""


def make_archive(folder: Path) -> Path:
    """Pack a bot whose network has ten million weights, drawn at random."""
    observer = TableObserver(table_at(GAME, SEATS).game)
    sizes = (observer.layout.size, HIDDEN, HIDDEN, len(observer.words))
    rng = np.random.default_rng(1)
    layers = [
        (rng.normal(0, before**-0.5, (before, after)), np.zeros(after)) for before, after in pairwise(sizes)
    ]
    print(f"{sum(weights.size for weights, _ in layers):,} weights")
    bot = folder / "large"
    bot.mkdir()
    save_net(bot / "net.onnx", layers, observer.layout.scales)
    (bot / "bot.py").write_text(BOT)
    (bot / "stichkampf.toml").write_text(f'name = "Large"\nweight = "{NET.name}"\n')
    archive = folder / "archive"
    archive.write_bytes(pack(bot))
    return archive


class Trials:
    """Decisions and starts of one archive."""

    def __init__(self, launcher: Launcher, archive: Path, decisions: int) -> None:
        self._launcher, self._archive = launcher, archive
        self._digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        self._script = DECIDE.format(game=GAME, seats=SEATS, decisions=decisions)
        self._sockets = 0

    def outside(self) -> float:
        """Return the median CPU time of a decision outside, in milliseconds."""
        command = [sys.executable, "-c", self._script, str(self._archive)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return 1000 * float(done.stdout.split("median")[1])

    async def inside(self) -> float:
        """Return the same in the sandbox."""
        bot, gateway = await self._launch((PYTHON, "-I", "-c", self._script, ARCHIVE))
        await bot.wait()
        await gateway.close()
        if "median" not in bot.stderr:
            raise RuntimeError(f"the bot did not run: {bot.stderr}")
        return 1000 * float(bot.stderr.split("median")[1])

    async def start(self) -> tuple[float, float]:
        """Start it as a match does; return the seconds until its hello, and those of them with a core."""
        begun = time.monotonic()
        bot, gateway = await self._launch(CLIENT_COMMAND)
        waits = CoreWaitMeter(bot.sample)
        kept = 0.0
        while not gateway.stream.done():
            await asyncio.wait([gateway.stream], timeout=LOOK_SECONDS)
            kept = waits.measure(begun, time.monotonic())
        taken = time.monotonic() - begun
        await gateway.close()
        await bot.kill()
        return taken, taken - kept

    async def _launch(self, command: tuple[str, ...]) -> tuple[SandboxedBot, FrameGateway]:
        # Not at the top: the launcher starts before gRPC is imported.
        from stichkampf_arbiter.connection.frame_gateway import FrameGateway

        self._sockets += 1
        socket = self._archive.with_name(f"{self._sockets}.sock")
        gateway = FrameGateway("bench", time.monotonic)
        await gateway.listen(socket)
        spec = BotSpec(self._digest, self._archive, socket, Limits.of(NET), command, NET.parts)
        return await self._launcher.launch(spec), gateway


async def run(folder: Path, *, rounds: int, decisions: int) -> int:
    launcher = await Launcher.start(SandboxSettings(warm=0))
    try:
        if launcher.level is SandboxLevel.REFUSED or launcher.missing_parts:
            print(f"no sandbox for it: {launcher.reason or launcher.missing_parts}", file=sys.stderr)
            return 1
        trials = Trials(launcher, make_archive(folder), decisions)
        outside, inside, starts = [], [], []
        for _ in range(rounds):
            outside.append(await asyncio.to_thread(trials.outside))
            inside.append(await trials.inside())
            starts.append(await trials.start())
    finally:
        await launcher.close()
    out, within = statistics.median(outside), statistics.median(inside)
    on_the_clock, start = (statistics.median(found) for found in zip(*starts, strict=True))
    print(f"CPU time of a decision: {within:.2f} ms in the sandbox, {out:.2f} ms outside")
    print(f"start, until its hello: {start:.2f} s with a core, {on_the_clock:.2f} s on the clock")
    goals = {
        f"at most {FACTOR_GOAL:g} times the time outside ({within / out:.2f})": within <= FACTOR_GOAL * out,
        f"a decision of at most {DECISION_GOAL_MS:g} ms": within <= DECISION_GOAL_MS,
        f"a start of at most {START_GOAL_SECONDS:g} s": start <= START_GOAL_SECONDS,
    }
    for goal, is_met in goals.items():
        print(f"goal: {goal}: {'met' if is_met else 'missed'}")
    return 0 if all(goals.values()) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--decisions", type=int, default=200)
    chosen = parser.parse_args()
    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
    with tempfile.TemporaryDirectory(prefix="sk-") as folder:
        return asyncio.run(run(Path(folder), rounds=chosen.rounds, decisions=chosen.decisions))


if __name__ == "__main__":
    sys.exit(main())
