"""The examples on the pages of the rules: stretches of recorded matches, which the referee can play.

They stand in `games/rules/examples/GAME.json`: records of whole matches, dealt so that something worth
showing happens, and by its name each example with the decisions of a record that it shows. Options that a
record does not name have their defaults, so that a new option of a game changes no example.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from stichkampf import games
from stichkampf.engine.deal import Json
from stichkampf.match.events import Event
from stichkampf.match.narrator import ALL_HANDS
from stichkampf.match.records import steps


@dataclass(frozen=True)
class WorkedExample:
    """Some decisions of a record, from which a page draws the last.

    :ivar first: the number of its first decision in the match, from 1; `last` likewise.
    :ivar draws: "trick", a complete trick alone, or "felt", everything on the table.
    """

    name: str
    record: Mapping[str, Json]
    first: int
    last: int
    draws: str

    @property
    def players(self) -> list[str]:
        """The names of the players, by seat."""
        return [seat["bot"] for seat in self.record["seats"]]

    def events(self) -> list[Event]:
        """Return the events of the decisions, all hands open; the event of a trick follows its last card."""
        told = 0
        match = None
        for number, step in enumerate(steps(self.record), 1):
            match = step.match
            if number == self.first:
                told = len(match.log)
            if number > self.last:
                break
            step.play()
        return [] if match is None else match.events(ALL_HANDS, told)

    def trick(self) -> Event:
        """Return the last complete trick."""
        return [event for event in self.events() if event.kind == "trick"][-1]


@cache
def examples(game: str) -> Mapping[str, WorkedExample]:
    """Return the examples of a game by name; none for a game that comes from another package.

    >>> ulli = examples("sticheln")["zero"]
    >>> ulli.trick().cards, ulli.players[ulli.trick().seat]
    (('R3', 'R2', 'B0', 'R4'), 'Ulli')
    """
    file = files(games).joinpath("rules", "examples", f"{game}.json")
    if not file.is_file():
        return {}
    told: dict[str, Any] = json.loads(file.read_text("utf-8"))
    records = {
        name: record | {"options": games.new_game(game, len(record["seats"]), record["options"]).options}
        for name, record in told["records"].items()
    }
    return {
        name: WorkedExample(name, records[one["record"]], one["from"], one["to"], one["draws"])
        for name, one in told["examples"].items()
    }
