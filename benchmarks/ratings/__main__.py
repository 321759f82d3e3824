"""`python benchmarks/ratings [GAME…]`: how good the ratings are, on games that are really played.

Plays a season of duplicate blocks among twelve bots, draws many smaller seasons from it and rates each in
several ways. Prints a table for each game, and writes them with their date where `--out` says.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from field import Season, play
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES, new_game
from stichkampf.rules import Game
from study import CLOSE_ELO, ORDERS, Line, luck_share, study

# Short matches: the longer a match, the less the cards of one block decide, for duplicates and others alike.
_MATCHES: dict[str, dict[str, Any]] = {
    "stiche-raten": {"length": "deals:5"},
    "was-sticht": {},
}
_ONE_DEAL = {"length": "deals:1"}


def main() -> int:
    args = _parser().parse_args()
    today = datetime.now(UTC).date().isoformat()
    pages = [_INTRODUCTION.format(today=today, **vars(args))]
    try:
        for name in args.games or GAMES:
            game = new_game(name, 4, _MATCHES.get(name, _ONE_DEAL))
            pages.append(_page(game, args))
            _write(args.out, pages)
    except StichkampfError as error:
        print(f"ratings: {error}", file=sys.stderr)
        return 2
    print("\n".join(pages))
    return 0


def _write(out: Path | None, pages: list[str]) -> None:
    """After each game, so that a study that is cut short keeps what it has found."""
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("\n".join(pages), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ratings", description=__doc__.split("\n\n", 1)[1])
    parser.add_argument("games", nargs="*", metavar="GAME", help="default: all")
    parser.add_argument("--blocks", type=int, default=1320, help="of the season that is played (1320)")
    parser.add_argument("--tables", type=int, default=2880, help="of each season that is drawn (2880)")
    parser.add_argument("--repetitions", type=int, default=120, help="how many seasons are drawn (120)")
    parser.add_argument("--seed", default="ratings", help="of the deals: any text")
    parser.add_argument("--drawing", type=int, default=1, help="seed of the drawing: a whole number")
    parser.add_argument("--out", type=Path, help="a Markdown file")
    return parser


_INTRODUCTION = """\
# The ratings on the games themselves, {today}

Twelve bots, thumb and eleven that leave a share of its moves to chance, play {blocks} duplicate blocks of
each game at four seats (deals from the seed "{seed}"). From these, {repetitions} seasons of {tables} tables
are drawn at random and rated. Elo figures are on the scale of the ladder, the odds of outscoring on the same
cards.
"""


def _page(game: Game, args: argparse.Namespace) -> str:
    season = play(game, args.blocks, args.seed, _progress(f"{game.name}: blocks played", args.blocks))
    tell = _progress(f"{game.name}: seasons rated", args.repetitions)
    return _report(game, season, study(season, args.tables, args.repetitions, args.drawing, tell))


def _progress(what: str, total: int) -> Callable[[int], None]:
    def tell(done: int) -> None:
        if done == total or done % 20 == 0:
            end = "\n" if done == total else ""
            print(f"\r{what}: {done} of {total}", end=end, file=sys.stderr, flush=True)

    return tell


def _report(game: Game, season: Season, lines: list[Line]) -> str:
    ratio = (lines[1].tables_to_separate or 0.0) / (lines[0].tables_to_separate or 1.0)
    heads = ["rated by", "error", "mean ±", "truth within ±", f"tables to tell {CLOSE_ELO:.0f} Elo apart"]
    heads += [f"leaders in {ORDERS} orders", "moved by order"]
    return "\n".join(
        [
            f"## {game.name}",
            "",
            f"Options {json.dumps(game.options)}.",
            f"The cards explain {luck_share(season):.0%} of the variance of a score. "
            f"Independent deals need {ratio:.1f} times the tables of blocks.",
            "",
            f"| {' | '.join(heads)} |",
            "|" + "---|" * len(heads),
            *(f"| {' | '.join(_cells(line))} |" for line in lines),
            "",
        ]
    )


def _cells(line: Line) -> list[str]:
    return [
        line.name,
        f"{line.error:.1f}",
        _number(line.plus_minus, ".1f"),
        _number(line.coverage, ".1%"),
        _number(line.tables_to_separate, ",.0f"),
        str(line.leaders),
        f"{line.moved_by_order:.1f}",
    ]


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


if __name__ == "__main__":
    sys.exit(main())
