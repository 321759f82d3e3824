"""Events as messages of the protobuf library, as arbiters other than ours may write them."""

from __future__ import annotations

import json

from stichkampf.match.events import Event
from stichkampf.wire.v1 import events_pb2 as pb

COMPACT = json.JSONEncoder(separators=(",", ":"))


def to_wire(event: Event) -> pb.Event:
    return pb.Event(
        kind=pb.EventKind.Value(f"EVENT_KIND_{event.kind.upper()}"),
        seat=event.seat,
        text=event.text,
        cards=event.cards,
        numbers=event.numbers,
        facts_json="" if event.facts is None else COMPACT.encode(event.facts),
    )
