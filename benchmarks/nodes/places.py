"""Time in which the places of many nodes fill, and the connections to the database that they hold; as root.

    python -m benchmarks.nodes.places [--nodes 3] [--places 100] [--away 0 5 60] [--held 20] [--ahead]

Hosts are made of network namespaces, as for `benchmarks.nodes`. Each node has an arbiter and a worker with so
many places, and plays long matches of house bots, at the lowest priority: two cores stand for those of all
nodes. Measured are the seconds from the moment at which a drawn tournament may go on to that at which every
place has a block; and, for each loss of Redis, from its return: away for so many seconds while the tournament
was let go on, or emptied while it has the messages for all places (0). Besides, how many connections
PostgreSQL counts of a node from then on, and the processor time of each kind of program a block,
until all are taken.

Exits 1 where the places of a case are not filled within ten seconds.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import time
from collections import Counter
from functools import partial

from benchmarks.nodes.hosts import Host
from benchmarks.nodes.machines import Machines

LIMIT_SECONDS, MOST_SECONDS = 10.0, 120.0
TAKEN = (
    "SELECT count(DISTINCT block_id) FROM tournaments_table"
    " WHERE state = 'open' AND lease_until >= clock_timestamp()"
)
BEGAN = (
    "SELECT extract(epoch FROM max(s.started_at))::float FROM tournaments_table s"
    " JOIN tournaments_block b ON b.id = s.block_id JOIN tournaments_tournament t ON t.id = b.tournament_id"
    " WHERE t.slug = %s"
)
"""The moment at which the last block of a tournament was taken."""
PLACES = "SELECT coalesce(sum(places), 0) FROM core_node WHERE arbiter_answers"
TO_DRAW = "SELECT 1 FROM tournaments_plantodraw"
QUEUED = (
    "SELECT count(*) FROM tournaments_block b JOIN tournaments_tournament t ON t.id = b.tournament_id"
    " WHERE t.slug = %s AND b.hinted_at IS NOT NULL"
)
ASKING = "SELECT 1 FROM pg_stat_activity WHERE host(client_addr) = ANY(%s) AND xact_start IS NOT NULL"
CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE client_addr = %s"
FLUSH = "import redis, sys; redis.Redis.from_url(sys.argv[1]).flushall()"
STATS = """
from pathlib import Path
for process in Path("/proc").glob("[0-9]*"):
    try:
        command = (process / "cmdline").read_bytes().decode(errors="replace")
        command = " ".join(command.replace("\\0", " ").split())
        print(*(process / "stat").read_text().rpartition(")")[2].split()[11:15], command)
    except OSError:
        continue
