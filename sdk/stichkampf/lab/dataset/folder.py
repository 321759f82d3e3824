"""The folder of a data set in the making."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.errors import StichkampfError
from stichkampf.lab.dataset.data_sheet import sheet
from stichkampf.lab.dataset.files import NumpyFile, ParquetFile, RowFile
from stichkampf.lab.dataset.rows import FAULTS, RecordRows
from stichkampf.lab.dataset.schema import FIELDS, FORMAT, RowLayout, row_layout

FORMATS: Final = ("parquet", "npy")
_TOLD: Final = ("game", "options", "rules_version", "scores", "ranks", "seed", "time_control")


class _OpenFile(NamedTuple):
    name: str
    file: RowFile
    game: Game
    layout: RowLayout


class DatasetFolder:
    """Write a data set: enter it, add records, and at the end the folder is there, whole or not at all.

    :param path: of the folder to be made.
    :param form: `parquet` or `npy`.
    :param observations: whether rows hold also what the seat knew.
    :raises StichkampfError: there is something at that path already, or it cannot be written.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> from stichkampf.lab.dataset import decided, load
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> path = Path(tempfile.mkdtemp(), "mine")
    >>> with DatasetFolder(path, form="npy") as folder:
    ...     folder.add(record, decided(record))
    >>> load(path, "stiche-raten")
    <Decisions: 6 of stiche-raten, 3 seats>
    """

    def __init__(self, path: Path, *, form: str = "parquet", observations: bool = False) -> None:
        if form not in FORMATS:
            raise StichkampfError(f"a data set is {' or '.join(FORMATS)}, not {form!r}")
        if path.exists():
            raise StichkampfError(f"there is something at {path} already; a data set is a new folder")
        self.path, self._form, self._observations = path, form, observations
        self._files: dict[str, _OpenFile] = {}
        self._rows: dict[str, int] = {}
        self._bots: dict[str, int] = {}
        self.matches = 0
        try:
            self._making = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.resolve().parent))
            self._list = open(self._making / "matches.jsonl", "w", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            raise StichkampfError(f"cannot make {path}: {error.strerror}") from error

    @property
    def rows(self) -> int:
        """The number of decisions so far."""
        return sum(self._rows.values())

    def add(self, record: Mapping[str, Json], found: RecordRows) -> None:
        """Add the decisions of a record.

        :raises StichkampfError: pyarrow is missing, or the folder cannot be written.
        """
        game, rows = found.game, found.rows
        key = f"{game.name}-{game.seats}"
        try:
            if key not in self._files:
                self._files[key] = self._opened(key, game)
            numbers = [self._bots.setdefault(bot, len(self._bots)) for bot in found.bots]
            rows["match"] = self.matches
            for seat, number in enumerate(numbers):
                rows["bot"][rows["seat"] == seat] = number
            self._files[key].file.add(rows)
            told = {name: record[name] for name in _TOLD if name in record}
            line = {"match": self.matches, "file": key, "bots": numbers, **told}
            self._list.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        except OSError as error:
            raise StichkampfError(f"cannot write {self.path}: {error.strerror or error}") from error
        self._rows[key] = self._rows.get(key, 0) + len(rows)
        self.matches += 1

    def __enter__(self) -> DatasetFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with ExitStack() as files:
                files.callback(self._list.close)
                for open_file in self._files.values():
                    files.callback(open_file.file.close)
            if kind is None:
                self._finish()
        except OSError as failure:
            raise StichkampfError(f"cannot write {self.path}: {failure.strerror or failure}") from failure
        finally:
            shutil.rmtree(self._making, ignore_errors=True)

    def _opened(self, key: str, game: Game) -> _OpenFile:
        layout = row_layout(game, observations=self._observations)
        name = f"{key}.{self._form}"
        notes = {"format": FORMAT, "game": game.name, "seats": game.seats}
        file: RowFile
        if self._form == "parquet":
            file = ParquetFile(self._making / name, layout.type, notes)
        else:
            file = NumpyFile(self._making / name, layout.type)
        return _OpenFile(name, file, game, layout)

    def _finish(self) -> None:
        told: dict[str, Any] = {
            "format": FORMAT,
            "observations": self._observations,
            "matches": self.matches,
            "decisions": self.rows,
            "fields": [field._asdict() for field in FIELDS],
            "faults": FAULTS,
            "bots": list(self._bots),
            "files": [self._about(key) for key in self._files],
        }
        (self._making / "dataset.json").write_text(
            json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        (self._making / "DATASHEET.md").write_text(sheet(told), encoding="utf-8")
        os.chmod(self._making, 0o777 & ~_umask())  # mkdtemp lets only its owner in
        os.rename(self._making, self.path)

    def _about(self, key: str) -> dict[str, Any]:
        name, _, game, layout = self._files[key]
        observed = layout.observed
        parts = {} if observed is None else observed.slices
        return {
            "name": name,
            "game": game.name,
            "seats": game.seats,
            "rules_version": game.rules_version,
            "rows": self._rows[key],
            "bytes_a_row": layout.type.itemsize,
            "hand_bits": layout.hand_bits,
            "words": layout.words,
            "observation": {part: [columns.start, columns.stop] for part, columns in parts.items()},
        }


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
