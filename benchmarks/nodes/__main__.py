"""Tables a minute of one, two and four nodes, on hosts made of network namespaces; as root.

    python -m benchmarks.nodes [--nodes 1 2 4] [--blocks N] [--seconds S]

One host has PostgreSQL, Redis, the store, site, maintenance and beat, and each node an arbiter and a worker
that plays two blocks of four tables at once, so that a node is full. Submitted bots in sandboxes of level
`hosted` wait for a fixed time a decision, inside what is free. The tournament has as many blocks for each
node. Counted is the span in which all nodes play: from the moment at which the first blocks that they began,
for which the processes of the bots are started, are over, to the moment at which the last block is begun. A
table counts by the share of its time that lies in this span.

Exits 1 where n nodes play fewer than 0.9 n times the tables of one, and 2 where the run is void: the cores
were busy for 70% of the time or more, a node was not `hosted`, or a table had a fault or was played twice.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from platform import machine, python_version
from typing import Any

from benchmarks.nodes.machines import Machines

GOAL, MOST_BUSY = 0.9, 0.70
BLOCKS_AT_ONCE, TABLES_A_BLOCK = 2, 4
MOST_SECONDS = 900.0
NAMES = "abcdefgh"
OPEN = (
    "SELECT count(*) FROM tournaments_table t JOIN tournaments_block b ON b.id = t.block_id"
    " JOIN tournaments_tournament o ON o.id = b.tournament_id WHERE o.slug = %s AND t.state <> 'done'"
)
TIMES = (
    "SELECT b.number, extract(epoch FROM t.started_at), extract(epoch FROM t.finished_at)"
    " FROM tournaments_table t JOIN tournaments_block b ON b.id = t.block_id"
    " JOIN tournaments_tournament o ON o.id = b.tournament_id WHERE o.slug = %s"
)
RATED = (
    "SELECT 1 FROM ratings_snapshot s JOIN tournaments_tournament o ON o.id = s.tournament_id"
    " WHERE o.slug = %s AND s.final AND s.published"
)


@dataclass(frozen=True)
class Phase:
    """Play of some nodes together.

    :ivar tables: tables in the counted span, with parts of those at its ends.
    :ivar busy: share of the tournament's time in which the cores were busy, from 0 to 1.
    :ivar troubles: reasons why it does not count.
    """

    nodes: int
    tables: float
    seconds: float
    busy: float
    troubles: list[str]

    @property
    def rate(self) -> float:
        """Tables a minute."""
        return 60 * self.tables / self.seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 4], help="numbers of nodes, ascending")
    parser.add_argument(
        "--blocks", type=int, default=10, help="blocks for each node, four tables each (default: 10)"
    )
    parser.add_argument("--seconds", type=float, default=0.3, help="that a bot waits (default: 0.3)")
    chosen = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("namespaces and control groups need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Machines(blocks_at_once=BLOCKS_AT_ONCE) as machines:
        machines.start_head()
        tournament(machines, "bots", str(chosen.seconds))
        phases = []
        for number in chosen.nodes:
            while len(machines.nodes) < number:
                machines.start_node(NAMES[len(machines.nodes)])
            phases.append(measured(machines, number, chosen.blocks))
            print(f"{number} nodes: {phases[-1].rate:.1f} tables a minute", file=sys.stderr, flush=True)
    return report(phases, chosen.seconds)


def measured(machines: Machines, number: int, blocks: int) -> Phase:
    """Play a tournament and measure it."""
    before = core_seconds()
    slug = f"nodes-{number}"
    play(machines, slug, number * blocks)
    busy, idle = (after - was for after, was in zip(core_seconds(), before, strict=True))
    times = [(block, float(begun), float(over)) for block, begun, over in machines.sql(TIMES, slug)]
    tables, seconds = in_steady_span(times, number * BLOCKS_AT_ONCE)
    machines.wait_for(lambda: machines.sql(RATED, slug), "the final ratings are there")
    checked = json.loads(tournament(machines, "check", slug))
    planned = number * blocks * TABLES_A_BLOCK
    return Phase(number, tables, seconds, busy / (busy + idle), troubles(checked, machines, planned, number))


def in_steady_span(times: list[tuple[int, float, float]], at_once: int) -> tuple[float, float]:
    """Return the tables that were played while all nodes were busy, and the seconds of that span.

    :param times: block, begin and end of each table, in seconds.
    :param at_once: blocks that the nodes play at once.
    """
    begun, over = {}, {}
    for block, begin, end in times:
        begun[block] = min(begin, begun.get(block, begin))
        over[block] = max(end, over.get(block, end))
    first = sorted(begun, key=begun.__getitem__)[:at_once]
    start, stop = max(over[block] for block in first), max(begun.values())
    inside = sum(max(0.0, min(end, stop) - max(begin, start)) / (end - begin) for _, begin, end in times)
    return inside, stop - start


def play(machines: Machines, slug: str, blocks: int) -> None:
    """Play a tournament to its last table."""
    tournament(machines, "start", slug, str(blocks))
    machines.wait_for(lambda: machines.sql(OPEN, slug) == [(0,)], f"{slug} is over", MOST_SECONDS)


def tournament(machines: Machines, *words: str) -> str:
    return machines.call_python("-m", "benchmarks.nodes.tournaments", *words)


def troubles(checked: dict[str, Any], machines: Machines, tables: int, number: int) -> list[str]:
    """Name what makes a phase void."""
    expected = {
        "tables": {"done": tables},
        "results a table": {"4": tables},
        "rated tables": tables,
        "attempts": {"1": tables},
        "faults": 0,
        "levels": ["hosted"],
        "ladder equals the records": True,
        "ladder equals the results": True,
    }
    found = [f"{name}: {checked[name]}" for name, right in expected.items() if checked[name] != right]
    levels = machines.levels()
    if levels != dict.fromkeys(NAMES[:number], "hosted"):
        found.append(f"nodes: {levels}")
    if len(checked["nodes"]) != number:
        found.append(f"blocks by node: {checked['nodes']}")
    return found


def core_seconds() -> tuple[float, float]:
    """Return the seconds in which all cores together were busy and idle, since the machine started."""
    user, nice, system, idle, waiting, *other = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    )
    return user + nice + system + sum(other), idle + waiting


def report(phases: list[Phase], seconds: float) -> int:
    """Print the table; return the exit status."""
    one = phases[0].rate / phases[0].nodes
    python = f"Python {python_version()}, {machine()}, {os.cpu_count()} cores"
    print(f"\n{datetime.now(UTC):%Y-%m-%d}, {python}; bots wait {seconds:g} s a decision\n")
    print("| nodes | tables | s | tables a minute | ÷ one node's | limit | cores busy |")
    print("|---|---|---|---|---|---|---|")
    for phase in phases:
        ratio, least = phase.rate / one, GOAL * phase.nodes
        cells = f"{phase.nodes} | {phase.tables:.1f} | {phase.seconds:.1f} | {phase.rate:.1f} | {ratio:.2f}"
        print(f"| {cells} | {least:.1f} | {phase.busy:.0%} |")
    wrong = [f"{phase.nodes} nodes: {trouble}" for phase in phases for trouble in phase.troubles]
    wrong += [
        f"{phase.nodes} nodes: the cores were {phase.busy:.0%} busy, the most is {MOST_BUSY:.0%}"
        for phase in phases
        if phase.busy >= MOST_BUSY
    ]
    if wrong:
        print("\nthis run is void: " + "; ".join(wrong))
        return 2
    missed = [phase for phase in phases if phase.rate < GOAL * phase.nodes * one]
    print(f"\nall nodes `hosted`, no fault, each table once; {'missed' if missed else 'met'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
