"""Two searches known from papers, as baselines: `pimc` and `ismcts`.

Both run a number of iterations and read no clock, so they repeat from a seed, compiled or not. They use no
policy of a game.
"""

from __future__ import annotations

from math import log, sqrt
from typing import ClassVar, Final

from stichkampf.bots.bot import Note
from stichkampf.bots.house import HouseBot
from stichkampf.bots.open_search import OpenSearch
from stichkampf.engine.deal import Deal
from stichkampf.match.table import Table

TIE: Final = 1e-5
_ROLLOUTS: Final = 16  # from which the unit of the bonus is taken


class Pimc(HouseBot):
    """Perfect-information Monte Carlo (Levy, 1989; Ginsberg, "GIB", 2001): worlds that agree with what the
    seat knows, each searched with all cards open, here by UCT, and their visits added up.

    :cvar worlds: the number of worlds.
    :cvar iterations: of the search in each.
    """

    name: ClassVar[str] = "pimc"
    repeats: ClassVar[bool] = False  # `math.log` may differ in its last digit from machine to machine
    description: ClassVar[str] = "searches imagined worlds one by one, as if all cards lay open in them"
    german: ClassVar[str] = (
        "durchsucht vorgestellte Welten eine nach der anderen, als lägen darin alle Karten offen"
    )
    worlds: ClassVar[int] = 10
    iterations: ClassVar[int] = 50

    def choose(self, table: Table) -> str | tuple[str, Note]:
        if len(table.legal) == 1:
            return table.legal[0]
        deal, seat = table.deal, table.seat
        actions = deal.legal_of(seat)
        visits = [0] * len(actions)
        for _ in range(self.worlds):
            world = deal.determinise(seat, table.rng.getrandbits(62))
            search = OpenSearch(world, seat, actions, None, table.rng.getrandbits(62))
            search.run(max(self.iterations, 2 * len(actions)))
            visits = [before + more for before, more in zip(visits, search.visits, strict=True)]
        best = actions[visits.index(max(visits))]
        weights = {deal.word(action): float(n) for action, n in zip(actions, visits, strict=True)}
        return deal.word(best), Note(f"{self.worlds} worlds", weights)


class _Tried:
    """The outcomes of an action at a node: visits, and the sum of what its seat scored."""

    __slots__ = ("returns", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.returns = 0.0


class _InformationNode:
    """A node of the tree: all moments that one seat cannot tell apart.

    :ivar visits: -1 before the first.
    """

    __slots__ = ("tried", "visits")

    def __init__(self) -> None:
        self.visits = -1
        self.tried: dict[int, _Tried] = {}


class Ismcts(HouseBot):
    """ISMCTS as in OpenSpiel's `ISMCTSBot` with its usual settings, rebuilt on these rules: a node for each
    information set of the seat to act, one action added at a visit, UCT by the seat's own score, a random
    playout from each new node, and in the end the most visited action, of equals one at random.

    Two things differ. What a seat knows makes the node, not the order in which it came to know it. And the
    weight of the bonus, a setting there, is twice the standard deviation of random playouts here, for the
    games score in ones or in hundreds.

    :cvar iterations: simulations of a decision.
    """

    name: ClassVar[str] = "ismcts"
    repeats: ClassVar[bool] = False  # as `pimc`
    description: ClassVar[str] = "searches a tree of what each seat knows, as OpenSpiel's ISMCTS does"
    german: ClassVar[str] = "durchsucht einen Baum dessen, was jeder Platz weiß, wie OpenSpiels ISMCTS"
    iterations: ClassVar[int] = 500

    def choose(self, table: Table) -> str | tuple[str, Note]:
        if len(table.legal) == 1:
            return table.legal[0]
        search = _InformationSearch(table)
        for _ in range(self.iterations):
            search.simulate()
        tried = search.root.tried
        most = max(one.visits for one in tried.values())
        best = table.rng.choice([action for action, one in tried.items() if one.visits == most])
        weights = {table.deal.word(action): float(one.visits) for action, one in tried.items()}
        return table.deal.word(best), Note(f"{self.iterations} iterations", weights)


class _InformationSearch:
    """One search of `ismcts`."""

    def __init__(self, table: Table) -> None:
        self._known, self._seat, self._seats = table.deal, table.seat, table.seats
        self._random = table.rng
        self._nodes: dict[tuple[int, ...], _InformationNode] = {}
        self.root = _InformationNode()
        self.root.visits = 0  # its own playout would tell nothing of its actions
        self._bonus = 2 * self._spread()

    def simulate(self) -> None:
        """Draw a world, walk down the tree, add a node or an action, play on, count."""
        world = self._world()
        path: list[tuple[_Tried, int]] = []
        mover, node = self._seat, self.root
        while node.visits >= 0:
            action = self._choose(node, world.legal_of(mover))
            tried = node.tried.setdefault(action, _Tried())
            node.visits += 1
            tried.visits += 1
            path.append((tried, mover))
            world.apply_by(mover, action)
            self._play_for_the_rules(world)
            if world.turn < 0:
                break
            mover = int(world.turn)
            key = (mover, *world.information_set(mover).key())
            node = self._nodes.setdefault(key, _InformationNode())
        else:
            node.visits = 0
        scores = world.scores() if world.turn < 0 else world.rollout(self._random.getrandbits(62))
        for tried, mover in path:
            tried.returns += scores[mover]

    def _choose(self, node: _InformationNode, legal: list[int]) -> int:
        new = [action for action in legal if action not in node.tried]
        if new:
            return self._random.choice(new)
        of_all = log(node.visits)
        bounds = {
            action: one.returns / one.visits + self._bonus * sqrt(of_all / one.visits)
            for action, one in ((action, node.tried[action]) for action in legal)
        }
        least = max(bounds.values()) - TIE
        return self._random.choice([action for action, bound in bounds.items() if bound > least])

    def _world(self) -> Deal:
        return self._known.determinise(self._seat, self._random.getrandbits(62))

    def _play_for_the_rules(self, world: Deal) -> None:
        while world.turn >= self._seats:
            world.apply(world.legal_actions()[0])

    def _spread(self) -> float:
        """Return the standard deviation of what the seat scores in random playouts."""
        found = [self._world().rollout(self._random.getrandbits(62))[self._seat] for _ in range(_ROLLOUTS)]
        mean = sum(found) / len(found)
        return sqrt(sum((one - mean) ** 2 for one in found) / len(found)) or 1.0
