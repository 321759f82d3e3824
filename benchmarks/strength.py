"""Strength of the house bots: duplicate blocks among all of them, and a table of Elo for each game.

Every entrant of a block holds every hand of its deals once. Half of the blocks are a round robin of all bots;
in the other half `random`, `thumb` and `search` meet, with others in turn to fill the table, so that their
intervals come out small. Exits 1 where the intervals of `search`, `thumb` and `random` touch.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from stichkampf.bots.practice import entrant, play_match, seeds_from
from stichkampf.bots.registry import ANCHORS, house_bots
from stichkampf.engine.game import Game
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES, new_game
from stichkampf.match.looking_ahead import COMPILED, ITERATIONS
from stichkampf.rating import RatingTable, Results, rate
from stichkampf.schedule import Block, block_of, entrants_a_block, round_robin_blocks

LADDER = ("random", "thumb", "search")
# Factor for the number of blocks: sides make one comparison a block, and changing teams hide who was good.
MORE_BLOCKS = {"sixes-and-sevens": 3, "njet": 4}
OUT = Path(__file__).parent / "results" / "strength.md"

# Short matches, so that there can be many: what counts is how often the same cards bring more.
OPTIONS: dict[str, dict[str, Any]] = {
    "sticheln": {"length": "deals:2"},
    "stiche-raten": {"length": "deals:7"},
    "sixes-and-sevens": {"length": "deals:2"},
    "mue": {"length": "deals:4"},
    "njet": {"length": "deals:2"},
    "meinz": {"length": "deals:3"},
    "was-sticht": {"max_deals": 4},
}

INTRODUCTION = """\
# Strength of the house bots

{today}, {engine} engine, `search` with {iterations} iterations a decision. To repeat it:

    python benchmarks/strength.py --blocks {blocks} --seats {seats} --seed {seed}

Elo from duplicate blocks (`stichkampf.rating`); the mean of {anchors} is 1500 in each game. ± is half of the
95% interval. The intervals of `search`, `thumb` and `random` {touch}.
"""


def main() -> int:
    args = _parser().parse_args()
    if args.require_compiled and not COMPILED:
        print("strength: the engine is not compiled (make engine)", file=sys.stderr)
        return 2
    pages = []
    clear = True
    try:
        with ProcessPoolExecutor(args.workers) as pool:
            for text, is_clear in pool.map(study, *zip(*_jobs(args), strict=True)):
                print(text, flush=True)
                pages.append(text)
                clear = clear and is_clear
    except StichkampfError as error:
        print(f"strength: {error}", file=sys.stderr)
        return 2
    if args.game is None and set(args.bots) == set(house_bots()):
        OUT.parent.mkdir(parents=True, exist_ok=True)
        OUT.write_text("\n".join([_introduction(args, clear), *pages]), encoding="utf-8")
    return 0 if clear else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="strength.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=GAMES, help="one game only; the results file is then left alone")
    parser.add_argument("--blocks", type=int, default=60, metavar="N", help="blocks a game (60)")
    parser.add_argument(
        "--seats", type=int, default=4, metavar="N", help="seats at a table where the game allows it (4)"
    )
    parser.add_argument("--seed", default="strength", help="of the deals: any text")
    parser.add_argument(
        "--bots", nargs="+", choices=house_bots(), default=list(house_bots()), help="these house bots only"
    )
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="games side by side (2)")
    parser.add_argument(
        "--require-compiled", action="store_true", help="fail where the engine is not compiled"
    )
    return parser


def _seats(name: str, wanted: int) -> int:
    players = GAMES[name].players
    return min(players, key=lambda n: (abs(n - wanted), n))


def _introduction(args: argparse.Namespace, clear: bool) -> str:
    return INTRODUCTION.format(
        today=datetime.now(UTC).date().isoformat(),
        blocks=args.blocks,
        seats=args.seats,
        seed=args.seed,
        engine="compiled" if COMPILED else "interpreted",
        iterations=ITERATIONS,
        anchors=", ".join(ANCHORS),
        touch="do not touch in any game" if clear else "touch in at least one game",
    )


def _jobs(args: argparse.Namespace) -> list[tuple[Any, ...]]:
    """The arguments of `study` for each game."""
    names = [args.game] if args.game else list(GAMES)
    return [(name, _seats(name, args.seats), args.bots, args.blocks, args.seed) for name in names]


def study(name: str, seats: int, bots: Sequence[str], blocks: int, seed: str) -> tuple[str, bool]:
    """The page of one game, and whether the intervals of the ladder keep apart."""
    game = new_game(name, seats, OPTIONS[name])
    started = time.process_time()
    table = measure(game, bots, blocks * MORE_BLOCKS.get(name, 1), seed)
    return page(game, table, time.process_time() - started), all(stands_clear(table, bots))


def measure(game: Game, bots: Sequence[str], blocks: int, seed: str) -> RatingTable:
    """Play the blocks and rate everybody."""
    partners = game.partners
    plan = _plan(bots, game.seats, blocks, partners)
    results = Results.from_rows(_rows(game, plan, seed))
    anchors = [bot for bot in ANCHORS if bot in bots]
    return rate(results, anchors=anchors or None, partners=partners)


def _plan(bots: Sequence[str], seats: int, blocks: int, partners: bool) -> list[Block[str]]:
    plan = round_robin_blocks(bots, seats, max(1, blocks // 2), partners=partners)
    size = entrants_a_block(seats, partners=partners)
    ladder = [bot for bot in LADDER if bot in bots]
    others = [bot for bot in bots if bot not in ladder]
    for turn in range(blocks - len(plan)):
        if size < len(ladder):
            group = [ladder[(turn + k) % len(ladder)] for k in range(size)]
        else:
            fill = [others[(turn + k) % len(others)] for k in range(size - len(ladder))]
            group = [*ladder, *fill]
        plan.append(block_of(group, seats, turn, partners=partners))
    return plan


def _rows(game: Game, plan: Sequence[Block[str]], seed: str) -> Iterator[tuple[int, int, str, int]]:
    """A row `(block, hand, bot, score)` for each seat of each table; a block's tables have the same deals."""
    for number, (block, match_seed) in enumerate(zip(plan, seeds_from(f"{seed} {game.name}"), strict=False)):
        for bots in block.tables:
            played = play_match(game, [entrant(bot) for bot in bots], match_seed)
            for seat, (bot, score) in enumerate(zip(bots, played.record["scores"], strict=True)):
                yield number, seat, bot, score


def stands_clear(table: RatingTable, bots: Sequence[str]) -> Iterator[bool]:
    """For each step of the ladder, whether the intervals of the two bots do not touch."""
    ladder = [table[bot] for bot in LADDER if bot in bots]
    for lower, upper in pairwise(ladder):
        yield upper.elo - (upper.plus_minus or 0) > lower.elo + (lower.plus_minus or 0)


def page(game: Game, table: RatingTable, seconds: float) -> str:
    options = ", ".join(f"{name}={value}" for name, value in OPTIONS[game.name].items())
    lines = [
        f"## {game.title}",
        "",
        f"{game.seats} seats, {options}; {table.comparisons.block_count} blocks, {seconds:.0f} s.",
        "",
        "| bot | Elo | ± | points, % | comparisons |",
        "|---|---:|---:|---:|---:|",
    ]
    for rating in table:
        half = "" if rating.plus_minus is None else f"{rating.plus_minus:.0f}"
        share = 100 * rating.points / rating.comparisons
        lines.append(f"| {rating.entrant} | {rating.elo:.0f} | {half} | {share:.0f} | {rating.comparisons} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
