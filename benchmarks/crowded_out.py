"""Attacks that take all downloads and connections, from one address and from sixty-four, and what others see.

    python benchmarks/crowded_out.py [--port 9380] [--seconds 12]

It starts a platform, plays the demonstration, and attacks it from addresses of 127.0.0.0/8. A visitor of
another address asks for pages meanwhile. Exit status 1 where a bound is missed: from one address all answers
200 and 95 of 100 pages within half a second; from sixty-four at most 503 with a time; all well after 3 s.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import resource
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from running_platform import running_platform

PAGES = ("/bots/", "/ladders/sticheln/", "/tournaments/", "/games/")
DATA = "/api/v1/data/records.jsonl"
SMALL = "/static/web/theme.js"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
OTHER = "127.0.9.9"
BOUND_SECONDS, WELL_AGAIN_SECONDS = 0.5, 3.0
DOWNLOADS, CONNECTIONS, SILENT, VISITORS = 200, 1050, 600, 200


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

    async def visit(self, seconds: float, seen: Seen, source: str = OTHER, pause: float = 0.3) -> None:
        end, number = time.monotonic() + seconds, 0
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
    alone, together = Seen(), Seen()
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
    crowd = [site.visit(seconds, together, "127.0.0.1", pause=10.0) for _ in range(VISITORS)]
    await asyncio.gather(*crowd)
    times = f"{1000 * statistics.median(together.seconds):.0f} ms | {1000 * together.p95:.0f} ms"
    print(
        f"| {VISITORS} visitors of one address, a page each 10 s | {dict(together.statuses)} | {times} | | |"
    )
    if set(together.statuses) != {"200"}:
        wrong.append(f"visitors behind one address: {together.statuses}")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(prog="crowded_out", description=__doc__)
    parser.add_argument("--port", type=int, default=9380)
    parser.add_argument("--seconds", type=float, default=12.0)
    args = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
    with running_platform(args.port) as platform:
        platform.start_demonstration()
        time.sleep(20)
        gate = int(platform.installation.remote_listen.rpartition(":")[2])
        wrong = asyncio.run(measured(Site(args.port, gate), args.seconds))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
