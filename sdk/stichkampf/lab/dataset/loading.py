"""Reading a data set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stichkampf.errors import StichkampfError
from stichkampf.games import new_game
from stichkampf.lab.batch.layout import BatchLayout
from stichkampf.lab.dataset.files import read_parquet
from stichkampf.lab.dataset.schema import FORMAT, RowLayout, bytes_of, row_layout

Array = Any


class Decisions:
    """Decisions of one game with one number of seats.

    `decisions["action"]` is the column of that field, an array; the fields are those of `FIELDS`, then `hand`
    and `legal` and, where the data set has observations, `observation` and `numbers`, in packed bits.

    :ivar game: the name of the game.
    :ivar seats: the number of seats.
    :ivar words: every action; its place is its number.
    :ivar bots: the bots of the whole data set.
    :ivar layout: the parts of an observation; None where there are none.
    """

    def __init__(self, columns: Any, game: str, seats: int, bots: list[str], layout: RowLayout) -> None:
        self._columns = columns
        self._layout = layout
        self.game, self.seats, self.bots = game, seats, bots
        self.words = layout.words
        self.layout: BatchLayout | None = layout.observed

    def __getitem__(self, name: str) -> Array:
        return self._columns[name]

    def __len__(self) -> int:
        return len(self._columns["match"])

    def __repr__(self) -> str:
        return f"<Decisions: {len(self)} of {self.game}, {self.seats} seats>"

    def legal(self, which: Any = slice(None)) -> Array:
        """Return the legal actions, 1 or 0; int8, shape (rows, words).

        :param which: the rows, as a slice or an array of their numbers.
        """
        return _unpacked(self["legal"][which], [len(self.words)])

    def hands(self, which: Any = slice(None)) -> Array:
        """Return the deciding seat's hand, as the part `hand` of an observation; int8, shape (rows, cards).

        :param which: as for `legal`.
        """
        return _unpacked(self["hand"][which], self._layout.hand_bits)

    def observations(self, which: Any = slice(None)) -> Array:
        """Return what the seats knew, as `Batch.observation`; int8, shape (rows, layout.size).

        :param which: as for `legal`.
        :raises StichkampfError: the data set was made without observations.
        """
        if self.layout is None:
            raise StichkampfError("this data set has no observations: make it with --observations")
        bits = _unpacked(self["observation"][which], [self.layout.bits])
        return np.concatenate([bits, self["numbers"][which].astype(np.int8)], axis=1)


def load(folder: Path | str, game: str, seats: int | None = None) -> Decisions:
    """Load the decisions of a game from a data set.

    Numpy's format stays in its file and is read where it is used; Parquet is read whole.

    :param seats: may be left out where the data set has only one number of them.
    :raises StichkampfError: there is no such data set, or it has no decisions of that game.
    """
    path = Path(folder)
    try:
        told = json.loads((path / "dataset.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StichkampfError(f"{path} is no data set: it has no file dataset.json") from None
    except OSError as error:
        raise StichkampfError(f"cannot read {path / 'dataset.json'}: {error.strerror}") from None
    if told.get("format") != FORMAT:
        raise StichkampfError(f"{path} is a data set of the format {told.get('format')!r}, not {FORMAT!r}")
    files = told["files"]
    found = [file for file in files if file["game"] == game and seats in (None, file["seats"])]
    if len(found) != 1:
        there = ", ".join(f"{file['game']} with {file['seats']} seats" for file in files)
        wanted = game if seats is None else f"{game} with {seats} seats"
        problem = "more than one file" if found else "no file"
        raise StichkampfError(f"{path} has {problem} for {wanted}; it has {there}")
    (file,) = found
    layout = row_layout(new_game(game, file["seats"]), observations=told["observations"])
    if file["words"] != layout.words:
        raise StichkampfError(f"{path}: the actions of {game} are not those of this version of the SDK")
    name = path / file["name"]
    if name.suffix == ".npy":
        columns = np.load(name, mmap_mode="r") if file["rows"] else np.zeros(0, layout.type)
    else:
        columns = read_parquet(name, layout.type)
    return Decisions(columns, game, file["seats"], told["bots"], layout)


def _unpacked(packed: Array, bits: Sequence[int]) -> Array:
    parts, at = [], 0
    for width in bits:
        held = packed[:, at : at + bytes_of(width)]
        parts.append(np.unpackbits(held, axis=1, count=width, bitorder="little"))
        at += bytes_of(width)
    return np.concatenate(parts, axis=1).view(np.int8)
