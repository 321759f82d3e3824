"""The study of the ratings, read from the output of `benchmarks/ratings`, and its charts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.games import GAMES

from stichkampf_platform.web import charts

BLOCKS, DEALS, ELO, FAST_ELO, WENG_LIN = range(5)
"""The ways of rating, in the order of the file."""

NAMES = {
    BLOCKS: gettext_lazy("same hands"),
    DEALS: gettext_lazy("independent deals"),
    WENG_LIN: "Weng-Lin",
    ELO: "online Elo",
}


@dataclass(frozen=True)
class GameResults:
    """The results on one game; `ways` holds figures by way of rating."""

    game: str
    luck_share: float
    ways: list[dict[str, Any]]

    @property
    def title(self) -> str:
        return GAMES[self.game].title

    @property
    def coverage(self) -> float:
        """In percent, of the intervals on blocks."""
        return 100 * self.ways[BLOCKS]["coverage"]

    @property
    def errors(self) -> list[float]:
        """In Elo, in the order of the table on the page."""
        return [self.ways[way]["error"] for way in (BLOCKS, DEALS, ELO, WENG_LIN)]

    @property
    def tables(self) -> list[float]:
        """To tell two bots apart that are 20 Elo from each other: blocks, independent deals."""
        return [self.ways[way]["tables_to_separate"] for way in (BLOCKS, DEALS)]

    @property
    def ratio(self) -> float:
        """Tables that independent deals need for each table that blocks need."""
        blocks, deals = self.tables
        return deals / blocks


@dataclass(frozen=True)
class RatingStudy:
    """The whole study; `pictures` are charts by name, in the language of the visitor."""

    date: date
    blocks: int
    tables: int
    repetitions: int
    games: list[GameResults]

    @property
    def pictures(self) -> dict[str, SafeString]:
        names = [str(name) for name in NAMES.values()]
        return {
            "coverage": charts.dot_plot(
                [(game.title, [game.coverage]) for game in self.games],
                [_("intervals that held the truth, in percent")],
                _("Percent of intervals that contained the true rating"),
                start=90,
                band=(93, 97),
            ),
            "errors": charts.dot_plot(self._figures("error"), names, _("Error in Elo")),
            "ratios": charts.dot_plot(
                [(game.title, [game.ratio]) for game in self.games],
                [_("tables of independent deals for each table of a block")],
                _("Tables with independent deals needed for each table of a block"),
                digits=1,
            ),
            "orders": charts.dot_plot(
                self._figures("moved_by_order"),
                names,
                _("Change of the ratings with the order of results, in Elo"),
            ),
        }

    def _figures(self, figure: str) -> list[tuple[str, list[float]]]:
        return [(game.title, [game.ways[way][figure] for way in NAMES]) for game in self.games]


@cache
def study() -> RatingStudy:
    """Read the study of this package."""
    found = json.loads(files(__package__).joinpath("rating_study.json").read_text(encoding="utf-8"))
    games = [GameResults(game["game"], game["luck_share"], game["ways"]) for game in found["games"]]
    day = date.fromisoformat(found["date"])
    return RatingStudy(day, found["blocks"], found["tables"], found["repetitions"], games)
