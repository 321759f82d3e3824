"""The house bots, by name.

A new one is a class in this folder and an entry in `_BOTS` here. A changed one is a new version; from the
first release on the one before stays beside it, since blocks that were begun with it end with it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from stichkampf.bots.determinised import Ismcts, Pimc
from stichkampf.bots.house import HouseBot
from stichkampf.bots.plain import Bold, Random, Timid
from stichkampf.bots.samplers import Flat, Gambler, Glimpse, Rival, Worrier
from stichkampf.bots.search import Even, Gentle, SearchBot, Strong
from stichkampf.bots.thumb import Thumb
from stichkampf.errors import BotError
from stichkampf.whole_numbers import whole_number

__all__ = [
    "ANCHORS",
    "PANEL",
    "HouseBot",
    "bots_on_request",
    "house_bot",
    "house_bots",
    "is_named",
    "levels_elo",
    "named_bot",
]

_BOTS: dict[str, type[HouseBot]] = {
    bot.name: bot for bot in (Random, Timid, Bold, Thumb, Glimpse, Worrier, Gambler, Rival, Flat, SearchBot)
}

_ON_REQUEST: dict[str, type[HouseBot]] = {bot.name: bot for bot in (Pimc, Ismcts, Gentle, Even, Strong)}

ANCHORS = ("thumb", "glimpse", "worrier")
"""Bots of middling strength; their mean is 1500 Elo."""

PANEL = tuple((name, 2) for name in ANCHORS)
"""The anchors with their versions. Frozen: changing one moves every rating."""


def house_bots() -> dict[str, type[HouseBot]]:
    """All house bots by name, the plain ones first.

    >>> list(house_bots())[:4]
    ['random', 'timid', 'bold', 'thumb']
    """
    return dict(_BOTS)


def bots_on_request() -> dict[str, type[HouseBot]]:
    """All bots that play where they are named, and on no ladder: baselines of research, which think for long,
    and the levels for people, which are `search` with other settings.

    >>> list(bots_on_request())
    ['pimc', 'ismcts', 'gentle', 'even', 'strong']
    """
    return dict(_ON_REQUEST)


@cache
def levels_elo() -> dict[str, dict[str, tuple[int, int]]]:
    """Elo of the levels for people by game, and half the width of its 95% interval.

    As measured among the anchors (docs/strength.md); games from elsewhere are not there.

    >>> sorted(levels_elo()["njet"])
    ['even', 'gentle', 'strong']
    """
    told = json.loads(Path(__file__).with_name("levels.json").read_text("utf-8"))
    return {game: {level: tuple(elo) for level, elo in levels.items()} for game, levels in told.items()}


def house_bot(name: str, version: int | None = None) -> type[HouseBot]:
    """Look up a house bot.

    :param version: None for the current one.
    :raises BotError: no house bot has that name, or that version.

    >>> house_bot("thumb").version
    2
    """
    known = _BOTS | _ON_REQUEST
    if name not in known:
        raise BotError(f"no house bot is called {name!r}; there are {', '.join(known)}")
    current = known[name]
    if version not in (None, current.version):
        raise BotError(f"the house bot {name!r} has no version {version}; there is {current.version}")
    return current


def named_bot(text: str) -> type[HouseBot]:
    """Look up a house bot by its name, alone for the current version or with one.

    :raises BotError: no house bot has that name, or that version.

    >>> named_bot("thumb").version, named_bot("thumb v2").version
    (2, 2)
    """
    name, _, version = text.partition(" v")
    number = whole_number(version)
    return house_bot(text) if number is None else house_bot(name, number)


def is_named(text: str) -> bool:
    """Tell whether a text is the name of a house bot, alone or with a version.

    >>> is_named("thumb v2"), is_named("pimc"), is_named("mine.py")
    (True, True, False)
    """
    name = text.partition(" v")[0]
    return name in _BOTS or name in _ON_REQUEST
