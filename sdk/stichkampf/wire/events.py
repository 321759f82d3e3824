"""Events between their two forms: `stichkampf.match.events.Event` in the program, a message on the wire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from stichkampf.match.events import KINDS, Event
from stichkampf.wire.v1.bot_fields import VALUES

if TYPE_CHECKING:
    from stichkampf.wire.messages import Message
    from stichkampf.wire.v1 import events_pb2 as pb

_NUMBER: Final[dict[str, Any]] = {kind: VALUES[f"EVENT_KIND_{kind.upper()}"] for kind in KINDS}
_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))
_KIND: Final = {number: kind for kind, number in _NUMBER.items()}


def to_wire(event: Event) -> pb.Event:
    """Write an event as a message of the protobuf library."""
    # which bots do without
    from stichkampf.wire.v1 import events_pb2 as pb

    return pb.Event(
        kind=_NUMBER[event.kind],
        seat=event.seat,
        text=event.text,
        cards=event.cards,
        numbers=event.numbers,
        facts_json="" if event.facts is None else _COMPACT.encode(event.facts),
    )


def from_wire(message: pb.Event | Message) -> Event:
    """Read the event of a message, of the library's or of `stichkampf.wire.messages`.

    :raises KeyError: a kind that this version does not know.
    """
    facts = message.facts_json
    return Event(
        _KIND[message.kind],
        message.seat,
        message.text,
        tuple(message.cards),
        tuple(message.numbers),
        json.loads(facts) if facts else None,
    )
