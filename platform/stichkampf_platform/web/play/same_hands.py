"""Hindsight: what house bots make of a person's hands, and which decisions cost the person most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache
from stichkampf.analysis.marks import analyse_match
from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.bots.registry import house_bots
from stichkampf.bots.search import SearchBot

from stichkampf_platform.play.models import PlayedTable
from stichkampf_platform.play.other_bots import opponents

KEPT_SECONDS = 7 * 24 * 3600
COSTLIEST = 3
LEFT_OUT = {SearchBot.name}
"""Bots that think too long to be asked while a page is made."""


@dataclass(frozen=True)
class CostlyDecision:
    """A decision that cost points, as an estimate with its margin.

    :ivar decision: its number among all decisions of the match, from 1.
    """

    decision: int
    chosen: str
    better: str
    points: float
    margin: float


@dataclass(frozen=True)
class Hindsight:
    """A person's match as it looks afterwards.

    :ivar scores: of each house bot on the same hands in the same seat, the best first; none of a match that
        was played on.
    :ivar against: the names of their opponents.
    """

    scores: list[tuple[str, int]]
    against: list[str]
    costliest: list[CostlyDecision]


def hindsight(table: PlayedTable, seat: int) -> Hindsight:
    """Return how a match that is over looks afterwards; it is made once, and kept for a while."""
    key = f"hindsight/{table.public_id}/{seat}/{table.start}"
    kept: Hindsight | None = cache.get(key)
    if kept is None:
        kept = _made(table, seat)
        cache.set(key, kept, KEPT_SECONDS)
    return kept


def _made(table: PlayedTable, seat: int) -> Hindsight:
    game, record = table.game, table.record
    others = [entrant(name) for name in opponents(record)]
    bots = [] if table.is_played_on else [name for name in house_bots() if name not in LEFT_OUT]
    scores = [
        (
            name,
            play_match(game, _seated(others, seat, entrant(name)), bytes(table.seed)).record["scores"][seat],
        )
        for name in bots
    ]
    own = [mark for mark in analyse_match(record, seat).marks if mark.decision > len(table.opening)]
    marks = sorted(own, key=lambda mark: -mark.cost.points)[:COSTLIEST]
    against = sorted({name for number, name in enumerate(opponents(record)) if number != seat})
    return Hindsight(
        sorted(scores, key=lambda entry: -entry[1]),
        against,
        [
            CostlyDecision(mark.decision, mark.chosen, mark.better, mark.cost.points, mark.cost.margin)
            for mark in marks
        ],
    )


def _seated(others: Sequence[Entrant], seat: int, bot: Entrant) -> list[Entrant]:
    return [bot if number == seat else other for number, other in enumerate(others)]
