"""`stichkampf benchmark`: a bot against a fixed pool, on fixed deals of every game."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.terminal import ProgressBar
from stichkampf.lab.benchmark import PROTOCOL, BenchmarkRun
from stichkampf.plain_text import json_text

FAULTY: Final = 1

DESCRIPTION = f"""\
Play the protocol {PROTOCOL.name}: {PROTOCOL.blocks} duplicate blocks of each of its games against a pool of
house bots ({", ".join(PROTOCOL.pool)}), on fixed deals and without a clock.
The table says how much stronger than the pool the bot is, with 95% intervals; a bot that draws its random
numbers from table.rng alone gets the same table on every machine. Each finished block goes into a journal:
the same command goes on where it was ended. Every process loads the bot from its files, so nothing of it need
be pickled.
"""
EPILOG = f"""\
protocol: {PROTOCOL.name}, hash {PROTOCOL.hash}; games: {", ".join(game.name for game in PROTOCOL.games)}

examples:
  stichkampf benchmark policy.py --blocks 16       # a try, which is then named as one
  stichkampf benchmark policy.py --jobs 2 --json > policy.json
  stichkampf benchmark policy.py --seed other      # other deals, to see how much they matter

exit status: 0 done without a fault; {FAULTY} the bot had a fault; 2 input that cannot be used
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "benchmark",
        "measure a bot by a fixed protocol, in all games",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument(
        "bot", metavar="BOT", help="a house bot, a Python file, a folder, an archive or a program"
    )
    parser.add_argument(
        "--blocks",
        metavar="N",
        type=positive,
        default=PROTOCOL.blocks,
        help=f"fewer blocks a game, for a try (default: {PROTOCOL.blocks}, the protocol)",
    )
    parser.add_argument(
        "--game",
        dest="games",
        metavar="GAME",
        action="append",
        choices=[game.name for game in PROTOCOL.games],
        help="only this game; may be repeated (default: all that the bot plays)",
    )
    parser.add_argument("--seed", metavar="S", default=PROTOCOL.seed, help="other deals, from any text")
    parser.add_argument(
        "--jobs", metavar="N", type=positive, default=1, help="matches to play at once (default: 1)"
    )
    parser.add_argument(
        "--journal", metavar="FILE", type=Path, help="where blocks are kept (default: benchmark-BOT.jsonl)"
    )
    parser.add_argument("--json", action="store_true", help="print all figures as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    measured = BenchmarkRun(
        args.bot, args.games or (), blocks=args.blocks, seed=args.seed, journal=args.journal
    )
    with ProgressBar(len(measured.games) * args.blocks, "blocks") as progress:
        for _ in measured.play(args.jobs):
            progress.step()
    print(json_text(measured.json()) if args.json else measured.text())
    return FAULTY if measured.faults else 0
