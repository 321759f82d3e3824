"""`stichkampf duel`: which of these bots is stronger, on the same hands in all seats."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, Final

from stichkampf.bots.practice import PlayedMatch, seeds_from
from stichkampf.cli.local.faults import FaultReport
from stichkampf.cli.local.matches import add_options, control_of, game_of, rules_told, seed_of, series_of
from stichkampf.cli.parser import add_command, elo, positive
from stichkampf.cli.streams import raw_output
from stichkampf.cli.terminal import ProgressBar
from stichkampf.engine.deal import Json
from stichkampf.errors import BotError, StichkampfError, installing
from stichkampf.faults import forfeits
from stichkampf.games import GAMES, game_class
from stichkampf.local_play.programs import LocalProgram, local_program
from stichkampf.local_play.series import MatchOrder
from stichkampf.match.records import RecordFile
from stichkampf.plain_text import json_text
from stichkampf.schedule import Block, regression_blocks, round_robin_blocks

NOT_BETTER: Final = 1
USUAL_SEATS: Final = 4

DESCRIPTION = """\
Play duplicate blocks: the same deals at several tables, until every bot has held every hand. So the luck of
the cards cancels out, and far fewer matches tell who is stronger. It ends with Elo differences and 95%
intervals.
"""
EPILOG = f"""\
Without options the matches are those of the game's main ladder: its options, its clock.

Two bots fill a table as copies of each, then with the seats exchanged. More bots than seats meet in turn.

games: {", ".join(GAMES)}

examples:
  stichkampf duel mue karl thumb --blocks 100 --jobs 2
  stichkampf duel sticheln new old --better-than 0 && git commit      # only if surely better
  stichkampf duel stiche-raten karl thumb glimpse worrier --seats 3

exit status: 0 played without a fault, and with --better-than the first bot is surely better; {NOT_BETTER} a
bot had a fault, or the first bot is not surely better; 2 input that cannot be used
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "duel",
        "tell which bot is stronger, on the same hands in all seats",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("game", metavar="GAME", help="the name of a game")
    parser.add_argument("bots", metavar="BOT", nargs="+", help="two bots or more, each named once")
    parser.add_argument(
        "--seats",
        metavar="N",
        type=positive,
        help="seats at a table (default: as many as bots, with two bots 4, as far as the game allows)",
    )
    parser.add_argument(
        "--blocks", metavar="N", type=positive, default=50, help="how many blocks (default: 50)"
    )
    parser.add_argument(
        "--better-than",
        metavar="ELO",
        type=elo,
        help="exit with status 0 only if the whole interval of the first bot's difference to every other bot"
        " lies above ELO",
    )
    add_options(parser)
    parser.add_argument(
        "--records", metavar="FILE", type=Path, help="add each match record to FILE, one a line"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    # numpy and scipy are loaded by this command alone, and may be missing: before anything is played
    results_of = _rating()
    programs = [local_program(text, hosted=args.sandbox) for text in args.bots]
    names = [_label(program.to_json()) for program in programs]
    if len(names) < 2 or len(set(names)) < len(names):
        raise BotError(f"a duel is between two bots or more, each named once, not {', '.join(names)}")
    seats = args.seats or _usual_seats(args.game, len(programs))
    game = game_of(args, seats)
    blocks = _blocks(programs, seats, args.blocks, partners=game.partners)
    seed = seed_of(args)
    report = FaultReport()
    rows: list[tuple[Any, ...]] = []
    file = RecordFile(args.records) if args.records else nullcontext()
    tables = [number for number, block in enumerate(blocks) for _ in block.tables]
    with raw_output(args.no_clock), file as records, ProgressBar(len(tables), "matches") as progress:
        played_matches = series_of(args, game).play(_orders(blocks, seed))
        for number, (block, played) in enumerate(zip(tables, played_matches, strict=True)):
            report.add(played)
            rows += _rows(block, number, played)
            if records is not None:
                records.add(played.record)
            progress.step()
    differences = results_of(rows, names, game.partners)
    if args.json:
        result = {
            "game": game.name,
            "options": dict(game.options),
            "rules": rules_told(game, control_of(args)),
            "seats": seats,
            "blocks": len(blocks),
            "seed": seed,
            "differences": differences,
            "faults": report.to_json(),
        }
        print(json_text(result))
    else:
        print(f"{game.name}, {seats} seats, {len(blocks)} blocks, {len(tables)} matches")
        print(rules_told(game, control_of(args)))
        print("\n".join(map(_told, differences)))
        print(f"To play the same again: --seed {shlex.quote(seed)}")
    report.tell(args.bots)
    bound = args.better_than
    better = bound is None or all(_surely_above(one, bound) for one in differences if one["bot"] == names[0])
    return 0 if better and not report else NOT_BETTER


def _rating() -> Any:
    try:
        # numpy and scipy are loaded by this command alone, and may be missing
        from stichkampf.cli.local.duel_rating import differences
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("numpy", "scipy"):
            raise
        raise StichkampfError(f"a duel needs numpy and scipy: {installing('rating')}") from error
    return differences


def _usual_seats(name: str, bots: int) -> int:
    """Return the number of seats nearest to the usual one that the game has."""
    wanted = USUAL_SEATS if bots == 2 else bots
    return min(game_class(name).players, key=lambda seats: (abs(seats - wanted), seats))


def _blocks(
    programs: Sequence[LocalProgram], seats: int, blocks: int, *, partners: bool
) -> list[Block[LocalProgram]]:
    if len(programs) == 2:
        return regression_blocks(programs[0], programs[1], seats, blocks, partners=partners)
    return round_robin_blocks(programs, seats, blocks, partners=partners)


def _orders(blocks: Sequence[Block[LocalProgram]], seed: str) -> Iterator[MatchOrder]:
    """Yield the matches: all tables of a block have its seed, so the same deals."""
    for block, block_seed in zip(blocks, islice(seeds_from(seed), len(blocks)), strict=True):
        for table in block.tables:
            yield MatchOrder(tuple(table), block_seed)


def _rows(block: int, table: int, played: PlayedMatch) -> Iterator[tuple[Any, ...]]:
    record = played.record
    faults: list[dict[str, Json]] = record["faults"]
    for seat, entry in enumerate(record["seats"]):
        own = [fault["kind"] for fault in faults if fault["seat"] == seat]
        decisions = sum(move[0] == seat for deal in record["deals"] for move in deal["moves"])
        yield block, seat, _label(entry), record["scores"][seat], table, forfeits(own, decisions)


def _label(entry: dict[str, Json]) -> str:
    """Return the name of a bot in a duel, with its version where it has one."""
    version = entry.get("version")
    return str(entry["bot"]) if version is None else f"{entry['bot']} v{version}"


def _told(difference: dict[str, Json]) -> str:
    plus_minus = difference["plus_minus"]
    interval = "" if plus_minus is None else f" ±{plus_minus:.0f}"
    return f"{difference['bot']} - {difference['against']}: {difference['elo']:+.0f} Elo{interval}"


def _surely_above(difference: dict[str, Json], bound: float) -> bool:
    plus_minus = difference["plus_minus"]
    return plus_minus is not None and difference["elo"] - plus_minus > bound
