"""Match records as text: one JSON document per match, or one per line.

Reading is strict where the format is: a field that is missing, of the wrong type or named twice is refused
with the place named. Further fields are nobody's concern here. Whether the cards and moves are right is for
`verify` to say.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from stichkampf.engine.deal import Json
from stichkampf.errors import RecordError
from stichkampf.match.match import FORMAT, Match


def dump(record: Mapping[str, Json]) -> str:
    """The record as one line of JSON, without the line end."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


def parse(text: str) -> Json:
    """JSON, strictly: no NaN, no field twice in an object; 3.0 is the number 3.

    :raises RecordError: saying where the text stops being JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_number)
    except json.JSONDecodeError as error:
        if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
            raise RecordError("not JSON: the text is cut short") from error
        raise RecordError(f"not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:  # thousands of digits in a number, or of nested brackets
        raise RecordError("not a match record: numbers or brackets beyond all measure") from error


def read(lines: Iterable[bytes]) -> Iterator[tuple[int, Json | RecordError]]:
    """The documents of a file opened in binary mode: JSON lines, or one document on any number of lines.

    A document that is an array counts as that many records.
    Yields (number of the line on which the document begins, from 1; the document, or what is wrong with its
    text). JSON lines are read one by one.
    """
    rest = iter(lines)
    for number, line in enumerate(rest, 1):
        if not line.strip(b"\xef\xbb\xbf \t\r\n"):
            continue
        first = _parsed(line)
        if isinstance(first, RecordError):
            yield from _read_whole(number, line, list(rest))
        else:
            yield from ((number, record) for record in (first if isinstance(first, list) else [first]))
            yield from _read_lines(number + 1, rest)


def _read_lines(start: int, lines: Iterable[bytes]) -> Iterator[tuple[int, Json | RecordError]]:
    for number, line in enumerate(lines, start):
        if line.strip():
            yield number, _parsed(line)


def _read_whole(start: int, first: bytes, rest: list[bytes]) -> Iterator[tuple[int, Json | RecordError]]:
    """The first line is not JSON by itself: one document on several lines, or a spoilt one of JSON lines."""
    whole = _parsed(first + b"".join(rest))
    if not isinstance(whole, RecordError):
        yield from ((start, record) for record in (whole if isinstance(whole, list) else [whole]))
    elif any(_is_record_line(line) for line in rest):
        yield from _read_lines(start, [first, *rest])
    else:
        yield start, whole


def _is_record_line(line: bytes) -> bool:
    document = _parsed(line)
    return isinstance(document, dict) and "deals" in document


def _parsed(line: bytes) -> Json | RecordError:
    try:
        return parse(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return RecordError(f"not JSON: byte {error.start} is not UTF-8")
    except RecordError as error:
        return error


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RecordError(f"the field {twice!r} stands twice in one object")
    return fields


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _no_number(text: str) -> Json:
    raise RecordError(f"not JSON: {text} is no number")


# The shape ------------------------------------------------------------------------------------------------


def check_shape(record: Json) -> None:
    """That every fixed field is there and of the right type.

    :raises RecordError: naming the first field that is not, and what it should be.
    """
    _need(isinstance(record, dict), f"a match record is a JSON object, not {_glimpse(record)}")
    form = _field(record, "format", "text", lambda v: isinstance(v, str))
    _need(form == FORMAT, f'format is {form!r:.60}; this program reads "{FORMAT}"')
    _field(record, "game", "the name of a game", lambda v: isinstance(v, str))
    _field(record, "options", "an object with every option", lambda v: isinstance(v, dict))
    seats = _field(record, "seats", "a list of objects", _is_list_of_objects)
    for seat, entry in enumerate(seats):
        _field(entry, "bot", "the name of a bot", lambda v: isinstance(v, str), f"seat {seat}: ")
    deals = _field(record, "deals", "a list of at least one deal", lambda v: _is_list_of_objects(v) and v)
    for number, deal in enumerate(deals):
        _check_deal(deal, len(seats), f"deal {number}: ")
    for fault in _field(record, "faults", "a list of objects, empty for none", _is_list_of_objects):
        for name in ("deal", "move", "seat"):
            _field(fault, name, "a whole number", _is_int, "faults: ")
        _field(fault, "kind", "a text", lambda v: isinstance(v, str) and v, "faults: ")
    for name in ("scores", "ranks"):
        _field(record, name, f"{len(seats)} whole numbers", _numbers(len(seats)))


def _check_deal(deal: dict[str, Json], seats: int, where: str) -> None:
    _field(deal, "dealer", "a seat", _is_int, where)
    moves = _field(deal, "moves", "a list of [seat, action]", lambda v: isinstance(v, list), where)
    for number, move in enumerate(moves):
        fits = isinstance(move, list) and len(move) == 2 and _is_int(move[0]) and isinstance(move[1], str)
        _need(fits, f"{where}move {number} must be [seat, action], not {_glimpse(move)}")
    _field(deal, "scores", f"{seats} whole numbers", _numbers(seats), where)


def _field(fields: dict[str, Json], name: str, what: str, fits: Any, where: str = "") -> Json:
    _need(name in fields, f'{where}the field "{name}" is missing; it holds {what}')
    _need(fits(fields[name]), f'{where}"{name}" must be {what}, not {_glimpse(fields[name])}')
    return fields[name]


def _need(holds: Any, message: str) -> None:
    if not holds:
        raise RecordError(message)


def _glimpse(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"


def _is_int(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list_of_objects(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def _numbers(length: int) -> Any:
    return lambda value: isinstance(value, list) and len(value) == length and all(map(_is_int, value))


# Playing again, and writing -------------------------------------------------------------------------------


def replayed(record: Mapping[str, Json]) -> Match:
    """A finished match that went as a verified record says, with its events and faults."""
    match = Match.from_record(record)
    faults = {(fault["deal"], fault["move"]): fault["kind"] for fault in record["faults"]}
    for number, deal in enumerate(record["deals"]):
        for place, (seat, word) in enumerate(deal["moves"]):
            if seat >= match.game.seats:
                continue
            if (number, place) in faults:
                match.fault(seat, faults[number, place])
            match.play(seat, word)
    return match


class RecordFile:
    """A file of records, one a line, at the end of which records are added: whole or not at all.

    :raises RecordError: when the file cannot be opened or written; what it held before stays as it was.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = open(path, "ab+", buffering=0)  # noqa: SIM115 - closed by __exit__
        except OSError as error:
            raise RecordError(f"cannot write records to {path}: {error.strerror}") from error
        self._open_end = self._ends_without_newline()

    def _ends_without_newline(self) -> bool:
        if not self._file.seek(0, os.SEEK_END):
            return False
        self._file.seek(-1, os.SEEK_END)
        return self._file.read(1) != b"\n"

    def add(self, record: Mapping[str, Json]) -> None:
        line = b"\n" * self._open_end + dump(record).encode() + b"\n"
        end = self._file.seek(0, os.SEEK_END)
        try:
            written = self._file.write(line)
        except OSError as error:
            raise RecordError(f"cannot write records to {self.path}: {error.strerror}") from error
        if written != len(line):
            self._file.truncate(end)
            raise RecordError(f"cannot write records to {self.path}: the disk is full")
        self._open_end = False

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
