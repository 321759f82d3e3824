"""Events: the one vocabulary in which wire, bots and replay describe a match.

| kind | fields |
|---|---|
| `deal` | seat = dealer, numbers = (deal, from 0), cards = own hand, facts = `sizes`; `ALL_HANDS`: `hands` |
| `phase` | text = the phase that begins |
| `facts` | facts = public facts and own secrets that changed, null for one that ended; after `deal`: all |
| `move` | seat, text = the action, or what the observer sees of it ("discard ?") |
| `trick` | seat = winner or -1, cards in the order played, numbers = the seats in that order |
| `score` | numbers = scores of the deal by seat, facts = `{"totals": […]}` |
| `fault` | seat, text = kind of fault; stands before the move made in that seat's place |
| `end` | numbers = ranks by seat, facts = `{"scores": […]}` |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from stichkampf.engine.deal import Json

KINDS = ("deal", "phase", "facts", "move", "trick", "score", "fault", "end")


class Event(NamedTuple):
    """An event of a match, as one observer sees it. It must not be changed, nor its facts."""

    kind: str
    seat: int = -1
    text: str = ""
    cards: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    facts: Mapping[str, Json] | None = None

    def to_json(self) -> dict[str, Json]:
        """Return the fields that are set, as a JSON object.

        >>> Event("move", 2, "play R6").to_json()
        {'kind': 'move', 'seat': 2, 'text': 'play R6'}
        """
        fields: dict[str, Json] = {"kind": self.kind, "seat": self.seat}
        if self.text:
            fields["text"] = self.text
        if self.cards:
            fields["cards"] = list(self.cards)
        if self.numbers:
            fields["numbers"] = list(self.numbers)
        if self.facts is not None:
            fields["facts"] = dict(self.facts)
        return fields

    @classmethod
    def from_json(cls, fields: Mapping[str, Json]) -> Event:
        """Read an event that `to_json` wrote.

        >>> Event.from_json({"kind": "phase", "text": "bidding"}).text
        'bidding'
        """
        return cls(
            fields["kind"],
            fields.get("seat", -1),
            fields.get("text", ""),
            tuple(fields.get("cards", ())),
            tuple(fields.get("numbers", ())),
            fields.get("facts"),
        )
