"""`stichkampf run`: a match of a program that speaks JSON lines, and every line that goes to and fro."""

from __future__ import annotations

import argparse
import secrets
import shlex
import sys
from pathlib import Path
from typing import Any, Final

from stichkampf.bots.bot import BotFailure
from stichkampf.bots.practice import Entrant, entrant, play_match, seeds_from
from stichkampf.bots.program_bot import SCHEMA, ProgramBot, program_bot
from stichkampf.cli.local.matches import options_from
from stichkampf.cli.parser import add_command
from stichkampf.cli.terminal import coloured
from stichkampf.errors import BotError
from stichkampf.games import GAMES, game_class, new_game
from stichkampf.local_play.validation import OPPONENTS, SEAT, short_options

FAULTED: Final = 1
USUAL_SEATS: Final = 4
WAIT_SECONDS: Final = 10.0

DESCRIPTION = """\
Play a match between a program in any language and house bots, and show every line between them: questions
with >, answers with <. The program reads questions from its standard input and writes an answer to each to
its standard output, all of them a line of JSON.
"""
EPILOG = f"""\
A question has hand, trick, legal actions, facts and events; docs/json-lines.md tells the rest. An answer is
{{"action": "…"}} with one of the legal actions. Everything else belongs on standard error.

The other commands take such a program as a bot: an executable file, a command in quotes, or a folder or
archive whose stichkampf.toml has protocol = "lines".

games: {", ".join(GAMES)}

examples:
  stichkampf run -- ./karl.pl
  stichkampf run --game mue -o points=100 -- node karl.js
  stichkampf play sticheln ./karl.pl "node karl.js" thumb random
  stichkampf run --schema

exit status: 0 played without a fault, {FAULTED} the program had a fault, 2 it cannot be started
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "run",
        "try a program in any language, and see what it is asked",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument(
        "program", metavar="PROGRAM", nargs="*", help="the program and its arguments, after --"
    )
    parser.add_argument(
        "--game", metavar="GAME", default=next(iter(GAMES)), help=f"default: {next(iter(GAMES))}"
    )
    parser.add_argument(
        "-o", dest="options", metavar="OPTION=VALUE", action="append", default=[], help="as for play"
    )
    parser.add_argument("--seed", metavar="S", help="the same deals as the last time with this seed")
    parser.add_argument("--quiet", action="store_true", help="show no lines")
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of the lines")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.schema:
        print(SCHEMA.read_text("utf-8"), end="")
        return 0
    if not args.program:
        raise BotError("say which program: stichkampf run -- ./karl.pl")
    players = game_class(args.game).players
    seats = min(players, key=lambda number: (abs(number - USUAL_SEATS), number))
    game = new_game(args.game, seats, {**short_options(args.game, seats), **options_from(args.options)})
    bot = program_bot(args.program, Path(), base=ProgramBot if args.quiet else ShownProgramBot)
    bot.patience = WAIT_SECONDS
    bot.prepare()
    seated = [Entrant(shlex.join(args.program), bot), *map(entrant, OPPONENTS[: seats - 1])]
    seed = args.seed if args.seed is not None else secrets.token_hex(8)
    played = play_match(game, seated, next(seeds_from(seed)))
    record = played.record
    told = [failure.message for failure in played.failures if failure.seat == SEAT]
    asked = sum(move[0] == SEAT for deal in record["deals"] for move in deal["moves"])
    place = f"{record['scores'][SEAT]} points, rank {record['ranks'][SEAT]} of {seats}"
    print(f"{game.name}, {seats} seats: {asked} questions; {place}")
    for message in told:
        print(coloured(message, "red", sys.stderr), file=sys.stderr)
    print(f"To play the same again: --seed {shlex.quote(seed)}")
    return FAULTED if told else 0


class ShownProgramBot(ProgramBot):
    """A bot that asks a program and prints both lines."""

    def exchange(self, question: str) -> str:
        print(coloured(f"> {question}", "dim", sys.stdout), flush=True)
        try:
            line = super().exchange(question)
        except BotFailure as failure:
            print(coloured(f"! {failure}", "red", sys.stdout), flush=True)
            raise
        print(f"< {line}", flush=True)
        return line
