"""Fields of `search`, `thumb`, `random` and one other house bot: does strength hang on who else plays?

    python benchmarks/mixed_fields.py --blocks 100
    python benchmarks/mixed_fields.py --game mue --others timid bold

Every field plays duplicate blocks of its four bots alone. A row gives what `search` is ahead of the best of
the others, and `thumb` of `random`, in Elo with the half width of the 95% interval; the last row of a game is
the mean over its fields. Fields that were played are kept in --results and not played again. Exits 1 where
`search` is not first, `thumb` not above `random`, or the interval of the mean reaches 0.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from math import hypot
from pathlib import Path

from stichkampf.bots.registry import house_bots
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES, new_game
from strength import LADDER, OPTIONS, measure

SEATS = 4
HEADING = """\
| game | beside | `search` ahead of the best of the others | `thumb` ahead of `random` |
|---|---|---:|---:|"""


@dataclass(frozen=True)
class Lead:
    """The lead of one bot over another in Elo, with the half width of its 95% interval."""

    elo: float
    plus_minus: float

    def __str__(self) -> str:
        return f"{self.elo:+.0f} ± {self.plus_minus:.0f}"


@dataclass(frozen=True)
class Field:
    """The result of a field: what `search` is ahead of the best of the others, and `thumb` of `random`."""

    game: str
    other: str
    blocks: int
    search: Lead
    thumb: Lead

    @property
    def in_order(self) -> bool:
        return self.search.elo > 0 and self.thumb.elo > 0

    def __str__(self) -> str:
        return f"| {GAMES[self.game].title} | `{self.other}` | {self.search} | {self.thumb} |"


def play_field(name: str, other: str, blocks: int, seed: str) -> Field:
    """Play the blocks of a field and rate its four bots."""
    bots = [*LADDER, other]
    table = measure(new_game(name, SEATS, OPTIONS[name]), bots, blocks, f"{seed} {other}")
    best = max((bot for bot in bots if bot != "search"), key=lambda bot: table[bot].elo)

    def lead(first: str, second: str) -> Lead:
        difference = table.difference(first, second)
        return Lead(difference.elo, difference.plus_minus or 0.0)

    return Field(name, other, blocks, lead("search", best), lead("thumb", "random"))


def mean_lead(leads: Sequence[Lead]) -> Lead:
    """Return the mean of independent leads."""
    return Lead(
        sum(lead.elo for lead in leads) / len(leads), hypot(*(lead.plus_minus for lead in leads)) / len(leads)
    )


def read_fields(file: Path) -> Iterator[Field]:
    """Read the fields that were played before; none where there is no file."""
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        row = json.loads(line)
        yield Field(row["game"], row["other"], row["blocks"], Lead(**row["search"]), Lead(**row["thumb"]))


def report(fields: Sequence[Field]) -> bool:
    """Print a row for each field and the mean of each game; return True if strength keeps its order."""
    print(HEADING)
    clear = True
    for name in dict.fromkeys(field.game for field in fields):
        of_game = [field for field in fields if field.game == name]
        print(*of_game, sep="\n")
        first, second = (mean_lead([getattr(field, bot) for field in of_game]) for bot in ("search", "thumb"))
        print(f"| {GAMES[name].title} | all | {first} | {second} |")
        means_clear = first.elo > first.plus_minus and second.elo > second.plus_minus
        clear = clear and means_clear and all(field.in_order for field in of_game)
    return clear


def main() -> int:
    args = _parser().parse_args()
    played = {
        (field.game, field.other): field for field in read_fields(args.results) if field.blocks >= args.blocks
    }
    wanted = [(name, other) for name in args.game or GAMES for other in args.others]
    missing = [(*field, args.blocks, args.seed) for field in wanted if field not in played]
    try:
        with ProcessPoolExecutor(args.workers) as pool, args.results.open("a", encoding="utf-8") as results:
            for field in pool.map(play_field, *zip(*missing, strict=True)) if missing else ():
                played[field.game, field.other] = field
                print(json.dumps(asdict(field)), file=results, flush=True)
    except StichkampfError as error:
        print(f"mixed_fields: {error}", file=sys.stderr)
        return 2
    return 0 if report([played[field] for field in wanted]) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mixed_fields.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    others = [bot for bot in house_bots() if bot not in LADDER]
    games = [name for name, game in GAMES.items() if SEATS in game.players]
    parser.add_argument("--game", nargs="+", choices=games, help="these games only")
    parser.add_argument("--others", nargs="+", choices=others, default=others, help="these fourth bots only")
    parser.add_argument("--blocks", type=int, default=100, metavar="N", help="blocks a field (100)")
    parser.add_argument("--seed", default="mixed fields", help="of the deals: any text")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="fields side by side (2)")
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("mixed-fields.jsonl"),
        metavar="FILE",
        help="fields played so far",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
