"""`python benchmarks/ratings [GAME…]`: how good the ratings are, on games that are really played.

Plays a season of duplicate blocks among twelve bots, draws many smaller seasons from it and rates each in
several ways. Prints a table for each game, and writes them with their date where `--out` says, the numbers
where `--data` says: the site shows those of platform/stichkampf_platform/web/rating_study.json.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from field import play
from report import as_json, as_page, finding
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES, new_game
from study import study

# Short matches: the longer a match, the less the cards of one block decide, for duplicates and others alike.
_MATCHES: dict[str, dict[str, Any]] = {
    "stiche-raten": {"length": "deals:5"},
    "was-sticht": {},
}
_ONE_DEAL = {"length": "deals:1"}


def main() -> int:
    args = _parser().parse_args()
    found: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "seed": args.seed,
        "blocks": args.blocks,
        "tables": args.tables,
        "repetitions": args.repetitions,
        "games": [],
    }
    try:
        for name in args.games or GAMES:
            found["games"].append(_studied(name, args))
            _write(args, found)
    except StichkampfError as error:
        print(f"ratings: {error}", file=sys.stderr)
        return 2
    print(as_page(found))
    return 0


def _write(args: argparse.Namespace, found: dict[str, Any]) -> None:
    """After each game, so that a study that is cut short keeps what it has found."""
    for path, text in ((args.out, as_page(found)), (args.data, as_json(found))):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ratings", description=__doc__.split("\n\n", 1)[1])
    parser.add_argument("games", nargs="*", metavar="GAME", help="default: all")
    parser.add_argument("--blocks", type=int, default=1320, help="of the season that is played (1320)")
    parser.add_argument("--tables", type=int, default=2880, help="of each season that is drawn (2880)")
    parser.add_argument("--repetitions", type=int, default=120, help="how many seasons are drawn (120)")
    parser.add_argument("--seed", default="ratings", help="of the deals: any text")
    parser.add_argument("--drawing", type=int, default=1, help="seed of the drawing: a whole number")
    parser.add_argument("--out", type=Path, help="a Markdown file")
    parser.add_argument("--data", type=Path, help="a JSON file")
    return parser


def _studied(name: str, args: argparse.Namespace) -> dict[str, Any]:
    chosen = _MATCHES.get(name, _ONE_DEAL)
    game = new_game(name, 4, chosen)
    season = play(game, args.blocks, args.seed, _progress(f"{game.name}: blocks played", args.blocks))
    tell = _progress(f"{game.name}: seasons rated", args.repetitions)
    return finding(game, chosen, season, study(season, args.tables, args.repetitions, args.drawing, tell))


def _progress(what: str, total: int) -> Callable[[int], None]:
    def tell(done: int) -> None:
        if done == total or done % 20 == 0:
            end = "\n" if done == total else ""
            print(f"\r{what}: {done} of {total}", end=end, file=sys.stderr, flush=True)

    return tell


if __name__ == "__main__":
    sys.exit(main())
