"""The cost of a decision with all cards open: a search in the one world that was there.

This is a second figure, under a name of its own. It tells what would have been best for somebody who saw all
hands, so it says nothing about how well a seat played by what it knew, and no seat may be shown it.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Final

from stichkampf.analysis.costs import DecisionCost, chance_of
from stichkampf.analysis.estimate import PointsEstimate, Sample, difference, sample_of
from stichkampf.engine.bits import next_random, start_random
from stichkampf.engine.deal import Deal
from stichkampf.engine.game import Game
from stichkampf.engine.policy import Policy
from stichkampf.policies import policy_of

OPEN_ITERATIONS: Final = 300


def open_cost(game: Game, deal: Deal, seat: int, word: str) -> DecisionCost:
    """PointsEstimate the cost of an action in the full deal, as if everybody saw all cards.

    >>> from stichkampf.engine.seeds import Chance
    >>> from stichkampf.games import new_game
    >>> game = new_game("stiche-raten", 3)
    >>> deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> open_cost(game, deal, deal.player(), "bid 0").cost
    PointsEstimate(points=0.0, low=0.0, high=0.0)

    :param deal: with all hands, at which the seat chooses.
    :param word: a legal action, in the words of the record.
    :raises ValueError: the action is not legal now.
    """
    legal = {deal.word(action): action for action in deal.legal_of(seat)}
    if word not in legal:
        raise ValueError(f"{word!r} is not legal now; possible: {', '.join(legal)}")
    known = deal.information_set(seat)
    seed = chance_of(game, known, seat, "open")
    policy = policy_of(game.name)
    best = deal.word(_OpenSearch(deal, seat, list(legal.values()), policy, seed).run().best)
    if best == word:
        return DecisionCost(word, word, PointsEstimate(0.0, 0.0, 0.0), 1)
    measured = [
        _OpenSearch(deal, seat, [legal[each]], policy, chance_of(game, known, seat, f"open {each}"))
        for each in (best, word)
    ]
    return DecisionCost(word, best, difference(*(search.run().sample for search in measured)), 1)


class _OpenNode:
    """A node of the tree: an action of the seat `mover`, and what came of it for that seat."""

    __slots__ = ("children", "mover", "total", "visits")

    def __init__(self, mover: int) -> None:
        self.mover = mover
        self.visits = 0
        self.total = 0.0
        self.children: dict[int, _OpenNode] = {}


class _OpenSearch:
    """A tree search (UCT) in a full deal, in which every seat sees all cards."""

    def __init__(self, deal: Deal, seat: int, first: list[int], policy: Policy | None, seed: int) -> None:
        self._deal = deal
        self._seat = seat
        self._first = first
        self._policy = policy
        self._x = start_random(seed)
        self._root = _OpenNode(seat)
        self._total = self._squares = 0.0

    def run(self) -> _OpenSearch:
        for done in range(OPEN_ITERATIONS):
            self._iterate(done)
        return self

    @property
    def best(self) -> int:
        """The most visited of the first actions, the lowest of equals."""
        children = self._root.children
        return min(children, key=lambda action: (-children[action].visits, action))

    @property
    def sample(self) -> Sample:
        return sample_of(self._total, self._squares, OPEN_ITERATIONS)

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
        self._total += own
        self._squares += own * own
        for node in path:
            node.visits += 1
            if node.mover < len(scores):
                node.total += scores[node.mover] - mean

    def _spread(self, done: int) -> float:
        """The standard deviation of the outcomes so far, the unit of the bonus."""
        return sqrt(max(0.0, self._squares / done - (self._total / done) ** 2)) if done > 1 else 1.0
