"""What every house bot has: a name, a version, and a sentence about it."""

from __future__ import annotations

from typing import ClassVar

from stichkampf.bots.bot import Bot


class HouseBot(Bot):
    """A bot of the house. It plays every game, and repeats from a seed: its chance is `table.rng` only.

    :cvar version: goes up with every change that can change a move.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    description: ClassVar[str]
