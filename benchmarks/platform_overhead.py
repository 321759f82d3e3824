"""Cost of the platform beside the play: the demonstration tournament on a real installation.

    python benchmarks/platform_overhead.py [--port N]

Starts what `make up` starts, in a folder of its own on SQLite, lets the demonstration tournament run from its
start to its final ratings, and reads from the kernel how many CPU seconds each program and its children used
meanwhile. The site is asked once a second how far it is, as by a spectator.

Overhead is what is neither the bots' thinking nor the arbiter's play: workers, beat, Redis and site, with the
database in them, divided by the CPU seconds of all programs. Exits 1 above the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.process_manager import ProcessManager, StopAsked
from stichkampf_platform.supervisor.services import arbiter, redis, site, workers

LIMIT = 0.20
MOST_SECONDS = 900
PLAY = ("bots", "arbiter")
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8321, help="where the site listens meanwhile")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sk-cost-") as folder:
        Path(folder).chmod(0o755)
        where = {"STICHKAMPF_VAR": folder, "STICHKAMPF_PORT": str(args.port)}
        installation = Installation.from_environment({**os.environ, **where}, checkout())
        try:
            seconds, spent = cost_of_the_demonstration(installation)
        except StopAsked:
            return 1
    return report(seconds, spent)


def cost_of_the_demonstration(installation: Installation) -> tuple[float, dict[str, float]]:
    """Seconds from start to final ratings, and the CPU seconds of each program meanwhile."""
    installation.prepare_folders()
    installation.check_port()
    with ProcessManager(installation) as manager:
        broker = redis(installation)
        assert broker is not None, "unset REDIS_URL: this measures a Redis of its own"
        manager.start([broker])
        for command in (("migrate", "--no-input", "--verbosity", "0"), ("seed_house",)):
            preparation.manage(installation, command)
        preparation.collect_static_files(installation)
        manager.start([arbiter(installation), *workers(), site(installation)])
        pids = {one.service.name: one.process.pid for one in manager.running if one.process is not None}
        before, began = used(pids), time.monotonic()
        with manager.interruptible():
            preparation.manage(installation, ("demo_tournament",))
            while not is_rated(installation):
                assert time.monotonic() < began + MOST_SECONDS, "the tournament does not end"
                time.sleep(1)
        after = used(pids)
        return time.monotonic() - began, {name: after[name] - before.get(name, 0.0) for name in after}


def is_rated(installation: Installation) -> bool:
    """Tell whether the final ratings of the demonstration are published."""
    try:
        with urllib.request.urlopen(
            f"{installation.address}api/tournaments/demonstration/standings/"
        ) as answer:
            return bool(json.load(answer)["final"])
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return False


def used(pids: dict[str, int]) -> dict[str, float]:
    """CPU seconds so far by program, dead children included; the house bots apart from their arbiter."""
    spent = dict.fromkeys((*pids, "bots"), 0.0)
    for name, pid in pids.items():
        for process in family(pid):
            is_bot = name == "arbiter" and "stichkampf.house" in command_line(process)
            spent["bots" if is_bot else name] += cpu_seconds(process)
    return spent


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(process for child in children for process in family(int(child)))]


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def cpu_seconds(pid: int) -> float:
    """Of a process, in user and kernel mode, with those of its children that it has waited for."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[11:15])) / TICKS_A_SECOND


def report(seconds: float, spent: dict[str, float]) -> int:
    """Print the table; 1 where the overhead is above the limit."""
    total = sum(spent.values())
    overhead = sum(cpu for name, cpu in spent.items() if name not in PLAY) / total
    python = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"
    print(f"\n{datetime.now(UTC):%Y-%m-%d}, {python}: the demonstration took {seconds:.0f} s\n")
    print("| program | CPU seconds | share |\n|---|---|---|")
    for name, cpu in sorted(spent.items(), key=lambda line: -line[1]):
        print(f"| {name} | {cpu:.1f} | {cpu / total:.1%} |")
    print(f"\noverhead {overhead:.1%}, limit {LIMIT:.0%}: {'met' if overhead <= LIMIT else 'missed'}")
    return 0 if overhead <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
