"""Many visitors at once, on a real installation, while a tournament runs beside them.

    python benchmarks/visitors.py [--visitors 500] [--seconds 60] [--apart] [--database URL] [--port N]

Starts what `make up` starts, in a folder of its own, on SQLite or in the empty database of the URL, with the
demonstration tournament, 192 matches. Once its first block is over, `storm.py` lets the visitors ask for
a ladder, a bot and a replay. With `--apart` each request has an address of its own: no answer serves two.

Exits 1 where a promise of docs/platform-speed.md is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.process_manager import ProcessManager, StopAsked
from stichkampf_platform.supervisor.services import arbiter, redis, site, workers

PATHS = ("/ladders/sticheln/", "/bots/thumb/", "/r/1/")
TABLES = 192
FLOOR = 25.0
"""Answers 200 a second, over any ten seconds of the storm."""
AFTERWARDS_SECONDS = 5.0
ANSWER_SECONDS = 1.0
GROWTH = 1.2
STANDSTILL_SECONDS = 60.0
MOST_SECONDS = 900.0
DATABASE_FULL = 90
"""The most connections that may be open, of PostgreSQL's 100."""


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
        """Of everybody in PostgreSQL; of the site's processes to SQLite's file."""
        if self.address:
            query = "SELECT count(*) - 1 FROM pg_stat_activity WHERE backend_type = 'client backend'"
            return self.number(query)
        return sum(os.path.basename(target) == self.file.name for target in files_of(pids))


class Watch:
    """Take a sample once a second, as long as anything runs."""

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
    """Status and seconds of an answer."""
    began = time.monotonic()
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            answer.read()
            return answer.status, time.monotonic() - began
    except urllib.error.HTTPError as error:
        return error.code, time.monotonic() - began


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(process for child in children for process in family(int(child)))]


def files_of(pids: list[int]) -> list[str]:
    """List the targets of all descriptors of these processes."""
    found = []
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            try:
                found.append(os.readlink(descriptor))
            except FileNotFoundError:  # closed meanwhile
                continue
    return found


def megabytes(pids: list[int]) -> float:
    """Memory that is resident in these processes."""
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measured(installation: Installation, words: argparse.Namespace) -> dict[str, Any]:
    """Put it up, let the visitors come, and see what is left."""
    installation.prepare_folders()
    installation.check_port()
    with ProcessManager(installation) as manager:
        broker = redis(installation)
        assert broker is not None, "unset REDIS_URL: this measures with a Redis of its own"
        manager.start([broker])
        for command in (("migrate", "--no-input", "--verbosity", "0"), ("seed_house",)):
            preparation.manage(installation, command)
        preparation.collect_static_files(installation)
        manager.start([arbiter(installation), *workers(), site(installation)])
        pids = family(next(one.process.pid for one in manager.running if one.service.name == "site"))  # type: ignore[union-attr]
        with manager.interruptible():
            preparation.manage(installation, ("demo_tournament",))
            return beside_the_tournament(installation, pids, words)


def beside_the_tournament(
    installation: Installation, pids: list[int], words: argparse.Namespace
) -> dict[str, Any]:
    watch = Watch(installation, pids)
    began = time.monotonic()
    watch.until(lambda: ask(f"{installation.address}api/tables/1/record/")[0] == 200)
    few = storm(installation, watch, 8, 10.0, apart=words.apart)
    before = megabytes(pids), len(files_of(pids))
    met = storm(installation, watch, words.visitors, words.seconds, apart=words.apart)
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
    installation: Installation, watch: Watch, visitors: int, seconds: float, *, apart: bool
) -> dict[str, Any]:
    """Ask as this many visitors; return their answers."""
    command = [sys.executable, str(Path(__file__).with_name("storm.py")), installation.address, *PATHS]
    command += ["--visitors", str(visitors), "--seconds", str(seconds), *["--apart"] * apart]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as crowd:
        watch.until(lambda: crowd.poll() is not None)
        assert crowd.stdout is not None
        return json.load(crowd.stdout)


def missed(found: dict[str, Any]) -> list[str]:
    """The promises that were not kept."""
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
    parser.add_argument("--apart", action="store_true", help="no two ask for the same")
    parser.add_argument("--database", default="", metavar="URL", help="an empty database; default SQLite")
    parser.add_argument("--port", type=int, default=8321, help="where the site listens meanwhile")
    words = parser.parse_args()
    os.environ["DATABASE_URL"] = words.database
    with tempfile.TemporaryDirectory(prefix="sk-visitors-") as folder:
        Path(folder).chmod(0o755)
        where = {"STICHKAMPF_VAR": folder, "STICHKAMPF_PORT": str(words.port)}
        installation = Installation.from_environment({**os.environ, **where}, checkout())
        try:
            found = measured(installation, words)
        except StopAsked:
            return 1
    python = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    print(f"\n{datetime.now(UTC):%Y-%m-%d}, {python}, {'PostgreSQL' if words.database else 'SQLite'}\n")
    print("| | |\n|---|---|")
    for name, value in found.items():
        print(f"| {name} | {value} |")
    not_kept = missed(found)
    print(f"\nmissed: {', '.join(not_kept)}" if not_kept else "\nall kept")
    return 1 if not_kept else 0


if __name__ == "__main__":
    sys.exit(main())
