"""`stichkampf tune`: better numbers for a bot, and whether they are better."""

from __future__ import annotations

import argparse
import os
import tomllib
from pathlib import Path
from typing import Any, Final

from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.terminal import ProgressBar
from stichkampf.cli.whole_files import whole_file
from stichkampf.errors import BotError
from stichkampf.games import GAMES, new_game
from stichkampf.lab.tuning import METHODS, TuningRun
from stichkampf.local_play.programs import local_program
from stichkampf.packaging.manifest import MANIFEST_NAME, read_manifest
from stichkampf.packaging.parameters import Parameter, read_parameters
from stichkampf.plain_text import json_text
from stichkampf.testing import one_deal

NO_GAIN: Final = 1

DESCRIPTION = """\
Find better numbers for a bot: it plays itself with other values of its parameters, deals of one game without
a clock, and at the end the found values against the present ones on fresh deals. Each comparison goes into a
journal: the same command goes on where it was ended. Beside the journal it draws its way as SVG.
"""
EPILOG = f"""\
A parameter is an attribute of the bot's class that is a number (read it as self.NAME), with a table of TOML
in the file, or as parameters.NAME in the bot's {MANIFEST_NAME}, which sets it wherever the bot plays:

  [margin]
  value = 3.0
  least = 0
  most = 10

methods: spsa (moves all parameters at once, step by step), race (--steps candidates; each round leaves half)

examples:
  stichkampf tune karl --game mue --parameters karl.toml
  stichkampf tune karl --game mue --steps 50 --pairs 4 --verdict 100     # a try
  stichkampf tune karl --game mue --method race --steps 32

exit status: 0 a gain, surely; {NO_GAIN} none that could be shown; 2 input that cannot be used
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers, "tune", "find better numbers for a bot", description=DESCRIPTION, epilog=EPILOG
    )
    parser.add_argument("bot", metavar="BOT", help="a Python file, folder or archive")
    parser.add_argument("--game", metavar="GAME", required=True, choices=list(GAMES), help="the game to play")
    parser.add_argument(
        "--seats", metavar="N", type=positive, help="default: 4, or the nearest that there is"
    )
    parser.add_argument(
        "--parameters", metavar="FILE", type=Path, help=f"what to tune (default: {MANIFEST_NAME} of the bot)"
    )
    parser.add_argument("--method", choices=METHODS, default=METHODS[0], help=f"default: {METHODS[0]}")
    parser.add_argument(
        "--steps", metavar="N", type=positive, default=150, help="steps, or candidates (default: 150)"
    )
    parser.add_argument(
        "--pairs", metavar="N", type=positive, default=8, help="pairs of deals for each (default: 8)"
    )
    parser.add_argument(
        "--verdict", metavar="N", type=positive, default=400, help="pairs for the verdict (default: 400)"
    )
    parser.add_argument("--seed", metavar="S", default="tune", help="other deals, from any text")
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=positive,
        default=os.cpu_count() or 1,
        help="matches to play at once (default: one a core)",
    )
    parser.add_argument(
        "--journal",
        metavar="FILE",
        type=Path,
        help="where it is kept, and FILE.svg (default: tune-BOT.jsonl)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    program = local_program(args.bot)
    if program.house or program.command:
        raise BotError(f"{program.name} has no class of yours in Python, whose numbers could be tuned")
    seats = args.seats or min(GAMES[args.game].players, key=lambda seats: (abs(seats - 4), seats))
    game = new_game(args.game, seats, one_deal(args.game))
    journal = args.journal or Path(f"tune-{Path(args.bot).stem}.jsonl")
    tuning = TuningRun(
        program,
        _parameters(args),
        game,
        method=args.method,
        steps=args.steps,
        pairs=args.pairs,
        verdict_pairs=args.verdict,
        seed=args.seed,
        journal=journal,
        jobs=args.jobs,
    )
    with ProgressBar(tuning.budget, "pairs") as progress:
        numbers, verdict = tuning.play(progress.step)
    with whole_file(tuning.drawing) as stream:
        stream.write(tuning.drawn().encode())
    if args.json:
        print(json_text({"parameters": numbers, "gain": verdict.is_gain, **verdict._asdict()}))
    else:
        print("\n".join(f"{name} = {value:.6g}" for name, value in numbers.items()))
        print(f"{verdict}; its way: {tuning.drawing}")
    return 0 if verdict.is_gain else NO_GAIN


def _parameters(args: argparse.Namespace) -> tuple[Parameter, ...]:
    """Read what is to be tuned.

    :raises BotError: there is no such file, or it declares nothing.
    """
    file = args.parameters or Path(args.bot) / MANIFEST_NAME
    try:
        content = file.read_bytes()
    except OSError as error:
        raise BotError(
            f"cannot read {file}: {error.strerror}; --parameters FILE names what to tune"
        ) from None
    if args.parameters is None:
        found = read_manifest(content).parameters
        if not found:
            raise BotError(f"{file} declares no parameters; --parameters FILE names what to tune")
        return found
    try:
        table = tomllib.loads(content.decode("utf-8-sig"))
    except ValueError as error:
        raise BotError(f"{file} is not TOML in UTF-8: {error!s:.80}") from None
    return read_parameters(table, str(file))
