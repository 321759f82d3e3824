"""Events of the wire as `stichkampf.match.events.Event`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from stichkampf.match.events import KINDS, Event
from stichkampf.wire.v1.bot_fields import VALUES

if TYPE_CHECKING:
    from stichkampf.wire.messages import Message
    from stichkampf.wire.v1 import events_pb2 as pb

_KIND: Final = {VALUES[f"EVENT_KIND_{kind.upper()}"]: kind for kind in KINDS}


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
