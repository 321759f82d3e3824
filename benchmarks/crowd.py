"""A crowd of readers beside tournaments, on the platform's real services.

    python benchmarks/crowd.py --database URL [--visitors 500] [--pause 20] [--rounds 2] [--port N]
    python benchmarks/crowd.py --database URL --minutes 60 [--every 60] [...]

Starts the services of `make up` with two processes of the site in a temporary folder, on the empty PostgreSQL
database of the URL. In turns a tournament of house bots is played alone and beside the visitors, of whom each
asks for a page every 20 seconds, over a connection of its own each time. Their processor time is told apart.

With `--minutes` the visitors stay, a tournament begins every 60 seconds unless one is played, and the memory
of every program is told for minute 15 and for the last one: the proportional set size, in which what
processes share counts once.

Exits 1 where more than 1% of the answers are 503, one is anything but 200 or 503, 95% take longer than
300 ms, a tournament takes more than 1.3 times as long, a table is lost, or memory has grown by 5%.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from platform import machine, python_version
from statistics import median
from typing import Any

import psycopg
from running_platform import RunningPlatform, process_tree, running_platform
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.process_manager import StopAsked

GAME, SEATS, BLOCKS, TABLES_A_BLOCK = "sticheln", 4, 48, 4
MOST_BUSY, MOST_SECONDS, MOST_SLOWER, MOST_GROWTH = 0.01, 0.3, 1.3, 1.05
PATIENCE_SECONDS = 900.0
FIRST_MINUTE, WINDOW_MINUTES = 15, 3
SITE_PROCESSES = "2"
PATHS = (
    *("/", "/ladders/", "/ladders/sticheln/", "/bots/", "/bots/house/thumb/", "/tournaments/"),
    *(
        "/bots/house/random/",
        "/games/sticheln/",
        "/docs/",
        "/de/",
        "/de/ladders/sticheln/",
        "/api/v1/tournaments/",
        "/status/",
    ),
    *("/r/1/", "/r/2/", "/r/3/", "/blocks/1/", "/tournaments/crowd-0/", "/tournaments/crowd-0/schedule/"),
)
START = f"""
from stichkampf_platform.bots.queries import playable_versions
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.scheduling.ladder_field import SLOW
ladder = Ladder.objects.get(game="{GAME}", main=True)
house = [v for v in playable_versions("{GAME}") if v.bot.owner.username == HOUSE and v.house not in SLOW]
lifecycle.start(tournament=lifecycle.create_tournament(
    name="{{slug}}", slug="{{slug}}", game="{GAME}", seats={SEATS}, options=ladder.options, versions=house,
    blocks={BLOCKS},
))
"""
TABLES = (
    "SELECT count(*) FILTER (WHERE t.state = 'done'), count(*) FROM tournaments_table t"
    " JOIN tournaments_block b ON b.id = t.block_id JOIN tournaments_tournament o ON o.id = b.tournament_id"
    " WHERE o.slug = %s"
)
LOST = (
    "SELECT (SELECT count(*) FROM tournaments_table WHERE state = 'done') * 4"
    " - (SELECT count(*) FROM tournaments_result) + (SELECT count(*) FROM tournaments_fault)"
)


@dataclass
class Play:
    """Tournaments on a running platform, one after another.

    :ivar begun: the tournaments that were started.
    """

    platform: RunningPlatform
    database: str
    begun: int = 0

    def start(self) -> None:
        source = START.format(slug=f"crowd-{self.begun}")
        preparation.manage(self.platform.installation, ("shell", "--no-imports", "-c", source))
        self.begun += 1

    def is_over(self) -> bool:
        if not self.begun:
            return True
        done, tables = self.ask(TABLES, f"crowd-{self.begun - 1}")
        return bool(tables) and done == tables

    def seconds(self) -> float:
        """Play a tournament to its last table; return how long it took."""
        self.start()
        began = time.monotonic()
        while not self.is_over():
            if time.monotonic() > began + PATIENCE_SECONDS:
                raise TimeoutError("the tournament does not end")
            time.sleep(0.2)
        return time.monotonic() - began

    def ask(self, query: str, *values: object) -> tuple[Any, ...]:
        with psycopg.connect(self.database) as connection:
            row = connection.execute(query, values or None).fetchone()  # type: ignore[arg-type]
            assert row is not None
            return row


class Crowd:
    """The visitors, in a process of their own.

    :ivar found: what `storm.py` has told, once they have left.
    """

    def __init__(self, address: str, args: argparse.Namespace) -> None:
        command = [sys.executable, str(Path(__file__).with_name("storm.py")), address, *PATHS]
        command += ["--visitors", str(args.visitors), "--pause", str(args.pause), "--seconds", "86400"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.found: dict[str, Any] = {}

    def leave(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.found = json.loads(self.process.communicate()[0])


@contextmanager
def crowd_at(address: str, args: argparse.Namespace) -> Iterator[Crowd]:
    """Let the visitors come, and leave at the end."""
    crowd = Crowd(address, args)
    try:
        yield crowd
        crowd.leave()
    finally:
        crowd.process.kill()
        crowd.process.wait()


def in_turns(play: Play, args: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Play alone and beside the crowd in turns; return the figures and what was missed."""
    alone, beside, crowds = [], [], []
    for _ in range(args.rounds):
        alone.append(play.seconds())
        with crowd_at(play.platform.address, args) as crowd:
            time.sleep(args.pause)  # each has asked once
            beside.append(play.seconds())
        crowds.append(crowd.found)
    told, missed = of_crowds(crowds)
    slower = sum(beside) / sum(alone)
    told |= {
        "tournament alone, s": [round(seconds, 1) for seconds in alone],
        "beside the visitors, s": [round(seconds, 1) for seconds in beside],
        "times slower": round(slower, 2),
    }
    return told, missed + [f"at most {MOST_SLOWER} times slower"] * (slower > MOST_SLOWER)


