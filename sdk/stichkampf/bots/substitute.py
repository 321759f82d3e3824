"""The substitute that moves in place of a failing bot: the house bot `thumb` on the failing bot's seat."""

from __future__ import annotations

from stichkampf.bots.bot import Bot, decide
from stichkampf.engine.game import Game
from stichkampf.match.events import Event
from stichkampf.match.table import Table


class HouseSubstitute:
    """A house bot that sees what the seat saw, from the first deal on.

    :param seed: 32 bytes; the same seed, the same moves.
    """

    def __init__(self, bot: Bot, game: Game, seat: int, seed: bytes) -> None:
        self._bot = bot
        self._table = Table(game, seat, seed)

    def choose(self, events: list[Event], legal: list[str]) -> str:
        self._table.follow(events)
        self._table.legal = legal
        word, _ = decide(self._bot, self._table)
        return word
