"""The observations of a batch at the table of a bot, so that what was trained in a batch can play."""

from __future__ import annotations

from typing import Any

import numpy as np

from stichkampf.engine.game import Game
from stichkampf.lab.adapters.vocabulary import vocabulary_of
from stichkampf.lab.batch.layout import BatchLayout
from stichkampf.lab.batch.rows import row_of
from stichkampf.lab.observations import encoder_of
from stichkampf.match.table import Table

Array = Any


class TableObserver:
    """Sees the table of a bot as a batch of the same game shows it.

    :param game: the game that is played, `table.game`.
    :ivar layout: the parts of an observation by name, and their scales.
    :ivar words: every action; its index is its number.
    :raises UnknownGame: a game without observations.

    >>> from stichkampf import Match, new_game
    >>> match = Match(new_game("sixes-and-sevens", 4), seed=bytes(32))
    >>> table = Table(match.game, match.to_act()[0], seed=bytes(32))
    >>> table.follow(match.events(table.seat))
    >>> table.legal = match.legal(table.seat)
    >>> observation, mask = TableObserver(match.game).observe(table)
    >>> observation.shape, mask.sum()
    ((542,), np.int64(13))
    """

    def __init__(self, game: Game) -> None:
        self._encoder = encoder_of(game.name, game.table_seats)
        self._vocabulary = vocabulary_of(game.name)
        self.layout = BatchLayout(self._encoder)
        self.words = self._vocabulary.words

    def observe(self, table: Table) -> tuple[Array, Array]:
        """Return observation, int8, and mask, int8, of the seat at a choice of its own."""
        deal = table.deal
        plays = [(seat, deal.action(word)) for seat, word in table.moves if word.startswith("play ")]
        bits, numbers = row_of(self._encoder, deal, table.seat, plays)
        mask = np.zeros(len(self.words), np.int8)
        mask[[self._vocabulary.numbers[word] for word in table.legal]] = 1
        return self.layout.unpacked(bits, numbers, 1)[0], mask
