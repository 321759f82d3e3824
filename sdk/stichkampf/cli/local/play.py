"""`stichkampf play`: matches on this machine, without a network."""

from __future__ import annotations

import argparse
import shlex
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, Final

from stichkampf.bots.practice import seeds_from
from stichkampf.bots.registry import house_bots
from stichkampf.cli import INTERRUPTED
from stichkampf.cli.local.faults import FaultReport
from stichkampf.cli.local.matches import (
    add_options,
    control_of,
    game_of,
    rules_given,
    rules_told,
    seed_of,
    series_of,
)
from stichkampf.cli.local.standings import Standings
from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.streams import raw_output
from stichkampf.cli.terminal import ProgressBar
from stichkampf.games import GAMES
from stichkampf.local_play.programs import local_program
from stichkampf.local_play.series import MatchOrder
from stichkampf.match.records import RecordFile
from stichkampf.plain_text import json_text

FAULTED: Final = 1
KEPT_SEATS: Final = "Every bot kept its seat, and seats matter. To tell which bot is stronger"

DESCRIPTION = """\
Play matches between bots on this machine, without a network, and print their scores.

A BOT is a house bot, a Python file with a Bot in it, a folder or an archive as the site takes it. The first
BOT takes seat 1, the second seat 2, and so on, in every match; each match has new deals. A seat alone may be
worth many points: `stichkampf duel` exchanges seats and tells which bot is stronger.

Without options the match is that of the game's main ladder: its options, its clock.
"""
EPILOG = f"""\
games: {", ".join(GAMES)} (`stichkampf games` lists seats and options)
house bots: {", ".join(house_bots())} (`stichkampf bots` describes them)

Your bots run in processes of their own under the server's clock: of a decision the CPU time counts, and
waiting beyond twice that and a second; where the machine is not Linux, the time on the wall clock. House
bots have no clock. When a bot crashes, is late or its answer is not legal, thumb makes that move; after more
than two faults in a match thumb plays on to its end.

examples:
  stichkampf play stiche-raten mine.py thumb random
  stichkampf play sticheln mine.py thumb thumb bold -o edition=short -o length=deals:4 --matches 20 --jobs 2
  stichkampf play stiche-raten thumb timid random --seed monday --records monday.jsonl
  stichkampf play njet karl.zip thumb thumb thumb --sandbox   # as on the server, its memory and files too
  stichkampf play mue karl thumb glimpse random --no-clock   # breakpoint() in karl/bot.py stops there

exit status: 0 all matches played without a fault, {FAULTED} a bot had a fault, 2 input that cannot be used,
{INTERRUPTED} interrupted
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "play",
        "play matches between bots on this machine",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("game", metavar="GAME", help="the name of a game")
    parser.add_argument("bots", metavar="BOT", nargs="+", help="as many as seats")
    parser.add_argument(
        "--matches", metavar="N", type=positive, default=1, help="how many matches (default: 1)"
    )
    add_options(parser)
    parser.add_argument(
        "--records", metavar="FILE", type=Path, help="add each match record to FILE, one a line"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    game = game_of(args, len(args.bots))
    programs = tuple(local_program(text, hosted=args.sandbox) for text in args.bots)
    seed = seed_of(args)
    standings = Standings([program.name for program in programs])
    orders = (MatchOrder(programs, one) for one in islice(seeds_from(seed), args.matches))
    file = RecordFile(args.records) if args.records else nullcontext()
    report = FaultReport()
    with raw_output(args.no_clock), file as records, ProgressBar(args.matches, "matches") as progress:
        try:
            for played in series_of(args, game).play(orders):
                standings.add(played)
                report.add(played)
                if records is not None:
                    records.add(played.record)
                progress.step()
        except KeyboardInterrupt:
            if not standings.matches:
                raise
    interrupted = standings.matches < args.matches
    title = (
        f"{game.name}, {game.seats} seats, {standings.matches} of {args.matches} matches"
        + " (interrupted)" * interrupted
    )
    if args.json:
        result = {
            "game": game.name,
            "options": dict(game.options),
            "rules": rules_told(game, control_of(args)),
            "matches": standings.matches,
            "seed": seed,
            "seats": standings.to_json(),
            "faults": report.to_json(),
        }
        print(json_text(result))
    else:
        print(title, rules_told(game, control_of(args)), standings.table(), sep="\n")
        print(f"{KEPT_SEATS}: {_duel(args)}")
        print(f"To play the same again: --seed {shlex.quote(seed)}")
    report.tell(args.bots)
    if interrupted:
        return INTERRUPTED
    return FAULTED if report else 0


def _duel(args: argparse.Namespace) -> str:
    """Return the command that tells which of the bots is stronger, under the same rules and clock."""
    bots = list(dict.fromkeys(args.bots))
    others = bots if len(bots) > 1 else [*bots, next(bot for bot in house_bots() if bot not in bots)]
    return shlex.join(["stichkampf", "duel", args.game, *others, *rules_given(args)])
