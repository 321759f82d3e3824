"""Bots that do not think ahead: they go by the words of the legal actions alone."""

from __future__ import annotations

from typing import ClassVar

from stichkampf.bots.house import HouseBot
from stichkampf.match.table import Table

_FRENCH_RANKS = "23456789TJQKA"
_HOLDING_BACK = ("pass", "stop", "quiet", "keep", "none", "alone")


class Random(HouseBot):
    """A bot that chooses among the legal actions with equal chance."""

    name: ClassVar[str] = "random"
    description: ClassVar[str] = "plays any legal action"
    german: ClassVar[str] = "spielt irgendetwas Erlaubtes"

    def choose(self, table: Table) -> str:
        return table.rng.choice(table.legal)


class Timid(HouseBot):
    """A bot that passes, bids low and plays low."""

    name: ClassVar[str] = "timid"
    description: ClassVar[str] = "bids low and plays its lowest card"
    german: ClassVar[str] = "bietet niedrig und spielt seine niedrigste Karte"

    def choose(self, table: Table) -> str:
        return min(table.legal, key=boldness)


class Bold(HouseBot):
    """A bot that never passes, bids high and plays high."""

    name: ClassVar[str] = "bold"
    description: ClassVar[str] = "bids high and plays its highest card"
    german: ClassVar[str] = "bietet hoch und spielt seine höchste Karte"

    def choose(self, table: Table) -> str:
        return max(table.legal, key=boldness)


def boldness(action: str) -> int:
    """The ambition of an action, by its last word: the rank of a card, a number, -1 for holding back.

    >>> [boldness(action) for action in ("play R11", "play ST", "bid 3", "pass")]
    [11, 10, 3, -1]
    """
    what = action.split()[-1]
    if what in _HOLDING_BACK:
        return -1
    if what[-1] in "TJQKA" and len(what) == 2:
        return _FRENCH_RANKS.index(what[-1]) + 2
    digits = what.lstrip("CDHSRYGBOVK-")
    return int(digits) if digits.isdigit() else 0
