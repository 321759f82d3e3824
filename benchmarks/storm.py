"""Many visitors at once, and a report of their answers as JSON.

    python benchmarks/storm.py ADDRESS [--visitors 500] [--seconds 60] [--pause S] [--apart] PATH...

Each visitor asks for the paths in turn over one connection, again as soon as it has an answer, and does not
heed Retry-After. With `--pause` it asks once in so many seconds, over a connection of its own each time. With
`--apart` each request has an address of its own. When the time is over, or SIGTERM comes, all leave at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import re
import signal
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from typing import Any
from urllib.parse import urlsplit

PATIENCE_SECONDS = 60.0
"""Time without an answer after which a visitor gives up; that is an error."""
SPAN_SECONDS = 10.0
"""Length of the spans over which the rate "all the while" is the lowest."""


class Line:
    """A visitor's connection, kept open from one request to the next."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, path: str) -> tuple[int, str]:
        """Return status and head of the answer."""
        if self.reader is None or self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin1").lower()
        length = re.search(r"\ncontent-length: *(\d+)", head)
        if length is None:
            raise ValueError(f"an answer without a length: {head}")
        await self.reader.readexactly(int(length[1]))
        if "\nconnection: close" in head:
            self.close()
        return int(head.split()[1]), head

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


class Seen:
    """Answers and times of the visitors."""

    def __init__(self) -> None:
        self.began = self.ended = time.monotonic()
        self.statuses: Counter[int] = Counter()
        self.errors: Counter[str] = Counter()
        self.answered: list[float] = []
        """Time of each answer 200, in seconds from the start."""
        self.waited: list[float] = []
        """Duration of each of them, in seconds."""
        self.without_time = 0
        """Answers 503 that do not say when to try again."""

    def note(self, status: int, head: str, waited: float) -> None:
        self.statuses[status] += 1
        if status == 200:
            self.answered.append(time.monotonic() - self.began)
            self.waited.append(waited)
        elif status == 503:
            self.without_time += "\nretry-after:" not in head

    def told(self) -> dict[str, Any]:
        seconds = self.ended - self.began
        span = min(SPAN_SECONDS, seconds)
        per_span = Counter(int(at // span) for at in self.answered)
        waited = sorted(self.waited)
        return {
            "statuses": self.statuses,
            "errors": self.errors,
            "503 without a time": self.without_time,
            "200 a second": self.statuses[200] / seconds,
            "lowest 200 a second": min(
                (per_span[number] for number in range(int(seconds // span))), default=0
            )
            / span,
            "cores": time.process_time() / seconds,
            "seconds waited": {
                f"p{part}": round(waited[math.ceil(len(waited) * part / 100) - 1], 3) if waited else None
                for part in (50, 95, 99)
            },
        }


async def storm(
    address: str, paths: list[str], visitors: int, seconds: float, *, pause: float = 0, apart: bool = False
) -> Seen:
    """Run a number of visitors for some seconds.

    :param pause: seconds from one page of a visitor to the next; the visitors are spread evenly over them.
    """
    where = urlsplit(address)
    assert where.hostname is not None
    assert where.port is not None
    lines = [Line(where.hostname, where.port) for _ in range(visitors)]
    seen, request = Seen(), count()

    async def visit(step: int, line: Line) -> None:
        next_at = seen.began + pause * step / visitors
        while True:
            if pause:
                await asyncio.sleep(next_at - time.monotonic())
                next_at += pause
            step, asked = step + 1, time.monotonic()
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    path = paths[step % len(paths)]
                    status, head = await line.ask(f"{path}?request={next(request)}" if apart else path)
                seen.note(status, head, time.monotonic() - asked)
            except (OSError, EOFError) as error:
                seen.errors[type(error).__name__] += 1
                line.close()
                await asyncio.sleep(0.05)
            if pause:
                line.close()

    with suppress(TimeoutError):
        async with asyncio.timeout(seconds) as limit, asyncio.TaskGroup() as crowd:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, limit.reschedule, 0)
            for number, line in enumerate(lines):
                crowd.create_task(visit(number, line))
    seen.ended = time.monotonic()
    for line in lines:
        line.close()
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("address", help="such as http://127.0.0.1:8000/")
    parser.add_argument("--visitors", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument(
        "--pause", type=float, default=0.0, help="seconds from one page of a visitor to the next"
    )
    parser.add_argument("--apart", action="store_true", help="no two ask for the same")
    parser.add_argument("paths", nargs="+", metavar="PATH")
    words = parser.parse_args()
    visitors = storm(
        words.address, words.paths, words.visitors, words.seconds, pause=words.pause, apart=words.apart
    )
    print(json.dumps(asyncio.run(visitors).told()))


if __name__ == "__main__":
    main()
