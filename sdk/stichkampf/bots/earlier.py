"""Earlier versions of house bots: blocks that were begun with them end with them, and repeat to the letter.

The moves of a version never change once it has played on a platform. To change a bot, raise its `version` and
keep here how it played before.
"""

from __future__ import annotations

from typing import ClassVar, Final

from stichkampf.bots.house import HouseBot
from stichkampf.bots.samplers import Flat, Gambler, Glimpse, Rival, Worrier
from stichkampf.bots.search import SearchBot
from stichkampf.bots.thumb import Thumb
from stichkampf.bots.thumbs.first import FIRST_RULES_OF_THUMB


class FirstThumb(Thumb):
    """`thumb` before it bid and drafted as a person would."""

    version: ClassVar[int] = 1
    rules = FIRST_RULES_OF_THUMB


_LOOKING_AHEAD: Final[tuple[type[HouseBot], ...]] = (Glimpse, Worrier, Gambler, Rival, Flat, SearchBot)


def _unguided(bot: type[HouseBot]) -> type[HouseBot]:
    """A bot that looks ahead as it did before there were policies: all at random."""
    return type(f"First{bot.__name__}", (bot,), {"version": 1, "guided": False})


_BOTS: Final[list[type[HouseBot]]] = [FirstThumb, *map(_unguided, _LOOKING_AHEAD)]

EARLIER: Final = {(bot.name, bot.version): bot for bot in _BOTS}
"""By name and version."""
