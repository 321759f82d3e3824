"""The share of its reserve that the bot of docs/how-to.md uses which plans by `table.clock`.

    python -m benchmarks.bank [--matches 1000]

It plays deals of Sticheln with `thumb` at home, in a process of its own and under the clock of `stichkampf
play`, with a hundredth of the usual seconds. Its search reads the processor time instead of the clock, which
is the same on a quiet machine, so that a busy one tells as much. Prints the share of the reserve that is
used, and ends with 1 where the mean lies outside 80 to 95%, or where a decision took too long: of each such
decision it tells seat, number, seconds and what the bot's clock said.

The tenth of the longest time that `table.clock.for_one_of` leaves is a hundredth of the usual here, too: 2 to
5 milliseconds for all that the bot does beside its search, where it is 200 to 500 at the server's clock. A
whole collection of garbage takes 5 milliseconds where it looks at all that a bot's process has loaded; such a
process leaves that out, at home as in a sandbox.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, quantiles

from stichkampf.bots.practice import seeds_from
from stichkampf.engine.deal import Json
from stichkampf.games import new_game
from stichkampf.local_play.clocked_match import BotProcesses, ClockedMatch, told_clock
from stichkampf.local_play.programs import local_program
from stichkampf.match.records import moves
from stichkampf.time_control import TimeControl
from stichkampf.timing.clock import Clock

GOAL = (0.8, 0.95)
CONTROL = TimeControl(move_seconds=0.02, bank_seconds=0.1, cap_seconds=0.05)
GAME = new_game("sticheln", 4, {"length": "deals:1"})
GUIDE = Path(__file__).resolve().parents[1] / "docs/how-to.md"
NAME = "# timed/bot.py\n"
BY_PROCESSOR_TIME = """\
import time
from types import SimpleNamespace
from stichkampf.match import looking_ahead

looking_ahead.time = SimpleNamespace(monotonic=time.process_time)
"""


def guide_bot(folder: Path) -> Path:
    """Write the bot of the guide into a folder."""
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (block,) = [block for block in blocks if block.startswith(NAME)]
    file = folder / "timed.py"
    file.write_text(BY_PROCESSOR_TIME + block)
    return file


def used_share(record: dict[str, Json], control: TimeControl) -> float:
    """Return the share of the reserve that seat 0 used."""
    clock = Clock(control)
    for move in moves(record):
        if move.seat == 0 and move.cost is not None:
            clock.charge(move.cost)
    return 1 - clock.bank_seconds / control.bank_seconds


def late_decisions(record: dict[str, Json], control: TimeControl) -> Iterator[str]:
    """Tell of every fault of seat 0 what it was charged and what its clock had said."""
    clock = Clock(control)
    asked = [move for move in moves(record) if move.seat == 0]
    for number, move in enumerate(asked, 1):
        told = told_clock(clock)
        if move.fault:
            cost, wall = (
                "not measured" if seconds is None else f"{1000 * seconds:.1f} ms"
                for seconds in (move.cost, move.wall)
            )
            yield (
                f"seat 0, decision {number} of {len(asked)} ({move.fault}): charged {cost}, {wall} by the "
                f"wall; at most {1000 * told.longest:.1f} ms; its clock said {told.to_json()}"
            )
        if move.cost is not None:
            clock.charge(move.cost)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, default=1000)
    given = parser.parse_args()
    shares: list[float] = []
    late = 0
    with tempfile.TemporaryDirectory() as folder, BotProcesses() as processes:
        seated = [local_program(str(guide_bot(Path(folder)))), *[local_program("thumb")] * 3]
        for seed, _ in zip(seeds_from("bank"), range(given.matches), strict=False):
            played = ClockedMatch(GAME, seated, seed, processes, CONTROL).play_to_end()
            late += len(played.failures)
            for said in late_decisions(played.record, CONTROL):
                print(f"seed {seed.hex()}: {said}", flush=True)
            shares.append(used_share(played.record, CONTROL))
    low, high = quantiles(shares, n=20)[0], quantiles(shares, n=20)[-1]
    used = (
        f"{100 * mean(shares):.1f}% of the reserve used, {100 * low:.0f} to {100 * high:.0f}% in nine of ten"
    )
    print(f"{len(shares)} matches: {used}; {late} faults")
    return int(late > 0 or not GOAL[0] <= mean(shares) <= GOAL[1])


if __name__ == "__main__":
    sys.exit(main())
