"""Match records as text: one JSON document per match, or one per line.

`record_shape` checks the fields of a record, `verify` its cards and moves.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from stichkampf.engine.deal import Json
from stichkampf.errors import RecordError
from stichkampf.match.match import Match
from stichkampf.match.recorded import Record
from stichkampf.plain_text import escaped


def dump(record: Mapping[str, Json]) -> str:
    """Write a record as one line of JSON, without the line end.

    >>> dump({"format": "stichkampf-record/1"})
    '{"format":"stichkampf-record/1"}'
    """
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


def parse(text: str) -> Json:
    """Read JSON, strictly: no NaN, no field twice in an object; 3.0 is the number 3.

    :raises RecordError: the text is not JSON; the message says from where on.

    >>> parse('{"dealer": 3.0}')
    {'dealer': 3}
    """
    try:
        found = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=_number)
    except json.JSONDecodeError as error:
        if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
            raise RecordError("not JSON: the text is cut short") from error
        raise RecordError(f"not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:  # thousands of digits, or of nested brackets
        raise RecordError("not a match record: a number or the nesting is too large") from error
    if "\\ud" in text.lower():
        try:
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = escaped(error.object[error.start])
            raise RecordError(f"not JSON in Unicode: {half} is half a character") from error
    return found


def read(lines: Iterable[bytes]) -> Iterator[tuple[int, Json | RecordError]]:
    """Read the documents of a file opened in binary mode: JSON lines, or one document on any number of lines.

    A document that is an array counts as that many records.
    Yields (number of the line on which the document begins, from 1; the document, or what is wrong with its
    text). JSON lines are read one by one.

    >>> list(read([b'{"game": "mue"}\\n', b'{"game": "njet"}\\n']))
    [(1, {'game': 'mue'}), (2, {'game': 'njet'})]
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
    """Read a file whose first line alone is no JSON: a document on several lines, or a spoilt JSON line."""
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
        document = parse(line.decode("utf-8-sig"))
        return Record(document) if isinstance(document, dict) else document
    except UnicodeDecodeError as error:
        return RecordError(f"not JSON: byte {error.start} is not UTF-8")
    except RecordError as error:
        return error


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise RecordError(f"the field {twice!r} appears twice in one object")
    return fields


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _no_number(text: str) -> Json:
    raise RecordError(f"not JSON: {text} is no number")


# Going through a record -----------------------------------------------------------------------------------


class RecordedMove(NamedTuple):
    """A move of a record with everything that the record says about it.

    :ivar deal: the deal, from 0, as the record counts.
    :ivar number: the move in that deal, from 0, as the record counts.
    :ivar word: the action.
    :ivar fault: the kind of fault that the move makes good; empty for the bot's own move.
    :ivar cost: seconds that the bot was charged; None where the record does not say.
    :ivar wall: seconds on the wall clock; None where the record does not say.
    :ivar note: left by the bot; None for none.
    """

    deal: int
    number: int
    seat: int
    word: str
    fault: str
    cost: float | None
    wall: float | None
    note: Json


def moves(record: Mapping[str, Json]) -> Iterator[RecordedMove]:
    """Yield all moves of a well-formed record in order, those of the rules' own seats included.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> [(move.seat, move.word) for move in moves(record)][:2]
    [(0, 'bid 0'), (1, 'bid 0')]
    """
    faults = {(fault["deal"], fault["move"]): fault["kind"] for fault in record["faults"]}
    notes = _notes(record.get("notes"))
    costs, walls = record.get("costs"), record.get("wall_times")
    for deal, played in enumerate(record["deals"]):
        for number, (seat, word) in enumerate(played["moves"]):
            at = (deal, number)
            cost, wall = _time_at(costs, *at), _time_at(walls, *at)
            yield RecordedMove(*at, seat, word, faults.get(at, ""), cost, wall, notes.get(at))


def _notes(notes: Json) -> dict[tuple[int, int], Json]:
    return {(note["deal"], note["move"]): note["note"] for note in notes or []}


def _time_at(times: Json, deal: int, move: int) -> float | None:
    time: float | None = times[deal][move] if times else None
    return time


def deciding_seats(record: Mapping[str, Json]) -> list[int]:
    """List the seat of each decision of a well-formed record, without the moves of seats that the rules play.

    >>> deciding_seats({"seats": [{}, {}], "faults": [], "deals": [{"moves": [[0, "bid 1"], [1, "bid 0"]]}]})
    [0, 1]
    """
    return [move.seat for move in moves(record) if move.seat < len(record["seats"])]


def decisions_of(record: Mapping[str, Json], seat: int) -> list[int]:
    """List the numbers of the decisions of a seat, among all decisions of the match, from 1.

    >>> decisions_of({"seats": [{}, {}], "faults": [], "deals": [{"moves": [[0, "bid 1"], [1, "bid 0"]]}]}, 1)
    [2]
    """
    return [number for number, one in enumerate(deciding_seats(record), start=1) if one == seat]


