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
from stichkampf.engine.game import Game
from stichkampf.policies.search_guides import SearchGuides, fourth_guides_of, policy_alone, third_guides_of


class FirstThumb(Thumb):
    """`thumb` before it bid and drafted as a person would."""

    version: ClassVar[int] = 1
    rules = FIRST_RULES_OF_THUMB


_SAMPLERS: Final[tuple[type[HouseBot], ...]] = (Glimpse, Worrier, Gambler, Rival, Flat)


def _unguided(bot: type[HouseBot]) -> type[HouseBot]:
    """A bot that looks one action ahead as it did before there were policies: all at random."""
    return type(f"First{bot.__name__}", (bot,), {"version": 1, "guided": False})


class FirstSearch(SearchBot):
    """`search` before there were policies: all at random."""

    version: ClassVar[int] = 1

    def guides(self, game: Game) -> SearchGuides:
        return SearchGuides(None, None)


class SecondSearch(SearchBot):
    """`search` when it looked where the policy of playouts sent it."""

    version: ClassVar[int] = 2

    def guides(self, game: Game) -> SearchGuides:
        return policy_alone(game.name)


class ThirdSearch(SearchBot):
    """`search` when it left the cards of tricks to chance."""

    version: ClassVar[int] = 3

    def guides(self, game: Game) -> SearchGuides:
        return third_guides_of(game.name)


class FourthSearch(SearchBot):
    """`search` when in Mü it expected anything behind one bid beyond any hand."""

    version: ClassVar[int] = 4

    def guides(self, game: Game) -> SearchGuides:
        return fourth_guides_of(game.name, game.seats)


_SEARCHES: Final[tuple[type[HouseBot], ...]] = (FirstSearch, SecondSearch, ThirdSearch, FourthSearch)
_BOTS: Final[list[type[HouseBot]]] = [FirstThumb, *map(_unguided, _SAMPLERS), *_SEARCHES]

EARLIER: Final = {(bot.name, bot.version): bot for bot in _BOTS}
"""By name and version."""
