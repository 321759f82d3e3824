"""The row of a decision: its fields, their types and what they mean."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from stichkampf.engine.game import Game
from stichkampf.lab.adapters.vocabulary import vocabulary_of
from stichkampf.lab.batch.layout import BatchLayout
from stichkampf.lab.observations import encoder_of

FORMAT: Final = "stichkampf-dataset/1"


class RowField(NamedTuple):
    """A field of every row.

    :ivar type: as numpy names it.
    """

    name: str
    type: str
    meaning: str


FIELDS: Final = (
    RowField("match", "<u4", "the record, a line of matches.jsonl, from 0"),
    RowField("deal", "<u2", "the deal of the match, from 0"),
    RowField("move", "<u2", "the move of the deal, from 0; those missing were made by the rules themselves"),
    RowField("seat", "u1", "who decides, from 0"),
    RowField("bot", "<u2", "who holds the seat: its place in `bots` of dataset.json, from 0"),
    RowField("fault", "u1", "0: the bot's own answer; else a substitute's: 1 + the place in `faults`"),
    RowField("action", "<u2", "the choice: its place in `words`"),
    RowField("choices", "<u2", "legal actions; where there is only one, nothing was decided"),
    RowField("points", "<i4", "what the seat scored in this deal"),
    RowField("score", "<i4", "what the seat scored in the match"),
    RowField("rank", "u1", "the rank of the seat in the match, 1 the best"),
    RowField("seconds", "<f4", "time charged for the decision; not a number where it was not measured"),
)
"""The fields that are numbers; after them come those in packed bits, `hand` and `legal`."""


class RowLayout(NamedTuple):
    """The columns of a game with a number of seats.

    Bits are packed eight to a byte, the first one lowest.

    :ivar type: of a row, as a numpy type.
    :ivar words: every action; its place is its number.
    :ivar hand_bits: of each set of cards in a hand (two where there are copies).
    :ivar observed: the parts of an observation; None where rows have none.
    """

    type: Any
    words: list[str]
    hand_bits: list[int]
    observed: BatchLayout | None


def row_layout(game: Game, *, observations: bool = False) -> RowLayout:
    """Return the layout of the rows of a game.

    :param observations: whether rows hold also what the seat knew, `observation` (packed bits) and `numbers`,
        as a `Batch` shows it.
    :raises UnknownGame: a game without observations.

    >>> from stichkampf import new_game
    >>> layout = row_layout(new_game("stiche-raten", 4))
    >>> layout.type.itemsize, layout.type["legal"].shape, len(layout.words)
    (53, (10,), 78)
    """
    return _layout(game.name, game.table_seats, observations)


@cache
def _layout(name: str, table_seats: int, observations: bool) -> RowLayout:
    encoder = encoder_of(name, table_seats)
    words = vocabulary_of(name).words
    hand_bits = [int(encoder.width)] * int(encoder.planes)
    fields: list[Any] = [(field.name, field.type) for field in FIELDS]
    fields += [
        ("hand", "u1", (sum(map(bytes_of, hand_bits)),)),
        ("legal", "u1", (bytes_of(len(words)),)),
    ]
    observed = BatchLayout(encoder) if observations else None
    if observed is not None:
        fields += [
            ("observation", "u1", (observed.bits // 8,)),
            ("numbers", "<i2", (observed.size - observed.bits,)),
        ]
    return RowLayout(np.dtype(fields), words, hand_bits, observed)


def bytes_of(bits: int) -> int:
    """Count the bytes that hold a number of bits.

    >>> bytes_of(9)
    2
    """
    return -(-bits // 8)
