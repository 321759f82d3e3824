"""Measure whether a validation finds bots that crash only at a late or a large decision.

    python benchmarks/late_crashes.py [--decisions 15] [--seed drawn] [--sandbox] [--at-once 2]

Decisions are drawn by a seed from ladder matches of house bots: half of them of the last third of a match,
half of the sixth with the most legal actions. For each a bot is made that answers everything but decisions
like this one: same phase, deal, cards in hand and number of legal actions. `stichkampf check` validates it.
Then a bot of each game, and one of all games, that use all the time that their clock gives. Prints a row for
each game, with the processor time of a validation beside the time on the wall clock, and ends with 1 where
fewer than 95 in 100 are found, one takes more than a minute of a processor, or a bot that uses its clock is
rejected.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from statistics import median
from time import monotonic
from typing import NamedTuple

from stichkampf.bots.practice import entrant, play_match, seeds_from
from stichkampf.games import GAMES, new_game
from stichkampf.local_play.rare_decisions import DecisionKind, kind_of
from stichkampf.local_play.validation import OPPONENTS
from stichkampf.match.records import steps

MATCHES = 8
LEAST_FOUND = 0.95
MOST_SECONDS = 60.0
CRASHES = """
from stichkampf import Bot

class Crashes(Bot):
    games = ({game!r},)

    def choose(self, table):
        kind = (table.phase, table.deal_number, len(table.hand), len(table.legal))
        if kind == {kind!r}:
            raise RuntimeError("a late or large decision")
        return table.rng.choice(table.legal)
"""
USES_ITS_CLOCK = """
import time
from stichkampf import Bot

class Slow(Bot):
    games = {games!r}

    def choose(self, table):
        end = time.process_time() + min(1.85, 0.9 * table.seconds)
        while time.process_time() < end:
            pass
        return table.legal[0]
"""


class Checked(NamedTuple):
    """A validation.

    :ivar cpu: seconds of processors, of all its processes.
    """

    accepted: bool
    cpu: float
    wall: float


def kinds_of_matches(game: str, seed: str) -> Iterator[list[DecisionKind]]:
    """Yield the kinds of decisions of ladder matches among house bots, in their order."""
    ladder = GAMES[game].main_ladder
    rules = new_game(game, ladder.seats, ladder.options)
    bots = [entrant(name) for name in OPPONENTS[: ladder.seats]]
    for match_seed in islice(seeds_from(f"{seed}/{game}"), MATCHES):
        yield [kind_of(step) for step in steps(play_match(rules, bots, match_seed).record)]


def drawn(game: str, seed: str, number: int) -> list[DecisionKind]:
    """Draw decisions, late and large ones in turn."""
    chance = random.Random(f"{seed}/{game}")
    matches = list(kinds_of_matches(game, seed))
    found = []
    for turn in range(number):
        match = chance.choice(matches)
        late = match[len(match) * 2 // 3 :]
        large = sorted(match, key=lambda kind: -kind.legal)[: len(match) // 6 + 1]
        found.append(chance.choice(large if turn % 2 else late))
    return found


def check(source: str, *options: str) -> Checked:
    """Validate a bot at home."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as told:
        file = Path(folder, "bot.py")
        file.write_text(source)
        command = [sys.executable, "-m", "stichkampf", "check", str(file), "--json", *options]
        begun = monotonic()
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = monotonic() - begun
        told.seek(0)
        return Checked(json.load(told)["accepted"], used.ru_utime + used.ru_stime, wall)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--decisions", type=int, default=15, help="of each game")
    parser.add_argument("--seed", default="drawn")
    parser.add_argument("--sandbox", action="store_true", help="in the sandbox, as the server does")
    parser.add_argument("--at-once", type=int, default=2, help="validations at once")
    args = parser.parse_args()
    options = ("--sandbox" if args.sandbox else "--no-sandbox",)
    found, slowest, refused = 0, 0.0, []
    print(f"load {os.getloadavg()[0]:.0f}")
    print(
        "game              found  CPU s: median longest  wall s: median longest  whole clock: CPU s, wall s"
    )
    with ThreadPoolExecutor(args.at_once) as pool:
        for game in GAMES:
            sources = [
                CRASHES.format(game=game, kind=tuple(kind)) for kind in drawn(game, args.seed, args.decisions)
            ]
            done = list(pool.map(lambda source: check(source, *options), sources))
            rejected = [one for one in done if not one.accepted]
            found += len(rejected)
            slowest = max(slowest, *(one.cpu for one in done))
            slow = check(USES_ITS_CLOCK.format(games=(game,)), *options)
            refused += [] if slow.accepted else [game]
            print(
                f"{game:16} {len(rejected):3}/{len(done)}"
                f"  {median(one.cpu for one in done):13.1f} {max(one.cpu for one in done):7.1f}"
                f"  {median(one.wall for one in done):14.1f} {max(one.wall for one in done):7.1f}"
                f"  {'accepted' if slow.accepted else 'rejected':>12}, {slow.cpu:.0f}, {slow.wall:.0f}",
                flush=True,
            )
    slow = check(USES_ITS_CLOCK.format(games=tuple(GAMES)), *options)
    refused += [] if slow.accepted else ["all games"]
    told = "accepted" if slow.accepted else "rejected"
    print(f"all games, whole clock: {told}, {slow.cpu:.0f}, {slow.wall:.0f}")
    share = found / (args.decisions * len(GAMES))
    print(f"{100 * share:.0f}% found; load {os.getloadavg()[0]:.0f}")
    return 0 if share >= LEAST_FOUND and slowest <= MOST_SECONDS and not refused else 1


if __name__ == "__main__":
    sys.exit(main())
