"""The bots of the house, by name. A new one is a class here and one entry in `_BOTS`."""

from __future__ import annotations

from stichkampf.bots.house import HouseBot
from stichkampf.bots.plain import Bold, Random, Timid
from stichkampf.bots.samplers import Flat, Gambler, Glimpse, Rival, Worrier
from stichkampf.bots.search import SearchBot
from stichkampf.bots.thumb import Thumb
from stichkampf.errors import BotError

__all__ = ["ANCHORS", "HouseBot", "house_bot", "house_bots"]

_BOTS: dict[str, type[HouseBot]] = {
    bot.name: bot for bot in (Random, Timid, Bold, Thumb, Glimpse, Worrier, Gambler, Rival, Flat, SearchBot)
}

ANCHORS = ("thumb", "glimpse", "worrier")
"""Bots of middling strength; their mean is 1500 Elo. Frozen: changing one moves every rating."""


def house_bots() -> dict[str, type[HouseBot]]:
    """All of them, by name, the plain ones first."""
    return dict(_BOTS)


def house_bot(name: str) -> type[HouseBot]:
    """
    :raises BotError: naming the house bots there are.
    """
    if name not in _BOTS:
        raise BotError(f"no house bot is called {name!r}; there are {', '.join(_BOTS)}")
    return _BOTS[name]
