"""The house bots, by name.

A new one is a class in this folder and an entry in `_BOTS`; a changed one is a new version, and the one
before it goes to `earlier`.
"""

from __future__ import annotations

from stichkampf.bots.earlier import EARLIER
from stichkampf.bots.house import HouseBot
from stichkampf.bots.plain import Bold, Random, Timid
from stichkampf.bots.samplers import Flat, Gambler, Glimpse, Rival, Worrier
from stichkampf.bots.search import SearchBot
from stichkampf.bots.thumb import Thumb
from stichkampf.errors import BotError

__all__ = ["ANCHORS", "PANELS", "HouseBot", "house_bot", "house_bots", "named_bot"]

_BOTS: dict[str, type[HouseBot]] = {
    bot.name: bot for bot in (Random, Timid, Bold, Thumb, Glimpse, Worrier, Gambler, Rival, Flat, SearchBot)
}

ANCHORS = ("thumb", "glimpse", "worrier")
"""Bots of middling strength; their mean is 1500 Elo."""

PANELS = tuple(tuple((name, version) for name in ANCHORS) for version in (2, 1))
"""The anchors with their versions, the panel of today first, then those of earlier results. Frozen: changing
a panel moves every rating.
"""


def house_bots() -> dict[str, type[HouseBot]]:
    """All house bots by name, the plain ones first.

    >>> list(house_bots())[:4]
    ['random', 'timid', 'bold', 'thumb']
    """
    return dict(_BOTS)


def house_bot(name: str, version: int | None = None) -> type[HouseBot]:
    """Look up a house bot.

    :param version: None for the current one.
    :raises BotError: no house bot has that name, or that version.

    >>> house_bot("thumb").version
    2
    >>> house_bot("thumb", 1).version
    1
    """
    if name not in _BOTS:
        raise BotError(f"no house bot is called {name!r}; there are {', '.join(_BOTS)}")
    current = _BOTS[name]
    if version is None or version == current.version:
        return current
    if (name, version) not in EARLIER:
        versions = [*(number for known, number in EARLIER if known == name), current.version]
        raise BotError(
            f"the house bot {name!r} has no version {version}; there is {', '.join(map(str, versions))}"
        )
    return EARLIER[name, version]


def named_bot(text: str) -> type[HouseBot]:
    """Look up a house bot by its name, alone for the current version or with one.

    :raises BotError: no house bot has that name, or that version.

    >>> named_bot("thumb").version, named_bot("thumb v1").version
    (2, 1)
    """
    name, _, version = text.partition(" v")
    return house_bot(name, int(version)) if version.isdecimal() else house_bot(text)
