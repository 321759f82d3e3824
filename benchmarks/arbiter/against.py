"""Processor time of the arbiter for a decision of a whole match, here and in another checkout.

    python benchmarks/arbiter/against.py PYTHON [--tables N ...] [--rounds N] [--seconds S]

PYTHON is the interpreter of the other checkout, set up as this one is. Both play in turns, each in a process
of its own, and the median of the ratios decides: the exit status is 1 where it is above the goal.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
GOAL = 0.6
NAMES = (
    ("benchmarks.arbiter.rows", "stichkampf_arbiter.connection.lateness"),
    ("stichkampf_arbiter.bench.rows", "stichkampf_arbiter.loop"),  # as at commit 37b1c55
)
"""Modules that play matches, and that make the loop."""


def play(tables: int, seconds: float) -> float:
    """Return the microseconds of a decision of whole matches, of the checkout of this interpreter."""
    rows, loops = NAMES[find_spec("stichkampf_arbiter.loop") is not None]
    module = import_module(loops)
    loop, selector = module.new_loop()
    if hasattr(module, "collect_rarely"):  # as the arbiter does
        module.collect_rarely()
    with tempfile.TemporaryDirectory(prefix="sk-") as folder:
        row = import_module(rows).matches(tables, seconds, Path(folder) / "socket", selector)
        figure = loop.run_until_complete(row)
    loop.close()
    return float(figure.cpu_us)


def measured(python: str, tables: int, seconds: float) -> float:
    command = [python, __file__, "--play", str(tables), str(seconds)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return float(done.stdout.split()[-1])


def main() -> int:
    if sys.argv[1] == "--play":
        print(play(int(sys.argv[2]), float(sys.argv[3])))
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("python", help="the interpreter of a checkout to compare with")
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 32, 256], help="numbers of tables")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each measurement")
    given = parser.parse_args()
    worst = 0.0
    print("| tables | there, us | here, us | here / there (lowest to highest) |\n|---|---|---|---|")
    for tables in given.tables:
        pairs = [
            (measured(given.python, tables, given.seconds), measured(sys.executable, tables, given.seconds))
            for _ in range(given.rounds)
        ]
        ratios = sorted(here / there for there, here in pairs)
        there, here = (median(values) for values in zip(*pairs, strict=True))
        ratio, spread = median(ratios), f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
        print(f"| {tables} | {there:.1f} | {here:.1f} | {ratio:.2f} ({spread}) |", flush=True)
        worst = max(worst, ratio)
    print(f"\nat most {GOAL}: {'met' if worst <= GOAL else 'missed'}")
    return 0 if worst <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