def decision_at(record: Mapping[str, Json], deal: int, move: int) -> int:
    """Return the number of a decision among all of the match, from 1.

    :param deal: from 0, as the record counts.
    :param move: from 0 in its deal, as the record counts.
    :raises RecordError: there is no such move, or it is one of the rules' own seats.

    >>> deals = [{"moves": [[0, "bid 1"]]}, {"moves": [[1, "bid 0"]]}]
    >>> decision_at({"seats": [{}, {}], "faults": [], "deals": deals}, 1, 0)
    2
    """
    taken = [(one.deal, one.number) for one in moves(record) if one.seat < len(record["seats"])]
    try:
        return 1 + taken.index((deal, move))
    except ValueError:
        raise RecordError(f"no bot decided at move {move} of deal {deal}; both count from 0") from None


class Step:
    """A decision of a recorded match at the moment when it is taken; `steps` makes them.

    :ivar match: the match so far.
    :ivar move: the move that follows.
    """

    __slots__ = ("_played", "match", "move")

    def __init__(self, match: Match, move: RecordedMove) -> None:
        self.match = match
        self.move = move
        self._played = False

    @property
    def legal(self) -> list[str]:
        """The words from which the seat chose; empty once the move is played."""
        return [] if self._played else self.match.legal(self.move.seat)

    def play(self) -> None:
        """Play the move. Going on to the next step does so too."""
        if self._played:
            return
        self._played = True
        if self.move.fault:
            self.match.fault(self.move.seat, self.move.fault)
        self.match.play(self.move.seat, self.move.word)


def steps(record: Mapping[str, Json]) -> Iterator[Step]:
    """Go through a verified record, decision by decision.

    Moves of seats that the rules play are no steps: they follow from the step before.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> step = next(steps(record))
    >>> step.move.seat, step.move.word, step.legal
    (0, 'bid 0', ['bid 0', 'bid 1'])
    """
    return _walk(Match.from_record(record), record)


def replayed(record: Mapping[str, Json]) -> Match:
    """Play the finished match of a verified record, with its events and faults.

    >>> from stichkampf import new_game
    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("thumb")] * 3, bytes(32)).record
    >>> replayed(record).scores == record["scores"]
    True
    """
    match = Match.from_record(record)
    for step in _walk(match, record):
        step.play()
    return match


def _walk(match: Match, record: Mapping[str, Json]) -> Iterator[Step]:
    for move in moves(record):
        if move.seat < match.game.seats:
            step = Step(match, move)
            yield step
            step.play()


def thinking_times_by_seat(record: Mapping[str, Json]) -> list[list[float]]:
    """List the seconds of every measured decision, by seat; nothing where the record has no costs.

    They are those charged, but on the wall clock the whole time from question to answer: a remote bot is not
    charged for the way, and one that waits for an answer elsewhere would seem to need no time.

    >>> deal = {"moves": [[0, "bid 1"], [1, "bid 0"]]}
    >>> record = {"seats": [{}, {}], "deals": [deal], "faults": [], "costs": [[0.5, None]]}
    >>> thinking_times_by_seat(record)
    [[0.5], []]
    >>> record |= {"time_control": {"charged": ["wall", "cpu"]}, "wall_times": [[0.7, 0.1]]}
    >>> thinking_times_by_seat(record)
    [[0.7], []]
    """
    control = record.get("time_control")
    charged = control.get("charged") if isinstance(control, dict) else None
    on_the_clock = [kind == "wall" for kind in charged] if isinstance(charged, list) else []
    by_seat: list[list[float]] = [[] for _ in record["seats"]]
    costs, walls = record.get("costs"), record.get("wall_times")
    for deal, played in enumerate(record["deals"]):
        for number, (seat, _word) in enumerate(played["moves"]):
            cost = _time_at(costs, deal, number)
            if cost is not None and seat < len(by_seat):
                wall = _time_at(walls, deal, number) if any(on_the_clock[seat : seat + 1]) else None
                by_seat[seat].append(cost if wall is None else wall)
    return by_seat


# Writing --------------------------------------------------------------------------------------------------


class RecordFile:
    """A file of records, one a line, at the end of which records are added: whole or not at all.

    :raises RecordError: the file cannot be opened or written; its records so far stay unchanged.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "records.jsonl")
    >>> with RecordFile(path) as file:
    ...     file.add({"game": "mue"})
    >>> path.read_text()
    '{"game":"mue"}\\n'
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_new = not path.exists()
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
        is_empty = not self._file.seek(0, os.SEEK_END)
        self._file.close()
        if self._is_new and is_empty:
            self.path.unlink()
