"""Time that a match waits for a hosted bot: `python -m benchmarks.sandbox_start`.

Milliseconds from the arbiter's order until a sandbox holds the bot, and until the bot has said hello, where
sandboxes wait warm and where each is built when it is needed, for a bot in Python and for a program that
needs a further part of the runtime. The goal is that a warm sandbox holds the bot within ten milliseconds.
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
PERL_BOT = """
use JSON::PP;
$| = 1;
while (<STDIN>) {
    print encode_json({ action => decode_json($_)->{legal}[0] }), "\\n";
}
"""
PERL_MANIFEST = """
name = "Karl"
language = "perl"
protocol = "lines"
command = ["perl", "karl.pl"]
"""
BOTS = {
    "in Python": ({"bot.py": BOT}, ()),
    "a command in Perl": ({"karl.pl": PERL_BOT, "stichkampf.toml": PERL_MANIFEST}, ("perl",)),
}
"""Files of an archive, and the parts of the runtime that it needs."""


async def start_once(
    launcher: Launcher, folder: Path, number: int, parts: tuple[str, ...]
) -> tuple[float, float]:
    """Start a bot and end it; milliseconds until its sandbox held it, and until its hello."""
    # Not at the top: the launcher starts before gRPC is imported.
    from stichkampf_arbiter.connection.frame_gateway import FrameGateway

    socket = folder / f"{number}.sock"
    gateway = FrameGateway("bench", time.monotonic)
    await gateway.listen(socket)
    archive = folder / "archive"
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    begun = time.perf_counter()
    bot = await launcher.launch(BotSpec(digest, archive, socket, parts=parts))
    held = time.perf_counter()
    ended = asyncio.ensure_future(bot.wait())
    await asyncio.wait((ended, gateway.stream), return_when=asyncio.FIRST_COMPLETED)
    if ended.done():
        raise SystemExit(f"the bot ended before its hello: {bot.stderr}")
    hello = time.perf_counter()
    await gateway.close()
    await bot.kill()
    return (held - begun) * 1000, (hello - begun) * 1000


async def measure(
    folder: Path, parts: tuple[str, ...], *, warm: int, starts: int
) -> tuple[SandboxLevel, list[tuple[float, float]]]:
    """The level of this machine's sandbox, and what each start took; none where it is refused."""
    launcher = await Launcher.start(SandboxSettings(warm=warm))
    found = []
    try:
        # The first start copies its parts into memory, and is not counted.
        for number in range(1 + starts if launcher.level is not SandboxLevel.REFUSED else 0):
            if warm:
                await asyncio.sleep(REFILL_SECONDS)
            found.append(await start_once(launcher, folder, number, parts))
    finally:
        await launcher.close()
    if launcher.level is SandboxLevel.REFUSED:
        print(f"no sandbox: {launcher.reason}", file=sys.stderr)
    return launcher.level, found[1:]


def row(name: str, milliseconds: Sequence[float]) -> str:
    return f"| {name} | {statistics.median(milliseconds):.1f} | {max(milliseconds):.1f} |"


async def run(starts: int, folder: Path) -> int:
    print(f"{starts} starts each\n\n| ms | median | longest |\n|---|---|---|")
    medians = []
    for name, (files, parts) in BOTS.items():
        with zipfile.ZipFile(folder / "archive", "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)
        for kind, waiting in (("warm", 3), ("cold", 0)):
            level, found = await measure(folder, parts, warm=waiting, starts=starts)
            if level is SandboxLevel.REFUSED:
                return 1
            held, hello = zip(*found, strict=True)
            print(row(f"{name}, {kind}, until the sandbox holds the bot", held))
            print(row(f"{name}, {kind}, until its hello", hello))
            medians += [statistics.median(held)] if waiting else []
    is_met = max(medians) <= GOAL_MS
    print(f"\nsandbox: {level}")
    print(f"goal: a warm start takes at most {GOAL_MS:g} ms: {'met' if is_met else 'missed'}")
    return 0 if is_met else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=20)
    chosen = parser.parse_args()
    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
    with tempfile.TemporaryDirectory(prefix="sk-") as folder:
        return asyncio.run(run(chosen.starts, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
