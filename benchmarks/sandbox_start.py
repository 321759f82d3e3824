"""Time that a match waits for a hosted bot: `python -m benchmarks.sandbox_start`.

Milliseconds from the arbiter's order until a sandbox holds the bot, and until the bot has said hello, where
sandboxes wait warm and where each is built when it is needed. The goal is for the first: a warm start costs a
match at most ten milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import statistics
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.contract import BotSpec, SandboxLevel
from stichkampf_arbiter.sandbox.settings import SandboxSettings

GOAL_MS = 10.0
REFILL_SECONDS = 1.0
"""A platform has pauses between its matches; in them the pool is filled again."""
BOT = """
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        return table.legal[0]
"""


async def start_once(launcher: Launcher, folder: Path, number: int) -> tuple[float, float]:
    """Start a bot and end it; milliseconds until its sandbox held it, and until its hello."""
    # Not at the top: the launcher starts before gRPC is imported.
    from stichkampf_arbiter.connection.gateway import Gateway

    socket = folder / f"{number}.sock"
    gateway = Gateway("bench", time.monotonic)
    await gateway.listen(socket)
    archive = folder / "archive"
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    begun = time.perf_counter()
    bot = await launcher.launch(BotSpec(digest, archive, socket))
    held = time.perf_counter()
    await gateway.stream
    hello = time.perf_counter()
    await gateway.close()
    await bot.kill()
    return (held - begun) * 1000, (hello - begun) * 1000


async def measure(folder: Path, *, warm: int, starts: int) -> tuple[SandboxLevel, list[tuple[float, float]]]:
    """The level of this machine's sandbox, and what each start took; none where it is refused."""
    launcher = await Launcher.start(SandboxSettings(warm=warm))
    found = []
    try:
        for number in range(starts if launcher.level is not SandboxLevel.REFUSED else 0):
            if warm:
                await asyncio.sleep(REFILL_SECONDS)
            found.append(await start_once(launcher, folder, number))
    finally:
        await launcher.close()
    if launcher.level is SandboxLevel.REFUSED:
        print(f"no sandbox: {launcher.reason}", file=sys.stderr)
    return launcher.level, found


def row(name: str, milliseconds: Sequence[float]) -> str:
    return f"| {name} | {statistics.median(milliseconds):.1f} | {max(milliseconds):.1f} |"


async def run(starts: int, folder: Path) -> int:
    with zipfile.ZipFile(folder / "archive", "w") as archive:
        archive.writestr("bot.py", BOT)
    level, warm = await measure(folder, warm=3, starts=starts)
    if not warm:
        return 1
    _, cold = await measure(folder, warm=0, starts=starts)
    print(f"\n{starts} starts each, sandbox: {level}\n\n| ms | median | longest |\n|---|---|---|")
    for name, found in (("warm", warm), ("cold", cold)):
        held, hello = zip(*found, strict=True)
        print(row(f"{name}, until the sandbox holds the bot", held))
        print(row(f"{name}, until its hello", hello))
    median = statistics.median(held for held, _ in warm)
    print(f"\ngoal: a warm start takes at most {GOAL_MS:g} ms: {'met' if median <= GOAL_MS else 'missed'}")
    return 0 if median <= GOAL_MS else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=20)
    chosen = parser.parse_args()
    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
    with tempfile.TemporaryDirectory(prefix="sk-") as folder:
        return asyncio.run(run(chosen.starts, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
