"""The shape of a match record: every fixed field is there and of the right type.

`record.schema.json` beside this file says the same for other languages. So must be the further fields that
our own programs write and read, where a record has them; all others are not looked at.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

from stichkampf.engine.deal import Json
from stichkampf.errors import RecordError
from stichkampf.match.match import FORMAT

FEWEST_SEATS: Final = 2
MOST_SEATS: Final = 7


def record_schema() -> str:
    """The JSON Schema of a record, as text.

    >>> json.loads(record_schema())["title"]
    'Match record of Stichkampf, version 1'
    """
    return files(__package__).joinpath("record.schema.json").read_text("utf-8")


def check_shape(record: Json) -> None:
    """Refuse a record in which a fixed field is missing or of the wrong type.

    :raises RecordError: naming the first such field, and what it should be.

    >>> check_shape({"format": "stichkampf-record/1"})
    Traceback (most recent call last):
    stichkampf.errors.RecordError: the field "game" is missing; it holds the name of a game
    """
    if not isinstance(record, dict):
        raise RecordError(f"a match record is a JSON object, not {_glimpse(record)}")
    form = _field(record, "format", "text", lambda v: isinstance(v, str))
    if form != FORMAT:
        raise RecordError(
            f'format is {form!r:.60}; this program reads "{FORMAT}"; another stichkampf wrote it'
        )
    _field(record, "game", "the name of a game", lambda v: isinstance(v, str))
    _field(record, "options", "an object with every option", lambda v: isinstance(v, dict))
    seats = _field(record, "seats", f"a list of {FEWEST_SEATS} to {MOST_SEATS} objects", _is_list_of_seats)
    for seat, entry in enumerate(seats):
        _field(entry, "bot", "the name of a bot", lambda v: isinstance(v, str), f"seats[{seat}]: ")
        if "version" in entry:
            _field(entry, "version", "a whole number", _is_int, f"seats[{seat}]: ")
    deals = _field(record, "deals", "a list of at least one deal", lambda v: _is_list_of_objects(v) and v)
    for number, deal in enumerate(deals):
        _check_deal(deal, len(seats), f"deal {number}: ")
    for fault in _field(record, "faults", "a list of objects, empty for none", _is_list_of_objects):
        for name in ("deal", "move", "seat"):
            _field(fault, name, "a whole number", _is_int, "faults: ")
        _field(fault, "kind", "a text", lambda v: isinstance(v, str) and v, "faults: ")
    for name in ("scores", "ranks"):
        _field(record, name, f"{len(seats)} whole numbers", _numbers(len(seats)))
    for name, (what, fits) in _FURTHER.items():
        if name in record:
            _field(record, name, what, fits)


def _check_deal(deal: dict[str, Json], seats: int, where: str) -> None:
    _field(deal, "dealer", "a seat", _is_int, where)
    moves = _field(deal, "moves", "a list of [seat, action]", lambda v: isinstance(v, list), where)
    for number, move in enumerate(moves):
        if not _is_move(move):
            raise RecordError(f"{where}move {number} must be [seat, action], not {_glimpse(move)}")
    _field(deal, "scores", f"{seats} whole numbers", _numbers(seats), where)


def _field(fields: dict[str, Json], name: str, what: str, fits: Any, where: str = "") -> Json:
    if name not in fields:
        raise RecordError(f'{where}the field "{name}" is missing; it holds {what}')
    if not fits(fields[name]):
        raise RecordError(f'{where}"{name}" must be {what}, not {_glimpse(fields[name])}')
    return fields[name]


def _glimpse(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"


def _is_int(value: Json) -> bool:
    return type(value) is int  # not a truth value


def _is_move(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and type(value[0]) is int and isinstance(value[1], str)


def _is_list_of_objects(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def _is_list_of_seats(value: Json) -> bool:
    return _is_list_of_objects(value) and FEWEST_SEATS <= len(value) <= MOST_SEATS


def _numbers(length: int) -> Any:
    return lambda value: isinstance(value, list) and len(value) == length and all(map(_is_int, value))


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_seconds(value: Json) -> bool:
    return type(value) in (int, float) and value >= 0


def _fits(value: Json, **fields: Any) -> bool:
    """Tell whether those of these fields that an object has are right."""
    return isinstance(value, dict) and all(
        fits(value[name]) for name, fits in fields.items() if name in value
    )


def _is_time_control(value: Json) -> bool:
    seconds = dict.fromkeys(("move_seconds", "bank_seconds", "cap_seconds"), _is_seconds)
    return _fits(
        value, **seconds, charged=lambda kinds: isinstance(kinds, list) and all(map(_is_text, kinds))
    )


def _are_times(value: Json) -> bool:
    deals = value if isinstance(value, list) else [None]
    return all(
        isinstance(deal, list) and all(time is None or _is_seconds(time) for time in deal) for deal in deals
    )


def _are_notes(value: Json) -> bool:
    return _is_list_of_objects(value) and all(
        {"deal", "move", "note"} <= note.keys()
        and _fits(note, deal=_is_int, move=_is_int, seat=_is_int, note=_is_note)
        for note in value
    )


def _is_note(value: Json) -> bool:
    return _fits(value, text=_is_text, weights=_are_weights)


def _are_weights(value: Json) -> bool:
    return isinstance(value, dict) and all(type(weight) in (int, float) for weight in value.values())


_FURTHER: Final = {
    "substitute": (
        "an object with the bot and its version",
        lambda value: _fits(value, bot=_is_text, version=_is_int) and "bot" in value,
    ),
    "rules_version": ("a whole number", _is_int),
    "seed": ("a text", _is_text),
    "shuffle": ("a text", _is_text),
    "time_control": ("an object with seconds, and the kinds of time by seat", _is_time_control),
    "costs": ("lists of seconds or null, by deal and move", _are_times),
    "wall_times": ("lists of seconds or null, by deal and move", _are_times),
    "notes": ('a list of objects with "deal", "move" and a "note" of text and weights', _are_notes),
    "sandbox": ("a text", _is_text),
    "stichkampf": ("a text", _is_text),
}
"""The further fields, each with what it holds."""
