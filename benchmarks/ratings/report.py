"""Results of the study, as data for the site and as a page to read; the page is made of the data alone.

`python benchmarks/ratings/report.py FILE.json` prints it once more.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from field import Season
from stichkampf.engine.game import Game
from study import CLOSE_ELO, ORDERS, Line, luck_share

_INTRODUCTION = """\
# The ratings on the games themselves, {date}

Twelve bots, thumb and eleven that leave a share of its moves to chance, play {blocks:,} duplicate blocks of
each game at four seats (deals from the seed "{seed}"). From these, {repetitions} seasons of {tables:,} tables
are drawn at random and rated. Elo figures are on the scale of the ladder, the odds of outscoring on the same
cards. `python benchmarks/ratings` makes this page.
"""


def finding(game: Game, chosen: dict[str, Any], season: Season, lines: list[Line]) -> dict[str, Any]:
    """Results for one game, in plain values with four significant digits: more of them are noise."""
    return {
        "game": game.name,
        "options": chosen,
        "luck_share": _rounded(luck_share(season)),
        "ways": [{key: _rounded(value) for key, value in asdict(line).items()} for line in lines],
    }


def as_json(study: dict[str, Any]) -> str:
    """The data file."""
    return json.dumps(study, indent=1) + "\n"


def as_page(study: dict[str, Any]) -> str:
    """Markdown."""
    return "\n".join([_INTRODUCTION.format(**study), *(_game(found) for found in study["games"])])


def _game(found: dict[str, Any]) -> str:
    blocks, deals = (way["tables_to_separate"] for way in found["ways"][:2])
    heads = ["rated by", "error", "mean ±", "truth within ±", f"tables to tell {CLOSE_ELO:.0f} Elo apart"]
    heads += [f"leaders in {ORDERS} orders", "moved by order"]
    return "\n".join(
        [
            f"## {found['game']}",
            "",
            f"Options {json.dumps(found['options'])}, otherwise as usual.",
            f"The cards explain {found['luck_share']:.0%} of the variance of a score. "
            f"Independent deals need {deals / blocks:.1f} times the tables of blocks.",
            "",
            f"| {' | '.join(heads)} |",
            "|" + "---|" * len(heads),
            *(f"| {' | '.join(_cells(way))} |" for way in found["ways"]),
            "",
        ]
    )


def _cells(way: dict[str, Any]) -> list[str]:
    return [
        way["name"],
        f"{way['error']:.1f}",
        _number(way["plus_minus"], ".1f"),
        _number(way["coverage"], ".1%"),
        _number(way["tables_to_separate"], ",.0f"),
        str(way["leaders"]),
        f"{way['moved_by_order']:.1f}",
    ]


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


if __name__ == "__main__":
    print(as_page(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), end="")
