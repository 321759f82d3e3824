"""The base of all house bots: a bot with a name, a version and a description."""

from __future__ import annotations

from typing import ClassVar

from stichkampf.bots.bot import Bot


class HouseBot(Bot):
    """A house bot. It plays every game, and repeats from a seed: all its chance comes from `table.rng`.

    :cvar version: one higher after every change that can change a move.
    :cvar repeats: true if a seed alone decides its moves, on every machine: it reads no clock, and computes
        no logarithms, which systems round in their own ways.
    :cvar german: the description in German.

    >>> from stichkampf.bots.registry import house_bots
    >>> all(issubclass(bot, HouseBot) for bot in house_bots().values())
    True
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    repeats: ClassVar[bool] = True
    description: ClassVar[str]
    german: ClassVar[str]
