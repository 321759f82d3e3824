"""Memory and wake-ups of installations in which nothing is to be played.

    python -m benchmarks.idle [--nodes 2] [--port 8190] [--seconds 60]

Starts the programs of `make up` in a temporary folder, and with `--nodes 2` those of a second node beside
them, waits until they are at rest, and adds up what the kernel says of each process: its share of memory
(PSS of `smaps_rollup`), and how often its threads woke (voluntary switches). Sandboxes that wait for bots
stand apart.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import sleep

from stichkampf_platform.supervisor.health import accepts
from stichkampf_platform.supervisor.installation import SECRETS, Installation

from benchmarks.running_platform import process_tree, running_platform

SETTLE_SECONDS = 60
MOST_MB = {1: 800, 2: 1200}
MOST_WAKE_UPS = 100
"""Wake-ups a second of the programs of `make up`."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.idle", description=__doc__)
    parser.add_argument("--nodes", type=int, choices=(1, 2), default=1)
    parser.add_argument("--port", type=int, default=8190)
    parser.add_argument("--seconds", type=int, default=60)
    words = parser.parse_args()
    with ExitStack() as stack:
        platform = stack.enter_context(running_platform(words.port))
        roots = dict(platform.pids)
        if words.nodes == 2:
            roots |= stack.enter_context(second_node(platform.installation))
        sleep(SETTLE_SECONDS)
        rows = measured(roots, words.seconds)
    print("| program | processes | memory in MB | wake-ups a second |\n|---|---|---|---|")
    for name, (processes, megabytes, wakes) in sorted(rows.items()):
        print(f"| {name} | {processes} | {megabytes:.0f} | {wakes:.0f} |")
    _, megabytes, wakes = (sum(column) for column in zip(*rows.values(), strict=True))
    megabytes -= rows["sandboxes that wait"][1] if words.nodes == 2 else 0
    counted = "all but these sandboxes" if words.nodes == 2 else "all"
    print(f"{counted}: {megabytes:.0f} MB, {wakes:.0f} a second")
    return int(megabytes > MOST_MB[words.nodes] or (words.nodes == 1 and wakes > MOST_WAKE_UPS))


@contextmanager
def second_node(first: Installation) -> Iterator[dict[str, int]]:
    """Start an arbiter and the workers of one more node, on the database and Redis of the first."""
    folder = first.var / "second"
    folder.mkdir(mode=0o755)
    user = first.uid or os.geteuid()
    os.chown(folder, user, user)
    socket = folder / "arbiter.sock"
    environment = {
        **os.environ,
        **first.environment(secrets=SECRETS),
        "STICHKAMPF_NODE": "second",
        "STICHKAMPF_ARBITER_ADDRESS": f"unix:{socket}",
        "STICHKAMPF_BOT_FIRST_UID": "400000",
    }
    del environment["STICHKAMPF_ARBITER_REMOTE_LISTEN"]
    commands = {
        "arbiter of the second": ["stichkampf_arbiter"],
        "workers of the second": ["stichkampf_platform.workers", "worker", "experiments", "validation"],
    }
    running = {}
    for name, words in commands.items():
        of_arbiter = {"STICHKAMPF_STATE_DIR": str(folder)} if "arbiter" in name else {}
        with (folder / f"{name}.log").open("wb") as log:
            running[name] = subprocess.Popen(
                [sys.executable, "-m", *words], env=environment | of_arbiter, stdout=log, stderr=log,
                cwd=first.root, start_new_session=True, user=user if "workers" in name else None,
            )  # fmt: skip
        while "arbiter" in name and not accepts(socket):
            assert running[name].poll() is None, (folder / f"{name}.log").read_text()
            sleep(0.1)
    try:
        yield {name: process.pid for name, process in running.items()}
    finally:
        for process in running.values():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def measured(roots: dict[str, int], seconds: int) -> dict[str, tuple[int, float, float]]:
    """Return by program how many processes, their memory in MB and their wake-ups a second."""
    processes = {pid: name for name, root in roots.items() for pid in process_tree(root)}
    before = {pid: wake_ups(pid) for pid in processes}
    sleep(seconds)
    rows: dict[str, tuple[int, float, float]] = defaultdict(lambda: (0, 0.0, 0.0))
    for pid, name in processes.items():
        count, megabytes, wakes = rows[program(pid, name)]
        new = (wake_ups(pid) - before[pid]) / seconds
        rows[program(pid, name)] = (count + 1, megabytes + memory(pid), wakes + new)
    return rows


def program(pid: int, name: str) -> str:
    """Name what a process is: a worker by its own name, a sandbox that waits for a bot as such."""
    command = Path(f"/proc/{pid}/cmdline").read_bytes()
    if "workers" in name:
        own = Path(f"/proc/{pid}/comm").read_text().strip()
        return f"{name}: {'what all share' if own.startswith('python') else own}"
    return "sandboxes that wait" if b"client.main" in command else name


def memory(pid: int) -> float:
    found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def wake_ups(pid: int) -> int:
    switches = re.compile(r"^voluntary_ctxt_switches:\s+(\d+)", re.MULTILINE)
    return sum(
        int(number)
        for status in Path(f"/proc/{pid}/task").glob("*/status")
        for number in switches.findall(status.read_text())
    )


if __name__ == "__main__":
    sys.exit(main())