"""
"""Prints the processor time of each process, its own and its ended children's, and its command."""
KINDS = {
    "postgres": "database", "worker@": "workers", "maintenance@": "sweep", "stichkampf_arbiter": "arbiters",
    "stichkampf.house": "arbiters",
}  # fmt: skip
HOUSE, REDIS, WORKER = r"'[s]tichkampf[.]house'", "[r]edis-server", "[w]orker@"
DRAFT = """
from stichkampf_platform.bots.models import Version
from stichkampf_platform.tournaments.organising import lifecycle
bots = Version.objects.filter(house__in=["random", "timid", "bold", "thumb"], games__contains="sticheln")
made = lifecycle.create_tournament(name="{slug}", slug="{slug}", game="sticheln", seats=4,
    options={{"length": "deals:100"}}, versions=list(bots), blocks={blocks}, move_seconds=9, bank_seconds=600,
    cap_seconds=600)
lifecycle.start(tournament=made)
lifecycle.pause(tournament=made)
"""
GO = """
import time
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle
print(time.time())
lifecycle.resume(tournament=Tournament.objects.get(slug="{slug}"))
"""
CANCEL = """
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle
lifecycle.cancel(tournament=Tournament.objects.get(slug="{slug}"))
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--places", type=int, default=100, help="of each node (default: 100)")
    parser.add_argument(
        "--away", type=float, nargs="*", default=[0, 5, 60], help="seconds without Redis; 0: it is emptied"
    )
    parser.add_argument("--held", type=float, default=20, help="seconds for which connections are counted")
    parser.add_argument("--ahead", action="store_true", help="before what else runs on this machine")
    chosen = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("namespaces and control groups need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    room = {"STICHKAMPF_ARBITER_TABLES": str(8 * chosen.places)}
    with Machines(blocks_at_once=chosen.places, settings=room) as machines:
        machines.start_head()
        for number in range(chosen.nodes):
            think(machines.start_node(f"node-{number}"))
        places = chosen.nodes * chosen.places
        machines.wait_for(lambda: machines.sql(PLACES) == [(places,)], "all places are reported")
        for host in machines.hosts if chosen.ahead else ():
            host.go_ahead()
        rows = []
        for case, away in enumerate([None, *chosen.away]):
            seconds, counts, spent = filled(machines, f"fill-{case}", places, away, chosen.held)
            rows.append((away, seconds, counts, spent))
            told = ", ".join(f"{kind} {used:.1f}" for kind, used in sorted(spent.items()))
            print(f"{places} places after {seconds:.1f} s: {told}", file=sys.stderr, flush=True)
            shell(machines, CANCEL.format(slug=f"fill-{case}"))
            machines.wait_for(lambda: taken(machines) == 0, "no place is taken")
    kinds = [*dict.fromkeys(KINDS.values()), "all"]
    print("| Redis | places | filled after, s | connections of a node: median | most |", end="")
    print("".join(f" {kind}, ms |" for kind in kinds))
    print("|---" * (5 + len(kinds)) + "|")
    for away, seconds, counts, spent in rows:
        lost = "there" if away is None else f"away for {away:g} s" if away else "emptied"
        print(
            f"| {lost} | {places} | {seconds:.1f} | {statistics.median(counts):g} | {max(counts)} |", end=""
        )
        print("".join(f" {1000 * spent[kind] / places:.1f} |" for kind in kinds))
    return int(any(seconds > LIMIT_SECONDS for _, seconds, *_ in rows))


def filled(
    machines: Machines, slug: str, places: int, away: float | None, counted: float
) -> tuple[float, list[int], Counter[str]]:
    """Let a tournament go on, and return after what time all places play, the connections from then on, and
    the seconds of processors that each kind of program has spent until then.

    :param away: seconds for which Redis is away before; 0 where it is emptied, None where it stays.
    :param counted: seconds for which connections are counted.
    """
    shell(machines, DRAFT.format(slug=slug, blocks=2 * places))
    machines.wait_for(lambda: not machines.sql(TO_DRAW), "the plan is drawn", MOST_SECONDS)
    if away:
        machines.head.call("kill", "-KILL", *processes(machines.head, REDIS))
        until = time.monotonic() + away
        shell(machines, GO.format(slug=slug))
        time.sleep(max(0.0, until - time.monotonic()))
    if away == 0:
        stop_workers(machines)
    before, since = spent(machines), time.time()
    if away:
        machines.start_redis()
    else:
        since = float(shell(machines, GO.format(slug=slug)))
    if away == 0:
        queued = partial(machines.sql, QUEUED, slug)
        machines.wait_for(lambda: queued() >= [(places,)], "messages for all places are sent")
        machines.head.call(sys.executable, "-c", FLUSH, machines.environment(machines.head)["REDIS_URL"])
        since = time.time()
        signal_workers(machines, "CONT")
    # asked seldom: when each block was taken stands in its row, and asking costs what taking one does
    machines.wait_for(
        lambda: filled_now(machines, places), "every place has a block", MOST_SECONDS, pause=1.0
    )
    used = spent(machines) - before
    ((last,),) = machines.sql(BEGAN, slug)
    return last - since, held(machines, counted), used


def filled_now(machines: Machines, places: int) -> bool:
    """Tell whether every place has a block, and stop the house bots that an arbiter has started again."""
    for node in machines.nodes:
        think(node)
    return taken(machines) >= places


def spent(machines: Machines) -> Counter[str]:
    """Return the seconds of processors that each kind of program has spent on all hosts so far."""
    seconds: Counter[str] = Counter()
    for host in machines.hosts:
        for line in host.call(sys.executable, "-c", STATS).splitlines():
            *ticks, command = line.split(" ", maxsplit=4)
            if kind := next((kind for word, kind in KINDS.items() if word in command), ""):
                seconds[kind] += sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    seconds["all"] = seconds.total()
    return seconds


def held(machines: Machines, seconds: float) -> list[int]:
    """Return the connections of each node, counted five times a second for so long."""
    counts, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        counts += [machines.sql(CONNECTIONS, node.address)[0][0] for node in machines.nodes]
        time.sleep(0.2)
    return counts


def taken(machines: Machines) -> int:
    return int(machines.sql(TAKEN)[0][0])


def shell(machines: Machines, code: str) -> str:
    return machines.manage("shell", "--no-imports", "--verbosity", "0", "--command", code)


def stop_workers(machines: Machines) -> None:
    """Stop the workers of all nodes at a moment at which they hold no lock."""
    signal_workers(machines, "STOP")
    while machines.sql(ASKING, [node.address for node in machines.nodes]):
        signal_workers(machines, "CONT")
        time.sleep(0.2)
        signal_workers(machines, "STOP")


def signal_workers(machines: Machines, name: str) -> None:
    """Send a signal to the workers of all nodes."""
    for node in machines.nodes:
        node.call("kill", f"-{name}", *processes(node, WORKER))


def think(node: Host) -> None:
    """Have the house bots of a node think, from now on, about whatever they are asked."""
    for process in processes(node, HOUSE):
        node.call("sh", "-c", f"kill -STOP {process} || true")


def processes(host: Host, pattern: str) -> list[str]:
    """Return the ids, on their host, of the processes whose command has this pattern."""
    search = f"grep --no-messages --files-with-matches --text {pattern} /proc/[0-9]*/cmdline || true"
    return [path.split("/")[2] for path in host.call("sh", "-c", search).split()]


if __name__ == "__main__":
    sys.exit(main())
