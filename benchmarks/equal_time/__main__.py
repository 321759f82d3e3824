"""Play the blocks that are missing, then print the tables and the goals."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from stichkampf.games import GAMES
from stichkampf.match.looking_ahead import COMPILED

from benchmarks.equal_time import __doc__ as description
from benchmarks.equal_time import results
from benchmarks.equal_time.earlier import CHECKOUT, build
from benchmarks.equal_time.pairings import PAIRINGS, SECONDS, Job, jobs, version
from benchmarks.equal_time.playing import play_block
from benchmarks.equal_time.report import report

RESULTS = Path(__file__).parents[1] / "results" / "equal-time.jsonl"
PEERS_SIMULATIONS = 2000  # of the bot of OpenSpiel that is timed


def peers_simulations(seconds: float) -> int:
    """Measure how many simulations OpenSpiel's ISMCTS makes in that time, in `oh_hell` at the first bid."""
    from benchmarks.engine_peer import OpenSpiel, measured

    peer = OpenSpiel()
    rates = sorted(measured(lambda: peer.search(PEERS_SIMULATIONS)) for _ in range(7))
    return round(rates[len(rates) // 2] * seconds)


def played(missing: Iterable[Job], checkout: Path, workers: int, until: float) -> Iterator[dict[str, Any]]:
    """Yield blocks as they are played, and begin none after the end."""
    left = iter(missing)
    with ProcessPoolExecutor(workers) as pool:
        running = {pool.submit(play_block, job, checkout) for job in islice(left, 2 * workers)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for block in done:
                yield block.result()
            if time.monotonic() < until:
                running |= {pool.submit(play_block, job, checkout) for job in islice(left, len(done))}


def main() -> int:
    args = _parser().parse_args()
    if args.require_compiled and not COMPILED:
        print("equal_time: the engine is not compiled (make engine)", file=sys.stderr)
        return 2
    games = list(GAMES) if args.game == "all" else [args.game]
    simulations = 0
    if "ismcts" in args.pairing and not args.report:
        simulations = peers_simulations(args.seconds)
        print(f"OpenSpiel's ISMCTS makes {simulations} simulations in the time", file=sys.stderr)
    wanted = list(jobs(games, args.pairing, args.seconds, simulations, args.blocks))
    results.mend(args.results)
    known = results.read(args.results, args.seconds)
    if not args.report:
        if "earlier" in args.pairing:
            build(args.checkout)
        missing = [job for job in wanted if results.key_of_job(job) not in known]
        until = time.monotonic() + 60 * args.minutes if args.minutes else float("inf")
        with args.results.open("a", encoding="utf-8") as file:
            for row in played(missing, args.checkout, args.workers, until):
                print(
                    json.dumps({"version": version(row["game"], args.seconds)} | row), file=file, flush=True
                )
                known[results.key_of(row)] = row
    rows = [known[key] for job in wanted if (key := results.key_of_job(job)) in known]
    text, met = report(rows, args.pairing, wanted)
    print(_heading(args.seconds))
    print(text)
    return 0 if met else 1


def _heading(seconds: float) -> str:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, commit {commit}, Python {platform.python_version()},"
        f" {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {1000 * seconds:g} ms a decision.\n"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="equal_time", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=[*GAMES, "all"], default="all")
    parser.add_argument("--pairing", nargs="+", choices=PAIRINGS, default=list(PAIRINGS))
    parser.add_argument(
        "--blocks", type=int, metavar="N", help="at the usual number of seats, a third at the ends (600)"
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="of a decision (0.003)")
    parser.add_argument("--minutes", type=float, metavar="M", help="begin no block after that time")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (2)")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="blocks played so far")
    parser.add_argument(
        "--checkout", type=Path, default=CHECKOUT, metavar="FOLDER", help="of the earlier SDK"
    )
    parser.add_argument(
        "--require-compiled", action="store_true", help="fail where the engine is not compiled"
    )
    parser.add_argument("--report", action="store_true", help="play nothing, print the tables")
    return parser


if __name__ == "__main__":
    sys.exit(main())
