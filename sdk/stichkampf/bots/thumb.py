"""`thumb`: plays by rules of thumb, another set for every game. It also takes the place of bots that fail."""

from __future__ import annotations

from typing import ClassVar

from stichkampf.bots.house import HouseBot
from stichkampf.bots.thumbs import RULES_OF_THUMB
from stichkampf.match.table import Table


class Thumb(HouseBot):
    name: ClassVar[str] = "thumb"
    description: ClassVar[str] = "plays by rules of thumb, one small file a game"

    def choose(self, table: Table) -> str:
        if len(table.legal) == 1:
            return table.legal[0]
        return RULES_OF_THUMB[table.game.name](table)
