"""Many visitors at once, on a real installation, while a tournament runs beside them.

    python benchmarks/visitors.py [--visitors 500] [--seconds 60] [--apart] [--database URL] [--port N]

Starts the services of `make up` in a temporary folder, on SQLite or in the empty database of the URL, with
the demonstration tournament of 192 matches. After its first block, `storm.py` makes the visitors request a
ladder, a bot and a replay. With `--apart` each request has its own address, so that no answer serves two.

Exits 1 if a promise of docs/platform-speed.md is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from platform import machine, python_version
from typing import Any

import psycopg
from running_platform import RunningPlatform, process_tree, running_platform
from stichkampf_platform.supervisor.installation import Installation
from stichkampf_platform.supervisor.process_manager import StopAsked

PATHS = ("/ladders/sticheln/", "/bots/house/thumb/", "/r/1/")
TABLES = 192
FLOOR = 25.0
"""Answers 200 a second, over any ten seconds of the storm."""
AFTERWARDS_SECONDS = 5.0
ANSWER_SECONDS = 1.0
GROWTH = 1.2
STANDSTILL_SECONDS = 60.0
MOST_SECONDS = 900.0
DATABASE_FULL = 90
"""The most connections of PostgreSQL's 100 that may be open."""


class Database:
    """The database of an installation, read from outside."""

    def __init__(self, installation: Installation) -> None:
        self.address = os.environ.get("DATABASE_URL", "")
        self.file = installation.state / "stichkampf.sqlite3"

    def number(self, query: str) -> int:
        opened: Any = (
            psycopg.connect(self.address) if self.address else sqlite3.connect(self.file, timeout=30)
        )
        with closing(opened) as connection:
            return int(connection.execute(query).fetchone()[0])

    def done(self) -> int:
        return self.number("SELECT count(*) FROM tournaments_table WHERE state = 'done'")

    def connections(self, pids: list[int]) -> int:
        """Count connections of all programs to PostgreSQL, or of the site's processes to SQLite's file."""
        if self.address:
            query = "SELECT count(*) - 1 FROM pg_stat_activity WHERE backend_type = 'client backend'"
            return self.number(query)
        return sum(os.path.basename(target) == self.file.name for target in files_of(pids))


class Measurements:
    """Measurements taken once a second during the tournament."""

    def __init__(self, installation: Installation, pids: list[int]) -> None:
        self.installation, self.pids, self.database = installation, pids, Database(installation)
        self.most_connections = self.slowest_health = self.standstill = 0.0
        self.failed_health = 0
        self.done, self.since = self.database.done(), time.monotonic()

    def look(self) -> None:
        self.most_connections = max(self.most_connections, self.database.connections(self.pids))
        status, seconds = ask(f"{self.installation.address}health/")
        self.failed_health += status != 200
        self.slowest_health = max(self.slowest_health, seconds)
        done = self.database.done()
        if done > self.done or done == TABLES:
            self.done, self.since = done, time.monotonic()
        self.standstill = max(self.standstill, time.monotonic() - self.since)

    def until(self, over: Callable[[], bool]) -> None:
        deadline = time.monotonic() + MOST_SECONDS
        while not over():
            assert time.monotonic() < deadline, "the tournament does not end"
            self.look()
            time.sleep(1)


def ask(address: str) -> tuple[int, float]:
    """Return status and seconds of an answer."""
    began = time.monotonic()
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            answer.read()
            return answer.status, time.monotonic() - began
    except urllib.error.HTTPError as error:
        return error.code, time.monotonic() - began


def files_of(pids: list[int]) -> list[str]:
    """Return the files that these processes have open."""
    found = []
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            try:
                found.append(os.readlink(descriptor))
            except FileNotFoundError:  # closed meanwhile
                continue
    return found


def megabytes(pids: list[int]) -> float:
    """Return the resident memory of these processes, in megabytes."""
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measured(platform: RunningPlatform, args: argparse.Namespace) -> dict[str, Any]:
    """Let the visitors come while the demonstration tournament runs, and return the measurements."""
    pids = process_tree(platform.pids["site"])
    platform.start_demonstration()
    return beside_the_tournament(platform.installation, pids, args)


