"""The house bots, by name. A new one is a class in this folder and an entry in `_BOTS`."""

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
    """All house bots by name, the plain ones first.

    >>> list(house_bots())[:4]
    ['random', 'timid', 'bold', 'thumb']
    """
    return dict(_BOTS)


def house_bot(name: str) -> type[HouseBot]:
    """Look up a house bot.

    :raises BotError: no house bot has that name.

    >>> house_bot("thumb").version
    1
    """
    if name not in _BOTS:
        raise BotError(f"no house bot is called {name!r}; there are {', '.join(_BOTS)}")
    return _BOTS[name]
