"""`thumb`: plays by rules of thumb, another set for every game. It also takes the place of bots that fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from stichkampf.bots.house import HouseBot
from stichkampf.bots.plain import boldness
from stichkampf.bots.thumbs import RULES_OF_THUMB
from stichkampf.match.table import Table


class Thumb(HouseBot):
    """A bot that goes by rules of thumb; where a game from elsewhere has none, it plays as `timid` does.

    :cvar rules: by the name of a game.
    """

    name: ClassVar[str] = "thumb"
    version: ClassVar[int] = 2
    description: ClassVar[str] = "plays by rules of thumb, one small file a game"
    german: ClassVar[str] = "spielt nach Faustregeln, für jedes Spiel eine kleine Datei"
    rules: ClassVar[Mapping[str, Callable[[Table], str]]] = RULES_OF_THUMB

    def choose(self, table: Table) -> str:
        if len(table.legal) == 1:
            return table.legal[0]
        rule = self.rules.get(table.game.name)
        return rule(table) if rule else min(table.legal, key=boldness)
