"""`stichkampf play`: local matches without a network."""

from __future__ import annotations

import argparse
import json
import secrets
import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from stichkampf.bots import house_bots
from stichkampf.bots.practice import entrant, practice, seeds_from
from stichkampf.cli import INTERRUPTED
from stichkampf.cli.local.standings import Standings
from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.terminal import ProgressBar
from stichkampf.errors import OptionError
from stichkampf.games import GAMES, new_game
from stichkampf.match.records import RecordFile

EPILOG = f"""\
games: {", ".join(GAMES)} (`stichkampf games` lists seats and options)
house bots: {", ".join(house_bots())} (`stichkampf bots` describes them)

The first BOT takes seat 1, the second seat 2, and so on, in every match; each match has new deals. When a bot
crashes or its answer is not legal, thumb makes that move; after more than two faults in a match thumb plays
on to its end. There is no clock.

examples:
  stichkampf play stiche-raten mine.py thumb random
  stichkampf play sticheln mine.py thumb thumb bold -o edition=short -o length=deals:4 --matches 20
  stichkampf play stiche-raten thumb timid random --seed monday --records monday.jsonl
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "play",
        "play matches between bots on this machine",
        description="Play matches between bots on this machine, without a network, and print their scores.",
        epilog=EPILOG,
    )
    parser.add_argument("game", metavar="GAME", help="the name of a game")
    parser.add_argument(
        "bots",
        metavar="BOT",
        nargs="+",
        help="a house bot, or a Python file with a Bot in it; as many as seats",
    )
    parser.add_argument(
        "-o",
        dest="options",
        metavar="OPTION=VALUE",
        action="append",
        default=[],
        help="set an option of the game; VALUE is JSON where it parses, else text. May be repeated",
    )
    parser.add_argument(
        "--matches", metavar="N", type=positive, default=1, help="how many matches (default: 1)"
    )
    parser.add_argument(
        "--seed",
        metavar="S",
        help="deal and play exactly as the last time with this seed: any text, or the 64 hex digits that a"
        " record names as its seed (default: drawn, and printed)",
    )
    parser.add_argument(
        "--records", metavar="FILE", type=Path, help="add each match record to FILE, one a line"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    game = new_game(args.game, len(args.bots), options_from(args.options))
    entrants = [entrant(text) for text in args.bots]
    seed = secrets.token_hex(8) if args.seed is None else args.seed
    standings = Standings([e.name for e in entrants])
    file = RecordFile(args.records) if args.records else nullcontext()
    with file as records, ProgressBar(args.matches, "matches") as progress:
        try:
            for played in practice(game, entrants, seeds_from(seed), args.matches):
                standings.add(played)
                if records is not None:
                    records.add(played.record)
                progress.step()
        except KeyboardInterrupt:
            if not standings.matches:
                raise
    interrupted = standings.matches < args.matches
    print(
        f"{game.name}, {game.seats} seats, {standings.matches} of {args.matches} matches"
        + " (interrupted)" * interrupted
    )
    print(standings.table())
    print(f"To play the same again: --seed {shlex.quote(seed)}")
    for line in standings.failures():
        print(line, file=sys.stderr)
    return INTERRUPTED if interrupted else 0


def options_from(settings: list[str]) -> dict[str, Any]:
    """Read the options of `-o OPTION=VALUE` arguments.

    :raises OptionError: for one without a `=`, and for an option that is set twice.
    """
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise OptionError(f"-o takes OPTION=VALUE, such as -o length=deals:4, not {setting!r}")
        if name in options:
            raise OptionError(f"-o {name} is given twice")
        try:
            options[name] = json.loads(text)
        except (ValueError, RecursionError):
            options[name] = text
    return options
