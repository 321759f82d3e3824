"""CPU time of the platform beside the play, measured with the demonstration tournament.

    python benchmarks/platform_overhead.py [--port N]

Starts the services of `make up` in a temporary folder on SQLite, runs the demonstration tournament from its
start to its final ratings, and reads from the kernel the CPU seconds of each program and its children. The
site is asked once a second for the ratings, as by a spectator.

Overhead is the share of all programs but bots and arbiter: workers, beat, Redis and site, with the database
in them, divided by the CPU seconds of all programs. Exits 1 above the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from platform import machine, python_version

from running_platform import RunningPlatform, process_tree, running_platform
from stichkampf_platform.supervisor.process_manager import StopAsked

LIMIT = 0.12
MOST_SECONDS = 900
PLAY = ("bots", "arbiter")
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8321, help="port of the site during the measurement")
    args = parser.parse_args()
    try:
        with running_platform(args.port) as platform:
            return report(*cost_of_the_demonstration(platform))
    except StopAsked:
        return 1


def cost_of_the_demonstration(platform: RunningPlatform) -> tuple[float, dict[str, float]]:
    """Measure the seconds from start to final ratings, and the CPU seconds of each program meanwhile."""
    before, began = used(platform.pids), time.monotonic()
    platform.start_demonstration()
    while not is_rated(platform.address):
        assert time.monotonic() < began + MOST_SECONDS, "the tournament does not end"
        time.sleep(1)
    after = used(platform.pids)
    return time.monotonic() - began, {name: after[name] - before.get(name, 0.0) for name in after}


def is_rated(address: str) -> bool:
    """Tell whether the final ratings of the demonstration are published."""
    try:
        with urllib.request.urlopen(f"{address}api/v1/tournaments/demonstration/standings/") as answer:
            return bool(json.load(answer)["final"])
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return False


def used(pids: dict[str, int]) -> dict[str, float]:
    """Return the CPU seconds by program, ended children included; house bots apart from their arbiter."""
    spent = dict.fromkeys((*pids, "bots"), 0.0)
    for name, pid in pids.items():
        for process in process_tree(pid):
            is_bot = name == "arbiter" and "stichkampf.house" in command_line(process)
            spent["bots" if is_bot else name] += cpu_seconds(process)
    return spent


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process in user and kernel mode, with those of its reaped children."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[11:15])) / TICKS_A_SECOND


def report(seconds: float, spent: dict[str, float]) -> int:
    """Print the table; return 1 if the overhead is above the limit."""
    total = sum(spent.values())
    overhead = sum(cpu for name, cpu in spent.items() if name not in PLAY) / total
    python = f"Python {python_version()}, {machine()}, {os.cpu_count()} cores"
    print(f"\n{datetime.now(UTC):%Y-%m-%d}, {python}: the demonstration took {seconds:.0f} s\n")
    print("| program | CPU seconds | share |\n|---|---|---|")
    for name, cpu in sorted(spent.items(), key=lambda line: -line[1]):
        print(f"| {name} | {cpu:.1f} | {cpu / total:.1%} |")
    print(f"\noverhead {overhead:.1%}, limit {LIMIT:.0%}: {'met' if overhead <= LIMIT else 'missed'}")
    return 0 if overhead <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
