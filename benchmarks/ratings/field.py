"""The field of the study and its season: blocks that were really played, each table by the referee of the
arena.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from stichkampf.bots.bot import Bot
from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.bots.registry import house_bot
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import match_seed
from stichkampf.match.table import Table
from stichkampf.schedule import round_robin_blocks

SLIPS = (0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
ANCHORS = ("slip-0.15", "slip-0.20", "slip-0.30")
PARTNER_GAME = "sixes-and-sevens"


@dataclass(frozen=True)
class Season:
    """Seats and scores, both of shape (blocks, tables, seats).

    :ivar partners: two seats are one side; a side then counts as one seat here.
    """

    entrants: tuple[str, ...]
    who: NDArray[np.int64]
    scores: NDArray[np.int64]
    partners: bool


def field() -> list[Entrant]:
    """Twelve bots that are cheap to play and close to each other: thumb, and thumb with a share of its moves
    left to chance.
    """
    return [entrant("thumb")] + [Entrant(f"slip-{slip:.2f}", _slipping(slip)) for slip in SLIPS]


def play(game: Game, blocks: int, seed: str, tell: Callable[[int], None]) -> Season:
    """Play a balanced round robin of this many blocks; call `tell` with the number of finished ones."""
    bots = {bot.name: bot for bot in field()}
    entrants = tuple(sorted(bots))
    number = {name: place for place, name in enumerate(entrants)}
    partners = game.name == PARTNER_GAME
    plan = round_robin_blocks(entrants, game.seats, blocks, partners=partners)
    who = np.array([[[number[name] for name in table] for table in block.tables] for block in plan])
    scores = np.zeros_like(who)
    for place, block in enumerate(plan):
        deal = match_seed(f"{seed}/{place}")
        for table, seats in enumerate(block.tables):
            scores[place, table] = play_match(game, [bots[name] for name in seats], deal).record["scores"]
        tell(place + 1)
    held = slice(0, 2 if partners else game.seats)
    return Season(entrants, who[..., held], scores[..., held], partners)


def _slipping(slip: float) -> Callable[[], Bot]:
    class Slipping(Bot):
        """Thumb, but for a share of the moves, which chance makes."""

        def __init__(self) -> None:
            self._thumb = house_bot("thumb")()

        def choose(self, table: Table) -> str:
            chosen = self._thumb.choose(table)
            return table.rng.choice(table.legal) if table.rng.random() < slip else chosen

    return Slipping
