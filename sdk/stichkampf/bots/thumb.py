"""`thumb`: plays by rules of thumb, another set for every game. It also takes the place of bots that fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from stichkampf.bots.house import HouseBot
from stichkampf.bots.thumbs import RULES_OF_THUMB
from stichkampf.match.table import Table


class Thumb(HouseBot):
    """A bot that goes by rules of thumb.

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
        return self.rules[table.game.name](table)
