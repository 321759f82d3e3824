"""`stichkampf benchmark`: a bot against a fixed pool, on fixed deals of every game."""

from __future__ import annotations

import argparse
import hashlib
import re
from pathlib import Path
from typing import Any, Final

from stichkampf import __version__
from stichkampf.benchmark.figures import GameFigures
from stichkampf.benchmark.protocol import PROTOCOL, ProtocolGame
from stichkampf.benchmark.report import citation, departures, report, table_of
from stichkampf.benchmark.run import BenchmarkBlock, BenchmarkJournal, comparisons_a_block, play_blocks
from stichkampf.bots.registry import named_bot
from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.terminal import ProgressBar
from stichkampf.errors import BotError
from stichkampf.local_play.programs import LocalProgram, local_program
from stichkampf.plain_text import json_text

FAULTY: Final = 1
_MOST_BYTES: Final = 1 << 30

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
    program = local_program(args.bot)
    name = _name(program)
    games = _games(args, program)
    head = {
        "protocol": PROTOCOL.name,
        "hash": PROTOCOL.hash,
        "seed": args.seed,
        "bot": name,
        "program": digest(program),
    }
    slug = re.sub(r"[^A-Za-z0-9]+", "-", name.removeprefix("house/")).strip("-")
    journal = BenchmarkJournal(args.journal or Path(f"benchmark-{slug}.jsonl"), head)
    with journal, ProgressBar(len(games) * args.blocks, "blocks") as progress:
        for about in games:
            known = {block.number for block in _of(journal, about, args.blocks)}
            for _ in known:
                progress.step()
            for block in play_blocks(
                PROTOCOL, about, program, seed=args.seed, blocks=args.blocks, jobs=args.jobs, known=known
            ):
                journal.add(block)
                progress.step()
    figures = [_figures(journal, about, args.blocks) for about in games]
    if args.json:
        told = report(PROTOCOL, name, args.seed, figures, version=__version__)
        print(json_text(told))
    else:
        print(table_of(figures))
        for departure in departures(PROTOCOL, args.seed, figures):
            print(f"not the protocol: {departure}")
        print(citation(PROTOCOL, name, args.seed, figures, version=__version__))
    return FAULTY if any(one.faults for one in figures) else 0


def _name(program: LocalProgram) -> str:
    return f"{program.name} v{named_bot(program.house).version}" if program.house else program.name


def _games(args: argparse.Namespace, program: LocalProgram) -> list[ProtocolGame]:
    """Return the games to be played: those wanted that the bot plays.

    :raises BotError: the bot does not load, or plays none of them.
    """
    plays = set(program.games or program.load().games)
    wanted = [game for game in PROTOCOL.games if game.name in (args.games or [game.name])]
    found = [game for game in wanted if not plays or game.name in plays]
    if not found:
        raise BotError(
            f"{program.name} plays {', '.join(sorted(plays))}; wanted were"
            f" {', '.join(game.name for game in wanted)}"
        )
    return found


def _of(journal: BenchmarkJournal, about: ProtocolGame, blocks: int) -> list[BenchmarkBlock]:
    return [block for block in journal.blocks if block.game == about.name and block.number < blocks]


def _figures(journal: BenchmarkJournal, about: ProtocolGame, blocks: int) -> GameFigures:
    return GameFigures.of(
        about.name,
        most=2 * comparisons_a_block(about.rules()),
        blocks=[(block.wins, block.points, block.faults) for block in _of(journal, about, blocks)],
    )


def digest(program: LocalProgram) -> str:
    """Return the SHA-256 of a bot's files, by which a journal knows whether it is still the same bot.

    :raises BotError: they cannot be read.
    """
    found = hashlib.sha256("\0".join((program.house, program.class_name, *program.command)).encode())
    root = Path(program.folder)
    try:
        if program.folder:
            files = sorted(
                path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts
            )
        else:
            files = [Path(program.entry)] if program.entry else []
        for path in files:
            found.update(str(path.relative_to(root) if program.folder else path.name).encode() + b"\0")
            if path.stat().st_size > _MOST_BYTES:
                raise BotError(f"{path} is larger than 1 GiB")
            found.update(hashlib.sha256(path.read_bytes()).digest())
    except OSError as error:
        raise BotError(f"cannot read {error.filename}: {error.strerror}") from None
    return found.hexdigest()
