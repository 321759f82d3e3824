"""The journal of a long run on this machine, which lets it go on where it was ended."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

from stichkampf.errors import BotError, RecordError, StichkampfError
from stichkampf.local_play.programs import LocalProgram
from stichkampf.match.records import RecordFile

_MOST_BYTES: Final = 1 << 30


class _Row(Protocol):
    """A named tuple."""

    def _asdict(self) -> dict[str, Any]: ...


Row = TypeVar("Row", bound=_Row)


class Journal(Generic[Row]):
    """The file of a run, one result a line; a run that was ended goes on with it.

    :param head: what tells this run from others.
    :param row: makes a result of its fields.
    :ivar rows: the results so far.
    :raises RecordError: the file belongs to another run, or is no journal.

    >>> import tempfile
    >>> from typing import NamedTuple
    >>> Result = NamedTuple("Result", [("wins", int)])
    >>> path = Path(tempfile.mkdtemp(), "journal.jsonl")
    >>> with Journal(path, {"bot": "thumb"}, Result) as journal:
    ...     journal.add(Result(12))
    >>> Journal(path, {"bot": "thumb"}, Result).rows
    [Result(wins=12)]
    >>> Journal(path, {"bot": "random"}, Result)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    stichkampf.errors.RecordError: /...journal.jsonl is the journal of another run: its bot is ...
    """

    def __init__(self, path: Path, head: Mapping[str, Any], row: Callable[..., Row]) -> None:
        self.path = path
        self.rows: list[Row] = []
        self._row = row
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
            head, *rows = [json.loads(line) for line in whole]
            self._check(head)
            self.rows = [self._row(**row) for row in rows]
        except (ValueError, TypeError, AttributeError):
            raise RecordError(
                f"{self.path} is no journal of such a run; name another with --journal"
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

    def __enter__(self) -> Journal[Row]:
        with ExitStack() as entered:
            self._file = entered.enter_context(RecordFile(self.path))
            if self._is_new:
                self._file.add(self._head)
            entered.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._file is not None:
            self._file.__exit__(*error)

    def add(self, row: Row) -> None:
        """Add a result.

        :raises StichkampfError: the journal is not open.
        """
        if self._file is None:
            raise StichkampfError("a journal is open only in `with`")
        self._file.add(row._asdict())
        self.rows.append(row)


def digest(program: LocalProgram, without: Collection[Path] = ()) -> str:
    """Return the SHA-256 of a bot's files, by which a journal knows whether it is still the same bot.

    :param without: files that may lie beside it and are none of its own.
    :raises BotError: they cannot be read.
    """
    others = {path.resolve() for path in without}
    found = hashlib.sha256("\0".join((program.house, program.class_name, *program.command)).encode())
    root = Path(program.folder)
    try:
        if program.folder:
            files = sorted(
                path
                for path in root.rglob("*")
                if path.is_file() and "__pycache__" not in path.parts and path.resolve() not in others
            )
        else:
            files = [Path(program.entry)] if program.entry else []
        for path in files:
            found.update(str(path.relative_to(root) if program.folder else path.name).encode() + b"\0")
            if path.stat().st_size > _MOST_BYTES:
                raise BotError(f"{path} is larger than 1 GiB")
            found.update(hashlib.sha256(path.read_bytes()).digest())
    except OSError as error:
        raise BotError(f"cannot read {error.filename}: {error.strerror}") from None
    return found.hexdigest()
