"""The journal of a benchmark, which lets a run go on where it was ended."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from stichkampf.errors import RecordError, StichkampfError
from stichkampf.match.records import RecordFile


class BenchmarkBlock(NamedTuple):
    """The result of one block.

    :ivar number: among the blocks of its game, from 0.
    :ivar wins: comparisons with the pool on the same hands: 2 for more points, 1 for as many.
    :ivar points: the sum of the differences.
    :ivar faults: of the bot.
    """

    game: str
    number: int
    wins: int
    points: int
    faults: int


class BenchmarkJournal:
    """The file of a run, one block a line; a run that was ended goes on with it.

    :param head: what tells this run from others.
    :raises RecordError: the file belongs to another run, or is no journal.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "journal.jsonl")
    >>> with BenchmarkJournal(path, {"bot": "thumb"}) as journal:
    ...     journal.add(BenchmarkBlock("mue", 0, 12, 3, 0))
    >>> BenchmarkJournal(path, {"bot": "thumb"}).blocks
    [BenchmarkBlock(game='mue', number=0, wins=12, points=3, faults=0)]
    >>> BenchmarkJournal(path, {"bot": "random"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    stichkampf.errors.RecordError: /...journal.jsonl is the journal of another run: its bot is ...
    """

    def __init__(self, path: Path, head: Mapping[str, Any]) -> None:
        self.path = path
        self.blocks: list[BenchmarkBlock] = []
        self._head = dict(head)
        self._file: RecordFile | None = None
        self._is_new = not self._read()

    def _read(self) -> bool:
        """Read what is there; tell whether there was anything."""
        try:
            lines = self.path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise RecordError(f"cannot read {self.path}: {error.strerror}") from error
        whole = [line for line in lines if line.endswith(b"\n")]
        try:
            head, *blocks = [json.loads(line) for line in whole]
            self._check(head)
            self.blocks = [BenchmarkBlock(**block) for block in blocks]
        except (ValueError, TypeError, AttributeError):
            raise RecordError(
                f"{self.path} is no journal of a benchmark; name another with --journal"
            ) from None
        if len(whole) < len(lines):  # the program was ended as it wrote
            os.truncate(self.path, sum(map(len, whole)))
        return True

    def _check(self, head: Mapping[str, Any]) -> None:
        for name, value in self._head.items():
            if head.get(name) != value:
                raise RecordError(
                    f"{self.path} is the journal of another run: its {name} is {json.dumps(head.get(name))},"
                    f" not {json.dumps(value)}; remove it or name another with --journal"
                )

    def __enter__(self) -> BenchmarkJournal:
        with ExitStack() as entered:
            self._file = entered.enter_context(RecordFile(self.path))
            if self._is_new:
                self._file.add(self._head)
            entered.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._file is not None:
            self._file.__exit__(*error)

    def add(self, block: BenchmarkBlock) -> None:
        """Add a block.

        :raises StichkampfError: the journal is not open.
        """
        if self._file is None:
            raise StichkampfError("a journal is open only in `with`")
        self._file.add(block._asdict())
        self.blocks.append(block)
