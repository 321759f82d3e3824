"""Runs of `stichkampf tune` on bots with a planted optimum, and on bots where there is nothing to gain.

    python -m benchmarks.tuning [--runs 10] [--idle-runs 20] [--method spsa] [--jobs 2]

The bot plays Sixes and Sevens as `thumb` does, but takes any card with a chance that grows with the distance
of three numbers from a planted optimum, of which each decides on every third card of a hand. A run begins
elsewhere and has the command's own budget. The optimum is found where each number ends within TOLERANCE of
its range and the verdict is a gain. In idle runs the chance is the same whatever the numbers are, and they
only say which cards are taken. Prints a line a run, and ends with 1 where fewer than 8 in 10 runs find the
optimum, or more than 1 in 20 idle runs report a gain.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from stichkampf.cli import main as stichkampf

TOLERANCE = 0.15
PLANTED = {"first": 0.25, "second": 0.7, "third": 0.55}
FURTHEST = 0.3
"""The least distance from the optimum at which a run begins."""
BOT = """\
import random

from stichkampf import Bot
from stichkampf.bots.thumb import Thumb


class Planted(Bot):
    games = ("sixes-and-sevens",)
    first = second = third = 0.5

    def choose(self, table):
        name = tuple(PLANTED)[len(table.hand) % 3]
        number = getattr(self, name)
        rng = random.Random(f"{table.rng.random()} {number}")
        if rng.random() < (IDLE or abs(number - PLANTED[name])):
            return rng.choice(table.legal)
        return Thumb().choose(table)
"""


def tuned(
    start: dict[str, float], folder: Path, seed: str, words: list[str], *, idle: bool
) -> dict[str, Any]:
    """Run the command once in a fresh folder; returns what it prints."""
    folder.mkdir()
    bot, file = folder / "planted.py", folder / "planted.toml"
    bot.write_text(f"{BOT}\n\nPLANTED = {PLANTED}\nIDLE = {0.3 * idle}\n")
    file.write_text(
        "".join(f"[{name}]\nvalue = {value}\nleast = 0\nmost = 1\n" for name, value in start.items())
    )
    told = io.StringIO()
    given = ["--parameters", str(file), "--journal", str(folder / "journal.jsonl"), "--seed", seed, "--json"]
    with contextlib.redirect_stdout(told):
        stichkampf(["tune", str(bot), "--game", "sixes-and-sevens", *given, *words])
    found: dict[str, Any] = json.loads(told.getvalue())
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--idle-runs", type=int, default=20)
    parser.add_argument("--method", default="spsa")
    parser.add_argument("--steps", default="150")
    parser.add_argument("--jobs", default=str(os.cpu_count() or 1))
    given = parser.parse_args()
    words = ["--method", given.method, "--steps", given.steps, "--jobs", given.jobs]
    found = gains = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.runs + given.idle_runs):
            idle = number >= given.runs
            rng = random.Random(number)
            start = {name: _far(planted, rng) for name, planted in PLANTED.items()}
            told = tuned(start, Path(folder, str(number)), f"run {number}", words, idle=idle)
            offs = {name: round(told["parameters"][name] - planted, 2) for name, planted in PLANTED.items()}
            off = max(map(abs, offs.values()))
            gains += idle and told["gain"]
            found += not idle and told["gain"] and off <= TOLERANCE
            kind = "idle" if idle else "planted"
            figures = f"{told['points']:+.2f} ({told['low']:+.2f} to {told['high']:+.2f})"
            print(f"{kind} {number}: off by {offs}, {figures}", flush=True)
    print(f"{given.method}: found {found} of {given.runs}; a gain in {gains} of {given.idle_runs} idle runs")
    return int(found < 0.8 * given.runs or gains > given.idle_runs / 20)


def _far(planted: float, rng: random.Random) -> float:
    """Draw where a number begins."""
    while abs((value := rng.random()) - planted) < FURTHEST:
        pass
    return value


if __name__ == "__main__":
    sys.exit(main())
