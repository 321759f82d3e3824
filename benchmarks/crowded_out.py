"""Attacks that take all downloads and connections, from one address and from sixty-four, and what others see.

    python benchmarks/crowded_out.py [--port 9380] [--seconds 12] [--neighbours]

It starts a platform, plays the demonstration, and attacks it from addresses of 127.0.0.0/8. A visitor of
another address asks for pages meanwhile. Then two hundred visitors and 35 remote bots, which connect with
`stichkampf connect`, behave, all behind one address, which nobody attacks. Exit status 1 where a bound is
missed: from one address, attacked or not, all answers 200 and 95 of 100 pages within half a second, and every
bot connected all the while; from sixty-four at most 503 with a time; all well after 3 s.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from running_platform import RunningPlatform, running_platform
from stichkampf_platform.supervisor import preparation

PAGES = ("/bots/", "/ladders/sticheln/", "/tournaments/", "/games/")
DATA = "/api/v1/data/records.jsonl"
SMALL = "/static/web/site.js"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
OTHER = "127.0.9.9"
BOUND_SECONDS, WELL_AGAIN_SECONDS = 0.5, 3.0
DOWNLOADS, CONNECTIONS, SILENT, VISITORS, BOTS = 200, 1050, 600, 200, 35
CONNECT_SECONDS, PAUSE_SECONDS = 120.0, 10.0
BOT = """
from stichkampf import Bot

class Neighbour(Bot):
    games = ("sticheln",)

    def choose(self, table):
        return table.legal[0]
"""
TOKENS = f"""
import json
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.people.services import sign_up
people = [sign_up(username=name, password="kreide-tafel-schwamm") for name in ("ann", "eva")]
print(json.dumps([
    create_remote_version(owner=people[number % 2], slug=f"home-{{number}}", games=["sticheln"])[1]
    for number in range({BOTS})
]))
"""


@dataclass
class Seen:
    """Statuses and times of the answers to the other visitor."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    untimed: int = 0

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.seconds, n=20)[-1] if len(self.seconds) > 1 else 0.0


class Site:
    """The addresses of site and gate."""

    def __init__(self, port: int, gate: int) -> None:
        self.port, self.gate = port, gate

    async def ask(self, path: str, source: str) -> tuple[str, bool]:
        """Return the status of an answer, and whether a 503 says when to come again."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(source, 0))
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            whole = await reader.read()
        finally:
            writer.close()
        head = whole.partition(b"\r\n\r\n")[0].lower()
        return head.split()[1].decode() if head else "closed", b"retry-after" in head

    async def visit(
        self, seconds: float, seen: Seen, source: str = OTHER, *, pause: float = 0.3, first: float = 0.0
    ) -> None:
        end, number = time.monotonic() + seconds, 0
        await asyncio.sleep(first)
        while time.monotonic() < end:
            number += 1
            began = time.monotonic()
            try:
                async with asyncio.timeout(30):
                    path = f"{PAGES[number % len(PAGES)]}?v={source}-{number}"
                    status, timed = await self.ask(path, source)
            except (OSError, TimeoutError) as error:
                status, timed = type(error).__name__, False
            seen.statuses[status] += 1
            seen.untimed += status == "503" and not timed
            seen.seconds.append(time.monotonic() - began)
            await asyncio.sleep(pause)

    async def answers_bot(self, source: str) -> bool:
        """Tell whether the gate speaks to a new connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.gate, local_addr=(source, 0))
        writer.write(PREFACE)
        try:
            async with asyncio.timeout(5):
                return bool(await reader.read(9))
        except (OSError, TimeoutError):
            return False
        finally:
            writer.close()

    async def download(self, source: str) -> None:
        while True:
            with contextlib.suppress(OSError):
                await self.ask(DATA, source)
            await asyncio.sleep(0.05)

    async def hold(self, source: str) -> None:
        """Keep a connection open with a small request every four seconds."""
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(source, 0))
                try:
                    while not reader.at_eof():
                        writer.write(f"GET {SMALL} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                        await reader.read(65_536)
                        await asyncio.sleep(4)
                finally:
                    writer.close()
            await asyncio.sleep(1)

    async def say_nothing(self, source: str) -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.gate, local_addr=(source, 0))
                writer.write(PREFACE)
                try:
                    while await reader.read(4096):
                        pass
                finally:
                    writer.close()
            await asyncio.sleep(1)


Attack = Callable[[str], Awaitable[None]]


