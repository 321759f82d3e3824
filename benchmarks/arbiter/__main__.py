"""Measure, print the table and the goals, and fail if a goal is missed."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from stichkampf_arbiter.connection.lateness import StampedSelector, collect_rarely, new_loop

from benchmarks.arbiter import __doc__ as description
from benchmarks.arbiter.figures import HEADING, Figure, table_row
from benchmarks.arbiter.goals import Goal, Rounds, goals_of
from benchmarks.arbiter.rows import matches, raw, unbatched, wire
from benchmarks.arbiter.trials import beside_floods, noticing_a_hung_bot, two_arbiters

ROWS = (raw, wire, unbatched, matches)
# Of a thousand streams that carry the wire, gRPC now and then cancels one. The goals ask for 256.
UNBATCHED_MAX = 256


async def measure(
    tables: Sequence[int], rounds: int, seconds: float, folder: Path, selector: StampedSelector
) -> Rounds:
    """Measure all rows at every number of tables, round after round, next to those they are compared with."""
    found: dict[tuple[str, int], list[Figure]] = defaultdict(list)
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for count in tables:
            for row in ROWS:
                if row is unbatched and count > UNBATCHED_MAX:
                    continue
                figure = await row(count, seconds, folder / f"{row.__name__}-{count}-{number}", selector)
                found[figure.name, count].append(figure)
    return found


async def run(
    tables: Sequence[int], rounds: int, seconds: float, folder: Path, selector: StampedSelector
) -> list[Goal]:
    """Measure everything and print the table; return the goals."""
    # A hung bot costs nothing but time, so it is measured beside the rest.
    hung = asyncio.ensure_future(noticing_a_hung_bot(folder, selector))
    found = await measure(tables, rounds, seconds, folder, selector)
    print(HEADING)
    for figures in found.values():
        print(table_row(figures))
    slower, floods = await beside_floods(rounds, seconds, folder, selector)
    print(f"\n{floods} floods beside an honest bot", flush=True)
    faster = [
        await asyncio.to_thread(two_arbiters, seconds, folder / f"{number}") for number in range(rounds)
    ]
    return [
        *goals_of(found),
        Goal("p99 of an honest bot, beside floods / before", slower, "<=", 1.5),
        Goal("a hung bot is noticed / keepalive and its timeout", [await hung], "<=", 1.5),
        Goal("decisions/s, two arbiters / one", faster, ">=", 1.4),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.arbiter",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--tables", type=int, nargs="+", default=[1, 32, 256, 1_000], help="numbers of tables"
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="length of each measurement")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds")
    given = parser.parse_args()
    # The arbiter would log every flood.
    logging.getLogger("stichkampf_arbiter").setLevel(logging.ERROR)
    loop, selector = new_loop()
    collect_rarely()
    with tempfile.TemporaryDirectory(prefix="sk-") as folder:
        try:
            goals = loop.run_until_complete(
                run(sorted({1, *given.tables}), given.rounds, given.seconds, Path(folder), selector)
            )
        finally:
            loop.close()
    print()
    for goal in goals:
        print(goal.summary())
    return 0 if all(goal.met for goal in goals) else 1


if __name__ == "__main__":
    sys.exit(main())