def beside_the_tournament(
    installation: Installation, pids: list[int], args: argparse.Namespace
) -> dict[str, Any]:
    watch = Measurements(installation, pids)
    began = time.monotonic()
    watch.until(lambda: ask(f"{installation.address}api/v1/tables/1/record/")[0] == 200)
    few = storm(installation, watch, 8, 10.0, apart=args.apart)
    before = megabytes(pids), len(files_of(pids))
    met = storm(installation, watch, args.visitors, args.seconds, apart=args.apart)
    time.sleep(AFTERWARDS_SECONDS)
    afterwards = ask(installation.address.rstrip("/") + PATHS[0])
    after = megabytes(pids), len(files_of(pids))
    watch.until(lambda: watch.done == TABLES)
    database = watch.database
    return {
        "200 a second with 8 visitors before": few["200 a second"],
        **met,
        "answer five seconds afterwards": afterwards,
        "MB before and after": tuple(round(mb) for mb in (before[0], after[0])),
        "open files before and after": (before[1], after[1]),
        "most connections": watch.most_connections,
        "health, slowest s": round(watch.slowest_health, 2),
        "health, failed": watch.failed_health,
        "tournament, s": round(time.monotonic() - began),
        "tables done": database.done(),
        "results": database.number("SELECT count(*) FROM tournaments_result"),
        "faults": database.number("SELECT count(*) FROM tournaments_fault"),
        "longest without a table, s": round(watch.standstill),
        "load": os.getloadavg()[0],
    }


def storm(
    installation: Installation, watch: Measurements, visitors: int, seconds: float, *, apart: bool
) -> dict[str, Any]:
    """Run `storm.py` with this number of visitors and return its results."""
    command = [sys.executable, str(Path(__file__).with_name("storm.py")), installation.address, *PATHS]
    command += ["--visitors", str(visitors), "--seconds", str(seconds), *["--apart"] * apart]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as crowd:
        watch.until(lambda: crowd.poll() is not None)
        assert crowd.stdout is not None
        return json.load(crowd.stdout)


def missed(found: dict[str, Any]) -> list[str]:
    """Return the promises that were not kept."""
    status, seconds = found["answer five seconds afterwards"]
    (mb, mb_after), (files, files_after) = (
        found["MB before and after"],
        found["open files before and after"],
    )
    promises = {
        "200 and 503 only": set(found["statuses"]) <= {"200", "503"} and not found["errors"],
        "503 with a time": not found["503 without a time"],
        f"{FLOOR:g} answers 200 a second all the while": found["lowest 200 a second"] >= FLOOR,
        f"an answer within {ANSWER_SECONDS:g} s afterwards": status == 200 and seconds <= ANSWER_SECONDS,
        "memory back": mb_after <= mb * GROWTH,
        "open files back": files_after <= files * GROWTH,
        "connections bounded": found["most connections"] <= DATABASE_FULL,
        "health always": not found["health, failed"],
        "every table once": (found["tables done"], found["results"]) == (TABLES, 4 * TABLES),
        "no fault": not found["faults"],
        "no stand-still": found["longest without a table, s"] <= STANDSTILL_SECONDS,
    }
    return [promise for promise, kept in promises.items() if not kept]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visitors", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--apart", action="store_true", help="give each request its own address")
    parser.add_argument("--database", default="", metavar="URL", help="an empty database; default SQLite")
    parser.add_argument("--port", type=int, default=8321, help="port of the site during the measurement")
    args = parser.parse_args()
    os.environ["DATABASE_URL"] = args.database
    try:
        with running_platform(args.port) as platform:
            found = measured(platform, args)
    except StopAsked:
        return 1
    python = f"Python {python_version()}, {machine()}, {os.cpu_count()} cores"
    print(f"\n{datetime.now(UTC):%Y-%m-%d}, {python}, {'PostgreSQL' if args.database else 'SQLite'}\n")
    print("| | |\n|---|---|")
    for name, value in found.items():
        print(f"| {name} | {value} |")
    not_kept = missed(found)
    print(f"\nmissed: {', '.join(not_kept)}" if not_kept else "\nall kept")
    return 1 if not_kept else 0


if __name__ == "__main__":
    sys.exit(main())
