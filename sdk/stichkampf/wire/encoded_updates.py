"""The updates of tables as the bytes of a frame, put together from parts that are encoded once.

A frame is a `ToBot` of `proto/stichkampf/wire/v1/bot.proto`, written here field by field: encodings of
protobuf messages one after the other are the encoding of one message with the fields of all. So an event is
encoded once for all seats that see it, and no message has to be built of a whole frame. The fields stand in
the order of their numbers, as the protobuf library writes them, and a field with the value that it has by
default is left out.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring_ascii
from typing import Final

from mypy_extensions import i64

from stichkampf.engine.deal import Json
from stichkampf.match.events import KINDS, Event

_NUMBER: Final = 0
_DOUBLE: Final = 1
_BYTES: Final = 2
"""The types of a field on the wire: a number, a double, and bytes after their length."""


def _tag(number: int, kind: int) -> bytes:
    """Return what stands before a field, by its number in the message."""
    return bytes([number << 3 | kind])


_UPDATES: Final = _tag(2, _BYTES)  # of ToBot
_TABLES: Final = _tag(1, _BYTES)  # of Updates
_TABLE: Final = _tag(1, _NUMBER)  # of TableUpdate
_START: Final = _tag(2, _BYTES)
_EVENTS: Final = _tag(3, _BYTES)
_QUESTION: Final = _tag(4, _BYTES)
_END: Final = _tag(5, _BYTES)
_REASON: Final = _tag(1, _NUMBER)  # of TableEnd
_DECISION: Final = _tag(1, _NUMBER)  # of Question
_LEGAL: Final = _tag(2, _BYTES)
_SECONDS: Final = _tag(3, _DOUBLE)
_HAND: Final = _tag(4, _BYTES)
_KIND: Final = _tag(1, _NUMBER)  # of Event
_SEAT: Final = _tag(2, _NUMBER)
_TEXT: Final = _tag(3, _BYTES)
_CARDS: Final = _tag(4, _BYTES)
_NUMBERS: Final = _tag(5, _BYTES)
_FACTS: Final = _tag(6, _BYTES)

_SHORT: Final = [bytes([number]) for number in range(128)]
_KINDS: Final = {kind: _KIND + _SHORT[number] for number, kind in enumerate(KINDS, 1)}
_LITTLE_ENDIAN: Final = struct.Struct("<d")


class Update:
    """The news of one table in the next frame.

    :param table: its number on the stream, from 1.
    :ivar events: encoded by `encoded_event`.
    """

    def __init__(self, table: int) -> None:
        self.events: list[bytes] = []
        self._table = _TABLE + _varint(table)
        self._start = b""
        self._question = b""
        self._end = b""

    def start(self, start: bytes) -> None:
        """Start the table, by an encoded `TableStart`."""
        self._start = _field(_START, start)

    def ask(self, number: int, legal: Sequence[str], seconds: float, hand: Sequence[str]) -> None:
        """Ask for a decision, whose number counts from 1, as in `Question`."""
        parts = [_DECISION, _varint(number)]
        for word in legal:
            parts.append(_text(_LEGAL, word))
        if seconds:
            parts.append(_SECONDS)
            parts.append(_LITTLE_ENDIAN.pack(seconds))
        for card in hand:
            parts.append(_text(_HAND, card))
        self._question = _field(_QUESTION, b"".join(parts))

    def end(self, reason: int) -> None:
        """End the table, with a `TableEndReason`."""
        self._end = _field(_END, _REASON + _varint(reason))

    def encoded(self) -> bytes:
        """Return the update as a field of `Updates`."""
        parts = [self._table, self._start, *self.events, self._question, self._end]
        return _field(_TABLES, b"".join(parts))


class EncodedLog:
    """The events of a match on their way to the seats, each encoded once.

    :param log: of a `Match`; what it gains is noticed with the next call.

    >>> log = EncodedLog([(0b101, Event("phase", text="bidding"))], seats=3)
    >>> len(log.news(0)), len(log.news(1)), len(log.news(0))
    (1, 0, 0)
    """

    def __init__(self, log: list[tuple[int, Event]], seats: int) -> None:
        self._log = log
        self._encoded = 0
        self._untold: list[list[bytes]] = [[] for _ in range(seats)]

    def news(self, seat: int) -> list[bytes]:
        """Return the events that a seat has seen since the last call."""
        self._encode()
        news = self._untold[seat]
        self._untold[seat] = []
        return news

    def repeat(self, seat: int) -> None:
        """Count all events as news for a seat again."""
        self._encode()
        self._untold[seat] = [encoded_event(event) for mask, event in self._log if mask & 1 << seat]

    def _encode(self) -> None:
        seats = len(self._untold)
        for number in range(self._encoded, len(self._log)):
            mask, event = self._log[number]
            if mask & (1 << seats) - 1:  # others, such as onlookers, are not told on the wire
                encoded = encoded_event(event)
                for seat in range(seats):
                    if mask >> seat & 1:
                        self._untold[seat].append(encoded)
        self._encoded = len(self._log)


def encoded_frame(updates: Iterable[Update]) -> bytes:
    """Return a `ToBot` with these updates."""
    return _field(_UPDATES, b"".join([update.encoded() for update in updates]))


def encoded_event(event: Event) -> bytes:
    """Return an event as a field of `TableUpdate`."""
    parts = [_KINDS[event.kind]]
    if event.seat:
        parts.append(_SEAT)
        parts.append(_zigzag(event.seat))
    if event.text:
        parts.append(_text(_TEXT, event.text))
    for card in event.cards:
        parts.append(_text(_CARDS, card))
    if event.numbers:
        parts.append(_field(_NUMBERS, b"".join([_zigzag(number) for number in event.numbers])))
    if event.facts is not None:
        parts.append(_text(_FACTS, compact_json(event.facts)))
    return _field(_EVENTS, b"".join(parts))


def compact_json(value: Json) -> str:
    """Return a value as `json.dumps` writes it without spaces.

    >>> print(compact_json({"bids": [1, None], "trump": "é"}))
    {"bids":[1,null],"trump":"\\u00e9"}
    """
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if type(value) is int:
        return str(value)
    if isinstance(value, list):
        return "[" + ",".join([compact_json(entry) for entry in value]) + "]"
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        fields = [encode_basestring_ascii(key) + ":" + compact_json(value[key]) for key in value]
        return "{" + ",".join(fields) + "}"
    return json.dumps(value, separators=(",", ":"))


def _zigzag(number: i64) -> bytes:
    """Return a number as an `sint32` is written, which has its sign in the lowest bit."""
    return _varint(number << 1 ^ number >> 63)


def _text(tag: bytes, text: str) -> bytes:
    return _field(tag, text.encode())


def _field(tag: bytes, content: bytes) -> bytes:
    """Return a field with its length before it."""
    return tag + _varint(len(content)) + content


def _varint(number: i64) -> bytes:
    """Return a number from 0 with seven bits in each byte, the lowest first."""
    if number < 128:
        return _SHORT[number]
    return bytes([number & 127 | 128]) + _varint(number >> 7)
