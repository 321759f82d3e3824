"""Pages that the site sends in a second to visitors whose pages are in the cache, from two cores.

    python benchmarks/page_rate.py --database URL [--visitors 50] [--seconds 20] [--port N]

Starts Redis and the production server with two processes on the database that `page_speed.py` has filled, and
lets `storm.py` ask for some dozens of public pages. The processor time of site, Redis and PostgreSQL, which
must be on this machine, is counted for each page; that of the visitors is not. So the rate of two cores
follows even where other programs share them. Exits 1 if it is below 300, or an answer is not 200.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from running_platform import process_tree
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.process_manager import ProcessManager
from stichkampf_platform.supervisor.services import redis, site

CORES = 2
LEAST = 300.0
BOTS = REPLAYS = 10
READABLE = """
    SELECT t.id, t.block_id FROM tournaments_table t JOIN tournaments_block b ON b.id = block_id
    JOIN storage_storedfile f ON f.name = 'records/table-' || t.id ORDER BY t.id DESC LIMIT %s
"""
WARMING_SECONDS = 10


def addresses(database: str) -> list[str]:
    """Return the addresses that the visitors ask for."""
    with psycopg.connect(database) as connection:
        tables = connection.execute(READABLE, [REPLAYS]).fetchall()
        games = connection.execute("SELECT slug, game FROM ladders_ladder WHERE main").fetchall()
    paths = ["/", "/de/", "/ladders/", "/bots/", "/tournaments/", "/games/", "/docs/", "/api/v1/tournaments/"]
    for _, game in games:
        paths += [f"/ladders/{game}/", f"/de/ladders/{game}/", f"/tournaments/large-{game}/"]
        paths += [f"/api/v1/ladders/{game}/", f"/tournaments/large-{game}/schedule/"]
    paths += [f"/bots/author-{number}/bot-{number}/" for number in range(BOTS)]
    paths += [f"/r/{table}/" for table, _ in tables]
    return paths + [f"/blocks/{block}/" for block in {block for _, block in tables}]


@contextmanager
def running_site(database: str, port: int) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """Start Redis and the site; give its address and the processes by program."""
    with tempfile.TemporaryDirectory(prefix="sk-rate-") as folder:
        Path(folder).chmod(0o755)
        settings = {"STICHKAMPF_VAR": folder, "STICHKAMPF_PORT": str(port), "DATABASE_URL": database}
        os.environ |= {**settings, "STICHKAMPF_SITE_PROCESSES": str(CORES)}
        installation = Installation.from_environment(dict(os.environ), checkout())
        installation.prepare_folders()
        installation.check_port()
        try:
            with ProcessManager(installation) as manager:
                broker = redis(installation)
                assert broker is not None, "unset REDIS_URL: this measures with a Redis server of its own"
                manager.start([broker])
                preparation.manage(installation, ("upgrade",))
                manager.start([site(installation)])
                pids = {one.service.name: one.process.pid for one in manager.running if one.process}
                programs = {name: process_tree(pid) for name, pid in pids.items()}
                programs["postgresql"] = server_of(database)
                with manager.interruptible():
                    yield installation.address, programs
        finally:
            installation.leave()


def server_of(database: str) -> list[int]:
    """Return the process of the database server, which counts the time of its ended children too."""
    with psycopg.connect(database) as connection:
        backend = connection.info.backend_pid
        return [int(Path(f"/proc/{backend}/stat").read_text().rsplit(")", 1)[1].split()[1])]


def cpu_seconds(program: str, pids: list[int]) -> float:
    """Return the processor time of a program's processes."""
    if program == "postgresql":
        pids = process_tree(pids[0])
    ticks = 0
    for pid in pids:
        words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += sum(map(int, words[11 : 15 if program == "postgresql" else 13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def storm(address: str, paths: list[str], visitors: int, seconds: float) -> dict:
    command = [sys.executable, str(Path(__file__).with_name("storm.py")), address, *paths]
    command += ["--visitors", str(visitors), "--seconds", str(seconds)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", required=True, metavar="URL", help="filled by page_speed.py")
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--port", type=int, default=8322)
    args = parser.parse_args()
    paths = addresses(args.database)
    with running_site(args.database, args.port) as (address, programs):
        first = storm(address, paths, 8, WARMING_SECONDS)
        storm(address, paths, args.visitors, WARMING_SECONDS)
        before = {name: cpu_seconds(name, pids) for name, pids in programs.items()}
        found = storm(address, paths, args.visitors, args.seconds)
        spent = {name: cpu_seconds(name, pids) - before[name] for name, pids in programs.items()}
    pages = found["statuses"]["200"]
    rate = CORES * pages / sum(spent.values())
    print(f"{datetime.now(UTC):%Y-%m-%d}, {len(paths)} addresses, load {os.getloadavg()[0]:.0f}")
    print(f"first requests: {first['200 a second']:.0f} a second; statuses {found['statuses']}")
    print(f"{found['200 a second']:.0f} a second on the clock, seconds waited {found['seconds waited']}")
    for name, seconds in spent.items():
        print(f"{name}: {1000 * seconds / pages:.2f} ms of a processor a page")
    print(f"{rate:.0f} pages a second from {CORES} cores, at least {LEAST:.0f}")
    return 0 if rate >= LEAST and set(found["statuses"]) == {"200"} and not found["errors"] else 1


if __name__ == "__main__":
    sys.exit(main())
