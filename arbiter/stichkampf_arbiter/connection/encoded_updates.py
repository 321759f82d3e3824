"""The updates of tables as the bytes of a frame, put together from parts that are encoded once.

Encodings of protobuf messages one after the other are the encoding of one message with the fields of all.
So an event is encoded once for all seats that see it, and no message has to be built of a whole frame. The
fields stand in the order of their numbers, as the library writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from stichkampf.match.events import Event
from stichkampf.wire.events import to_wire
from stichkampf.wire.v1 import bot_pb2 as pb

_MESSAGE = 2
"""The wire type of a field that holds a message."""


def _tag(message: type, name: str) -> bytes:
    number: int = message.DESCRIPTOR.fields_by_name[name].number  # type: ignore[attr-defined]
    return bytes((number << 3 | _MESSAGE,))


_UPDATES = _tag(pb.ToBot, "updates")
_TABLES = _tag(pb.Updates, "tables")
_EVENTS = _tag(pb.TableUpdate, "events")
_QUESTION = _tag(pb.TableUpdate, "question")
_SHORT = [bytes((length,)) for length in range(128)]


class Update:
    """The news of one table in the next frame.

    :ivar events: encoded by `encoded_event`.
    """

    __slots__ = ("_end", "_question", "_start", "_table", "events")

    def __init__(self, table: int) -> None:
        self.events: list[bytes] = []
        self._table = pb.TableUpdate(table=table).SerializeToString()
        self._start = self._question = self._end = b""

    def start(self, start: pb.TableStart) -> None:
        """Start the table."""
        self._start = pb.TableUpdate(start=start).SerializeToString()

    def ask(self, number: int, legal: Sequence[str], seconds: float, hand: Sequence[str]) -> None:
        """Ask for a decision, as in `pb.Question`."""
        question = pb.Question(decision=number, legal=legal, seconds=seconds, hand=hand)
        self._question = _field(_QUESTION, question.SerializeToString())

    def end(self, reason: pb.TableEndReason) -> None:
        """End the table."""
        self._end = pb.TableUpdate(end=pb.TableEnd(reason=reason)).SerializeToString()

    def encoded(self) -> bytes:
        """Return the update as a field of `pb.Updates`."""
        parts = (self._table, self._start, *self.events, self._question, self._end)
        return _field(_TABLES, b"".join(parts))


def encoded_frame(updates: Iterable[Update]) -> bytes:
    """Return a `pb.ToBot` with these updates."""
    return _field(_UPDATES, b"".join([update.encoded() for update in updates]))


def encoded_event(event: Event) -> bytes:
    """Return an event as a field of `pb.TableUpdate`."""
    return _encoded(event) if event.facts is not None or event.cards else _encoded_again(event)


def _encoded(event: Event) -> bytes:
    return _field(_EVENTS, to_wire(event).SerializeToString())


_encoded_again = lru_cache(maxsize=4096)(_encoded)
"""For moves and phases, of which a game has few."""


def _field(tag: bytes, content: bytes) -> bytes:
    """Return a field with its length before it, which has seven bits in each byte, the lowest first."""
    left = len(content)
    if left < 128:
        return tag + _SHORT[left] + content
    length = bytearray()
    while left >= 128:
        length.append(left & 127 | 128)
        left >>= 7
    length.append(left)
    return b"".join((tag, length, content))