def of_crowds(crowds: list[dict[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    statuses: dict[str, int] = {}
    for crowd in crowds:
        for status, times in crowd["statuses"].items():
            statuses[status] = statuses.get(status, 0) + times
    answers, busy = sum(statuses.values()), statuses.get("503", 0)
    errors = [crowd["errors"] for crowd in crowds if crowd["errors"]]
    slowest = max(crowd["seconds waited"]["p95"] for crowd in crowds)
    kept = {
        "200 and 503 only": set(statuses) <= {"200", "503"} and not errors,
        f"at most {MOST_BUSY:.0%} are 503": busy <= MOST_BUSY * answers,
        f"95% within {1000 * MOST_SECONDS:.0f} ms": slowest <= MOST_SECONDS,
    }
    told = {
        "statuses": statuses,
        "errors": errors or "none",
        "seconds waited": [crowd["seconds waited"] for crowd in crowds],
        "pages a second": [round(crowd["200 a second"], 1) for crowd in crowds],
        "cores that the visitors themselves took": [round(crowd["cores"], 2) for crowd in crowds],
    }
    return told, [promise for promise, held in kept.items() if not held]


def for_long(play: Play, args: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Play with the visitors for the minutes; return memory by program, and what was missed."""
    samples: list[dict[str, float]] = []
    began = time.monotonic()
    with crowd_at(play.platform.address, args) as crowd:
        started = -args.every
        while len(samples) < args.minutes:
            now = time.monotonic() - began
            if now - started >= args.every and play.is_over():
                play.start()
                started = now
            if now >= 60 * (len(samples) + 1):
                samples.append(memory(play.platform.pids))
                print(
                    f"minute {len(samples)}: {sum(samples[-1].values()):.1f} MB", file=sys.stderr, flush=True
                )
            time.sleep(1)
        while not play.is_over():
            time.sleep(1)
    told, missed = of_crowds([crowd.found])
    first = max(1, min(FIRST_MINUTE, args.minutes // 4))
    early, late = (of_minutes(samples, minute) for minute in (first, args.minutes))
    sums = sum(early.values()), sum(late.values())
    growth = sums[1] / sums[0]
    told |= {f"{name}, MB": f"{early[name]:.1f}, {late[name]:.1f}" for name in early}
    told |= {
        f"all, MB in minutes {first} and {args.minutes}": f"{sums[0]:.1f}, {sums[1]:.1f}",
        "growth": f"{growth - 1:+.1%}",
        "tournaments": play.begun,
    }
    return told, missed + ["memory"] * (growth >= MOST_GROWTH)


def of_minutes(samples: list[dict[str, float]], last: int) -> dict[str, float]:
    """Return the median of three minutes, of which one is the last, by program."""
    taken = samples[max(0, last - WINDOW_MINUTES) : last]
    return {name: median(sample[name] for sample in taken) for name in taken[0]}


def memory(pids: dict[str, int]) -> dict[str, float]:
    """Return the memory of each program in megabytes; of the arbiter without its launcher and the bots."""
    return {
        name: sum(map(shared_out, [pid] if name == "arbiter" else process_tree(pid)))
        for name, pid in pids.items()
    }


def shared_out(pid: int) -> float:
    """Return the proportional set size of a process in megabytes; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", required=True, metavar="URL", help="an empty database of PostgreSQL")
    parser.add_argument("--visitors", type=int, default=500)
    parser.add_argument(
        "--pause", type=float, default=20.0, help="seconds from one page of a visitor to the next"
    )
    parser.add_argument(
        "--rounds", type=int, default=2, help="tournaments alone, and as many beside the visitors"
    )
    parser.add_argument("--minutes", type=int, default=0, help="look at memory for so long")
    parser.add_argument("--every", type=float, default=60.0, help="seconds from one tournament to the next")
    parser.add_argument("--port", type=int, default=8323, help="port of the site during the measurement")
    args = parser.parse_args()
    os.environ |= {"DATABASE_URL": args.database, "STICHKAMPF_SITE_PROCESSES": SITE_PROCESSES}
    try:
        with running_platform(args.port) as platform:
            play = Play(platform, args.database)
            play.seconds()  # the pages of its matches are asked for, and every program is warm
            told, missed = for_long(play, args) if args.minutes else in_turns(play, args)
            (lost,) = play.ask(LOST)
    except StopAsked:
        return 1
    missed += ["nothing lost, no fault"] * bool(lost)
    load = os.getloadavg()[0]
    python = f"Python {python_version()}, {machine()}, {os.cpu_count()} cores"
    print(f"\n{datetime.now(UTC):%Y-%m-%d}, {python}, PostgreSQL, load {load:.0f} at the end\n")
    print("| | |\n|---|---|")
    for name, value in told.items():
        print(f"| {name} | {value} |")
    print(f"\nmissed: {', '.join(missed)}" if missed else "\nall kept")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
