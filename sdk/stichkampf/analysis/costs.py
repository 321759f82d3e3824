"""The cost of a decision: how much better another action is, by what the seat knew.

One search over worlds that agree with the seat's knowledge names the best action. Two more, over other
worlds, measure it and the chosen action: each begins every iteration with its action and searches on from
there. So the best action is not judged by the luck that made it look best. Where the interval of the cost
still holds 0, both go on to three times the worlds. An outcome is the seat's score of the deal above the mean
of the table, as everywhere in our search.

All chance is drawn from a digest of the seat's information set. Deals that the seat cannot tell apart have
the same cost, bit by bit.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final, NamedTuple

from stichkampf.analysis.estimate import OutcomeSample, PointsEstimate, difference, sample_of
from stichkampf.engine.deal import Deal
from stichkampf.engine.game import Game
from stichkampf.engine.search import Search
from stichkampf.policies import policy_of

ANALYSIS_VERSION: Final = 2
"""Grows with every change that may change a cost."""

SEARCHED_WORLDS: Final = 600
"""Worlds that are drawn to find the best action."""
MEASURED_WORLDS: Final = 400
"""Worlds that are drawn to measure each of two actions, at first."""
MOST_WORLDS: Final = 1200
"""Worlds that are drawn to measure each of two actions where fewer do not tell them apart."""


class DecisionCost(NamedTuple):
    """The cost of a decision.

    >>> DecisionCost("bid 1", "bid 0", PointsEstimate(1.5, 0.4, 2.6), 1400).is_mistake
    True

    :ivar chosen: the action that was taken, in the words of the record.
    :ivar better: the best action by our search; the chosen one itself where it is the best.
    :ivar cost: how many points of the deal more the better one brings, above the mean of the table.
    :ivar worlds: the number of worlds that were drawn; 0 for a forced decision.
    """

    chosen: str
    better: str
    cost: PointsEstimate
    worlds: int

    @property
    def is_mistake(self) -> bool:
        """Tell whether the interval of the cost excludes 0, so that the decision gets a mark."""
        return self.cost.is_certain


def decision_cost(game: Game, deal: Deal, seat: int, word: str) -> DecisionCost:
    """Estimate the cost of an action of a seat that chooses now.

    >>> from stichkampf.engine.seeds import Chance
    >>> from stichkampf.games import new_game
    >>> game = new_game("stiche-raten", 3)
    >>> deal = game.new_deal(1, 0, game.shuffle(Chance(bytes(32), "deal 1"), 1, {}), {})
    >>> judged = decision_cost(game, deal, deal.player(), "bid 0")
    >>> judged.better, judged.is_mistake
    ('bid 2', True)

    :param deal: full or blind; only what the seat knows is looked at.
    :param word: a legal action, in the words of the record.
    :raises ValueError: it is not for this seat to choose, or the action is not legal now.
    """
    known = deal.information_set(seat)
    legal = {known.word(action): action for action in known.legal_of(seat)}
    if word not in legal:
        raise ValueError(f"{word!r} is not legal now; possible: {', '.join(legal)}")
    if len(legal) == 1:
        return DecisionCost(word, word, PointsEstimate(0.0, 0.0, 0.0), 0)
    best = known.word(best_action(game, known, seat))
    if best == word:
        return DecisionCost(word, word, PointsEstimate(0.0, 0.0, 0.0), SEARCHED_WORLDS)
    better, chosen = (ActionOutcomes(game, known, seat, legal[each]) for each in (best, word))
    cost = difference(better.sample(MEASURED_WORLDS), chosen.sample(MEASURED_WORLDS))
    if not cost.is_certain and cost.high > 0:
        cost = difference(better.sample(MOST_WORLDS), chosen.sample(MOST_WORLDS))
    return DecisionCost(word, best, cost, SEARCHED_WORLDS + better.worlds + chosen.worlds)


def best_action(game: Game, known: Deal, seat: int) -> int:
    """Return the action that a search over the worlds of a blind deal visits most."""
    tree = _tree(game, known, seat, SEARCHED_WORLDS, "best")
    tree.run(SEARCHED_WORLDS)
    return tree.result().action


class ActionOutcomes:
    """Outcomes of one action of a blind deal, in worlds of its own, by a search that has no other choice now.

    :ivar worlds: the number of worlds that were drawn.
    """

    def __init__(self, game: Game, known: Deal, seat: int, action: int) -> None:
        self._tree = _tree(game, known, seat, MOST_WORLDS, f"measure {action}")
        self._tree.legal = [action]
        self.worlds = 0

    def sample(self, worlds: int) -> OutcomeSample:
        """Draw worlds until there are as many; return the outcomes in all of them."""
        self._tree.run(worlds - self.worlds)
        self.worlds = worlds
        seats = int(self._tree.seats)
        return sample_of(int(self._tree.sum) / seats, int(self._tree.sum_of_squares) / seats**2, worlds)


def chance_of(game: Game, known: Deal, seat: int, use: str) -> int:
    """Return the seed for one use of chance at a blind deal, which nothing hidden has a part in."""
    about = [ANALYSIS_VERSION, game.name, game.seats, game.options, seat, known.key(), use]
    digest = hashlib.sha256(json.dumps(about).encode()).digest()
    return int.from_bytes(digest[:7], "big")


def _tree(game: Game, known: Deal, seat: int, worlds: int, use: str) -> Search:
    policy = policy_of(game.name)
    seed = chance_of(game, known, seat, use)
    return Search(known, seat, most_iterations=worlds, seed=seed, policy=policy, priors=policy)
