"""Tree search in one full deal, all cards open."""

from __future__ import annotations

from math import log, sqrt

from stichkampf.engine.bits import next_random, start_random
from stichkampf.engine.deal import Deal
from stichkampf.engine.policy import Policy


class _OpenNode:
    """A node of the tree: an action of the seat `mover`, and what came of it for that seat."""

    __slots__ = ("children", "mover", "total", "visits")

    def __init__(self, mover: int) -> None:
        self.mover = mover
        self.visits = 0
        self.total = 0.0
        self.children: dict[int, _OpenNode] = {}


class OpenSearch:
    """A tree search (UCT) in a full deal, in which every seat sees all cards.

    :param seat: chooses at the root, among the actions `first`.
    :param policy: to play on by; None: at random.
    :ivar total: the sum of what came of it, for that seat above the mean of the table.
    :ivar squares: the sum of the squares of these.

    >>> from stichkampf.engine.seeds import Chance
    >>> from stichkampf.games import new_game
    >>> game = new_game("stiche-raten", 3)
    >>> deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> search = OpenSearch(deal, deal.player(), deal.legal_actions(), None, 1)
    >>> search.run(50)
    >>> sum(search.visits)
    50
    """

    def __init__(self, deal: Deal, seat: int, first: list[int], policy: Policy | None, seed: int) -> None:
        self._deal = deal
        self._seat = seat
        self._first = first
        self._policy = policy
        self._x = start_random(seed)
        self._root = _OpenNode(seat)
        self.total = self.squares = 0.0

    def run(self, iterations: int) -> None:
        """Run this number of iterations, once."""
        for done in range(iterations):
            self._iterate(done)

    @property
    def best(self) -> int:
        """The most visited of the first actions, the lowest of equals."""
        children = self._root.children
        return min(children, key=lambda action: (-children[action].visits, action))

    @property
    def visits(self) -> list[int]:
        """The iterations that began with each of the first actions."""
        children = self._root.children
        return [children[action].visits if action in children else 0 for action in self._first]

    def _iterate(self, done: int) -> None:
        world = self._deal.clone()
        spread = self._spread(done)
        path = [self._root]
        while world.turn >= 0:
            node = path[-1]
            mover = self._seat if node is self._root else int(world.turn)
            legal = self._first if node is self._root else world.legal_actions()
            action, is_new = self._choose(node, legal, spread)
            child = node.children.setdefault(action, _OpenNode(mover))
            world.apply_by(mover, action)
            path.append(child)
            if is_new:
                break
        self._count(path, self._played_on(world))

    def _choose(self, node: _OpenNode, legal: list[int], spread: float) -> tuple[int, bool]:
        """Return an action, untried ones at random first, then by UCB; and whether it is new."""
        untried = [action for action in legal if action not in node.children]
        if untried:
            self._x = next_random(self._x)
            return untried[int(self._x) % len(untried)], True
        bonus = spread * sqrt(log(max(2, node.visits)))
        bounds = {
            action: child.total / child.visits + bonus / sqrt(child.visits)
            for action, child in ((action, node.children[action]) for action in legal)
        }
        return max(bounds, key=bounds.__getitem__), False

    def _played_on(self, world: Deal) -> list[int]:
        policy = self._policy
        self._x = world.playout(self._x) if policy is None else policy.playout(world, self._x)
        return world.scores()

    def _count(self, path: list[_OpenNode], scores: list[int]) -> None:
        mean = sum(scores) / len(scores)
        own = scores[self._seat] - mean
        self.total += own
        self.squares += own * own
        for node in path:
            node.visits += 1
            if node.mover < len(scores):
                node.total += scores[node.mover] - mean

    def _spread(self, done: int) -> float:
        """The standard deviation of the outcomes so far, the unit of the bonus."""
        return sqrt(max(0.0, self.squares / done - (self.total / done) ** 2)) if done > 1 else 1.0
