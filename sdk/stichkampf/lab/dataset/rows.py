"""The decisions of one record as rows."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from librt.vecs import vec
from mypy_extensions import i64

from stichkampf.engine.deal import Deal, Json
from stichkampf.engine.game import Game
from stichkampf.engine.trick_deal import TrickDeal
from stichkampf.errors import RecordError
from stichkampf.faults import FaultKind
from stichkampf.games import new_game
from stichkampf.lab.adapters.vocabulary import vocabulary_of
from stichkampf.lab.batch.layout import numbers_of, words_in_bytes
from stichkampf.lab.batch.rows import row_of
from stichkampf.lab.dataset.schema import RowLayout, bytes_of, row_layout
from stichkampf.lab.observations import encoder_of
from stichkampf.match.records import Step, steps
from stichkampf.match.verify import verify
from stichkampf.rating.record_results import entrant_name

Array = Any
FAULTS: Final = [kind.value for kind in FaultKind]
_BYTE: Final = 255


class RecordRows(NamedTuple):
    """The decisions of one record.

    :ivar rows: one for each decision, in order; `match` and `bot` are 0 until a data set numbers them.
    :ivar bots: by seat, the bot and its version as the record names them.
    """

    game: Game
    rows: Array
    bots: list[str]


def decided(record: Json, *, observations: bool = False) -> RecordRows:
    """Referee a record and return its decisions as rows of the type of `row_layout`.

    :raises RecordError: `verify` refuses it, or it names an action or a game that has no number.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> found = decided(play_match(game, [entrant("thumb")] * 3, bytes(32)).record)
    >>> len(found.rows), found.bots[0], found.rows["action"][:3].tolist(), found.rows["points"].tolist()
    (6, 'house/thumb v2', [4, 4, 4], [-1, 2, 2, -1, 2, 2])
    """
    verify(record)
    game = new_game(record["game"], len(record["seats"]), record["options"])
    layout = row_layout(game, observations=observations)
    table = _DecisionRows(game, layout)
    for step in steps(record):
        table.add(step)
    rows = table.whole()
    seats = rows["seat"]
    points = np.array([deal["scores"] for deal in record["deals"]], np.int32)
    rows["points"] = points[rows["deal"], seats]
    rows["score"] = np.array(record["scores"], np.int32)[seats]
    rows["rank"] = np.array(record["ranks"], np.uint8)[seats]
    bots = [entrant_name(entry["bot"], entry.get("version")) for entry in record["seats"]]
    return RecordRows(game, rows, bots)


class _DecisionRows:
    """Rows in the making."""

    def __init__(self, game: Game, layout: RowLayout) -> None:
        self._layout = layout
        self._numbers = vocabulary_of(game.name).numbers
        self._encoder = encoder_of(game.name, game.table_seats)
        self._faults = {kind: number for number, kind in enumerate(FAULTS, start=1)}
        self._fields: list[tuple[Any, ...]] = []
        self._plays: list[tuple[int, int]] = []
        self._told = 0  # moves of the deal that are among the plays
        self._deal = -1

    def add(self, step: Step) -> None:
        move, match = step.move, step.match
        deal, legal = match.deal, step.legal
        numbered = [
            move.deal,
            move.number,
            move.seat,
            self._faults.get(move.fault, _BYTE if move.fault else 0),
            self._number(move.word),
            len(legal),
            float("nan") if move.cost is None else move.cost,
        ]
        parts = [self._hand(deal, move.seat), self._legal(legal)]
        if self._layout.observed is not None:
            parts += self._observed(step)
        self._fields.append((*numbered, *parts))

    def whole(self) -> Array:
        """Return all rows."""
        rows = np.zeros(len(self._fields), self._layout.type)
        names = ["deal", "move", "seat", "fault", "action", "choices", "seconds", "hand", "legal"]
        if self._layout.observed is not None:
            names += ["observation", "numbers"]
        for name, column in zip(names, zip(*self._fields, strict=True), strict=True):
            rows[name] = np.array(column, rows.dtype[name].base)
        return rows

    def _number(self, word: str) -> int:
        try:
            return self._numbers[word]
        except KeyError:
            raise RecordError(f"the action {word!r} has no number in data sets of this game") from None

    def _hand(self, deal: Deal, seat: int) -> Array:
        assert isinstance(deal, TrickDeal)
        sets: vec[i64] = vec[i64]([0] * len(self._layout.hand_bits))
        self._encoder.write_hand(deal, seat, sets, 0)
        packed = words_in_bytes(sets, len(self._layout.hand_bits))
        return np.concatenate([packed[k, : bytes_of(bits)] for k, bits in enumerate(self._layout.hand_bits)])

    def _legal(self, legal: list[str]) -> Array:
        mask = np.zeros(len(self._layout.words), np.uint8)
        mask[[self._number(word) for word in legal]] = 1
        return np.packbits(mask, bitorder="little")

    def _observed(self, step: Step) -> list[Array]:
        layout, match = self._layout.observed, step.match
        assert layout is not None
        if step.move.deal != self._deal:
            self._deal, self._told = step.move.deal, 0
            self._plays.clear()
        moves = match.played[-1].moves
        for seat, word in moves[self._told :]:
            if word.startswith("play "):
                self._plays.append((seat, match.deal.action(word)))
        self._told = len(moves)
        bits, numbers = row_of(self._encoder, match.deal, step.move.seat, self._plays)
        packed = words_in_bytes(bits, 1).take(layout.used, axis=1)[0]
        return [packed, numbers_of(numbers, 1)[0]]
