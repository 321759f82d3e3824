"""`search`: looks ahead by information-set Monte-Carlo tree search, in any game, within its clock."""

from __future__ import annotations

import time
from typing import ClassVar, Final

from stichkampf.bots.bot import Note
from stichkampf.bots.house import HouseBot
from stichkampf.engine import search
from stichkampf.engine.game import Game
from stichkampf.engine.search import Search
from stichkampf.match.table import Table
from stichkampf.policies.search_guides import SearchGuides, guides_of, policy_alone

COMPILED: Final = not search.INTERPRETED
ITERATIONS: Final = 1000 if COMPILED else 50
"""Iterations of a decision. Without a clock all are run, so a seed repeats on the same kind of engine."""

SHARE_OF_THE_CLOCK: Final = 0.1
_FIRST_LOOK: Final = 8  # iterations before the clock is read for the first time


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
        started = time.monotonic()
        deal = table.deal
        most = self.iterations
        tree = self.new_search(table, most)
        if table.seconds is None:
            tree.run(most)
        else:
            run_until(tree, most, started, started + SHARE_OF_THE_CLOCK * table.seconds)
        found = tree.result()
        weights = {deal.word(action): float(n) for action, n in zip(found.actions, found.visits, strict=True)}
        return deal.word(found.action), Note(f"{tree.iterations} iterations", weights)

    def new_search(self, table: Table, most_iterations: int) -> Search:
        """Begin the search of a decision, of that number of iterations at most."""
        policy, priors = self.guides(table.game)
        seed = table.rng.getrandbits(62)
        return Search(
            table.deal,
            table.seat,
            most_iterations=most_iterations,
            seed=seed,
            policy=policy,
            priors=priors,
        )


def run_until(tree: Search, iterations: int, started: float, end: float) -> None:
    """Run all iterations, or as many as fit before the end; at least a first look.

    Each stretch takes half of what is left, at the pace so far: a machine that slows down is noticed early.
    """
    tree.run(_FIRST_LOOK)
    while tree.iterations < iterations:
        now = time.monotonic()
        pace = int(tree.iterations) / max(now - started, 1e-6)
        stretch = int(pace * (end - now) / 2)
        if stretch < 1:
            return
        tree.run(stretch)


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
