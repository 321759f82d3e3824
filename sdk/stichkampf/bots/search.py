"""`search`: looks ahead by information-set Monte-Carlo tree search, in any game, within its clock."""

from __future__ import annotations

from typing import ClassVar

from stichkampf.bots.bot import Note
from stichkampf.bots.house import HouseBot
from stichkampf.engine.game import Game
from stichkampf.match.looking_ahead import ITERATIONS, SHARE_OF_THE_CLOCK, Search
from stichkampf.match.table import Table
from stichkampf.policies.search_guides import SearchGuides, guides_of, policy_alone


class SearchBot(HouseBot):
    """A bot that searches, in games with a policy (`stichkampf.policies`) guided by it.

    :cvar iterations: of a decision, at most.
    """

    version: ClassVar[int] = 5
    repeats: ClassVar[bool] = False  # with a clock it searches as far as that allows
    iterations: ClassVar[int] = ITERATIONS
    name: ClassVar[str] = "search"
    description: ClassVar[str] = (
        "searches the worlds that agree with what it knows, as deep as its clock allows"
    )
    german: ClassVar[str] = (
        "durchsucht die Welten, die zu seinem Wissen passen, so tief, wie seine Uhr es erlaubt"
    )

    def guides(self, game: Game) -> SearchGuides:
        """Return the guides of its searches in a game."""
        return guides_of(game.name, game.seats)

    def choose(self, table: Table) -> str | tuple[str, Note]:
        if len(table.legal) == 1:
            return table.legal[0]
        policy, priors = self.guides(table.game)
        search = Search(table, iterations=self.iterations, policy=policy, priors=priors)
        search.run_for(share=SHARE_OF_THE_CLOCK)
        return search.best, Note(f"{search.iterations} iterations", search.weights)


class Level(SearchBot):
    """A level for people, which looks where the policy of the game sends it."""

    version: ClassVar[int] = 1

    def guides(self, game: Game) -> SearchGuides:
        return policy_alone(game.name)


class Gentle(Level):
    """`search` for a person who learns a game."""

    name: ClassVar[str] = "gentle"
    description: ClassVar[str] = "a level for people: searches a little"
    german: ClassVar[str] = "eine Stufe für Menschen: sucht nur ein wenig"
    iterations: ClassVar[int] = 12


class Even(Level):
    """`search` for a person who knows a game."""

    name: ClassVar[str] = "even"
    description: ClassVar[str] = "a level for people: searches some way"
    german: ClassVar[str] = "eine Stufe für Menschen: sucht ein gutes Stück weit"
    iterations: ClassVar[int] = 60


class Strong(Level):
    """`search` for a person who plays a game well."""

    name: ClassVar[str] = "strong"
    description: ClassVar[str] = "a level for people: searches far"
    german: ClassVar[str] = "eine Stufe für Menschen: sucht weit voraus"
    iterations: ClassVar[int] = 1000
