"""Measure whether a validation finds bots that crash only at a late or a large decision.

    python benchmarks/late_crashes.py [--decisions 15] [--seed drawn]

Decisions are drawn by a seed from ladder matches of house bots: half of them of the last third of a match,
half of the sixth with the most legal actions. For each a bot is made that answers everything but decisions
like this one: same phase, deal, cards in hand and number of legal actions. `stichkampf check` validates it,
without the sandbox. Then a bot of each game, and one of all games, that use all the time that their clock
gives. Prints a row for each game, and ends with 1 where fewer than 95 in 100 are found.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from time import monotonic
from typing import NamedTuple

from stichkampf.bots.practice import entrant, play_match, seeds_from
from stichkampf.games import GAMES, new_game
from stichkampf.local_play.validation import OPPONENTS
from stichkampf.match.records import steps

MATCHES = 8
LEAST_FOUND = 0.95
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


class Kind(NamedTuple):
    """Decisions that are alike; deals count from 0."""

    phase: str
    deal: int
    cards: int
    legal: int


def kinds_of_matches(game: str, seed: str) -> Iterator[list[Kind]]:
    """Yield the kinds of decisions of ladder matches among house bots, in their order."""
    ladder = GAMES[game].main_ladder
    rules = new_game(game, ladder.seats, ladder.options)
    bots = [entrant(name) for name in OPPONENTS[: ladder.seats]]
    for match_seed in islice(seeds_from(f"{seed}/{game}"), MATCHES):
        yield [
            Kind(
                step.match.deal.phase(),
                len(step.match.played) - 1,
                len(step.match.deal.hand(step.move.seat)),
                len(step.legal),
            )
            for step in steps(play_match(rules, bots, match_seed).record)
        ]


def drawn(game: str, seed: str, number: int) -> list[Kind]:
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


def check(source: str) -> tuple[bool, float]:
    """Validate a bot at home; returns whether it is accepted, and the seconds that this took."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bot.py")
        file.write_text(source)
        command = [sys.executable, "-m", "stichkampf", "check", str(file), "--no-sandbox", "--json"]
        begun = monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return json.loads(done.stdout)["accepted"], monotonic() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--decisions", type=int, default=15, help="of each game")
    parser.add_argument("--seed", default="drawn")
    args = parser.parse_args()
    found = 0
    print("game              found  median s  longest s  whole clock: accepted, s")
    for game in GAMES:
        results = [
            check(CRASHES.format(game=game, kind=tuple(kind)))
            for kind in drawn(game, args.seed, args.decisions)
        ]
        seconds = [one for accepted, one in results if not accepted]
        found += len(seconds)
        slow, slow_seconds = check(USES_ITS_CLOCK.format(games=(game,)))
        print(
            f"{game:16} {len(seconds):3}/{len(results)} {median(seconds):9.1f} {max(seconds):10.1f}"
            f"  {slow}, {slow_seconds:.0f}",
            flush=True,
        )
    slow, slow_seconds = check(USES_ITS_CLOCK.format(games=tuple(GAMES)))
    print(f"all games: whole clock accepted: {slow}, {slow_seconds:.0f} s")
    share = found / (args.decisions * len(GAMES))
    print(f"{100 * share:.0f}% found")
    return 0 if share >= LEAST_FOUND else 1


if __name__ == "__main__":
    sys.exit(main())