async def attacked(site: Site, attack: Attack, number: int, addresses: int, seconds: float) -> list[str]:
    """Attack for some seconds; print what another visitor saw, and return what was not as wanted."""
    seen, after, bots = Seen(), Seen(), Counter[bool]()
    names = [f"127.0.{1 + at // 200}.{1 + at % 200}" for at in range(addresses)]
    tasks = [asyncio.ensure_future(attack(names[at % addresses])) for at in range(number)]
    await asyncio.sleep(2)
    visiting = asyncio.ensure_future(site.visit(seconds, seen))
    while not visiting.done():
        bots[await site.answers_bot(OTHER)] += 1
        await asyncio.sleep(1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(WELL_AGAIN_SECONDS)
    await site.visit(2, after)
    name = f"{attack.__name__} x {number} of {addresses}"
    print(
        f"| {name} | {dict(seen.statuses)} | {1000 * statistics.median(seen.seconds):.0f} ms |"
        f" {1000 * seen.p95:.0f} ms | {bots[True]} of {bots.total()} | {dict(after.statuses)} |",
        flush=True,
    )
    wrong = [f"{name}: {after.statuses} afterwards"] if set(after.statuses) != {"200"} else []
    if addresses == 1:
        if set(seen.statuses) != {"200"} or bots[False]:
            wrong.append(f"{name}: {seen.statuses}, bots kept out {bots[False]} times")
        if seen.p95 > BOUND_SECONDS:
            wrong.append(f"{name}: p95 {seen.p95:.2f} s")
    elif not set(seen.statuses) <= {"200", "503"} or seen.untimed:
        wrong.append(f"{name}: {seen.statuses}, {seen.untimed} of them 503 without a time")
    return wrong


async def measured(site: Site, seconds: float) -> list[str]:
    alone = Seen()
    await site.visit(4, alone)
    print("| attack | others' answers | median | p95 | bots let in | 3 s after |")
    print("|---|---|---|---|---|---|")
    print(f"| none | {dict(alone.statuses)} | {1000 * statistics.median(alone.seconds):.0f} ms |"
          f" {1000 * alone.p95:.0f} ms | | |", flush=True)  # fmt: skip
    wrong = []
    for addresses in (1, 64):
        for attack, number in (
            (site.download, DOWNLOADS), (site.hold, CONNECTIONS), (site.say_nothing, SILENT)
        ):  # fmt: skip
            wrong += await attacked(site, attack, number, addresses, seconds)
    return wrong


@contextlib.contextmanager
def bots_at_home(platform: RunningPlatform) -> Iterator[list[Path]]:
    """Connect the remote bots; yields what each of them says, in files."""
    printed = preparation.manage(platform.installation, ("shell", "-c", TOKENS))
    gate = platform.installation.remote_listen
    connect = [sys.executable, "-m", "stichkampf", "connect", "bot.py", "--server", gate, "--plaintext"]
    with tempfile.TemporaryDirectory(prefix="sk-bots-") as folder, contextlib.ExitStack() as running:
        home = Path(folder)
        (home / "bot.py").write_text(BOT)
        logs = []
        for number, token in enumerate(json.loads(printed.splitlines()[-1])):
            (home / f"token-{number}").write_text(token)
            logs.append(home / f"log-{number}")
            with logs[-1].open("wb") as log:
                command = [*connect, "--token-file", f"token-{number}"]
                bot = subprocess.Popen(command, cwd=home, stdout=log, stderr=subprocess.STDOUT)
            running.callback(bot.wait)
            running.callback(bot.terminate)
        end = time.monotonic() + CONNECT_SECONDS
        while time.monotonic() < end and not all("connected to" in log.read_text() for log in logs):
            time.sleep(0.5)
        yield logs


async def neighbours(site: Site, seconds: float, logs: list[Path]) -> list[str]:
    """Let all visitors of one address ask for pages, beside its bots; return what was not as wanted."""
    seen = Seen()
    visits = (
        site.visit(seconds, seen, "127.0.0.1", pause=PAUSE_SECONDS, first=PAUSE_SECONDS * number / VISITORS)
        for number in range(VISITORS)
    )
    await asyncio.gather(*visits)
    said = [log.read_text() for log in logs]
    undisturbed = sum("connected to" in text and "lost" not in text for text in said)
    name = f"{VISITORS} visitors, a page each {PAUSE_SECONDS:.0f} s, {BOTS} bots, one address, no attack"
    print(
        f"| {name} | {dict(seen.statuses)} | {1000 * statistics.median(seen.seconds):.0f} ms |"
        f" {1000 * seen.p95:.0f} ms | {undisturbed} of {BOTS} | |"
    )
    wrong = [] if set(seen.statuses) == {"200"} else [f"{name}: {seen.statuses}"]
    if seen.p95 > BOUND_SECONDS:
        wrong.append(f"{name}: p95 {seen.p95:.2f} s")
    if undisturbed < BOTS:
        wrong.append(f"{name}: {next(text for text in said if 'connected to' not in text or 'lost' in text)}")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(prog="crowded_out", description=__doc__)
    parser.add_argument("--port", type=int, default=9380)
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--neighbours", action="store_true", help="only those who behave")
    args = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    with running_platform(args.port) as platform:
        platform.start_demonstration()
        time.sleep(20)
        gate = int(platform.installation.remote_listen.rpartition(":")[2])
        site = Site(args.port, gate)
        wrong = [] if args.neighbours else asyncio.run(measured(site, args.seconds))
        with bots_at_home(platform) as logs:
            wrong += asyncio.run(neighbours(site, 2 * args.seconds, logs))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
