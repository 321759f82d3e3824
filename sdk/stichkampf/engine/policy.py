"""Policies and valuations: cheap judgements that a search may use in place of chance.

A `Policy` says how likely a sensible player takes each legal action. `Search` plays on by one instead of at
random, and lets one guide it to the actions that deserve the first looks (priors). A `Valuation` guesses the
scores of an unfinished deal, in place of a playout. Both are given by the caller; the rules know of neither.
The compiled classes take subclasses in plain Python. Whole numbers throughout, as in the search.
"""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from stichkampf.engine.bits import below, next_random, start_random
from stichkampf.engine.deal import Deal


@mypyc_attr(allow_interpreted_subclasses=True)
class Policy:
    """A way to choose among legal actions. This one has no opinion: all actions are equally likely.

    A subclass gives `weights`, and a faster `pick` or `playout` where that pays. It keeps no state between
    calls, so that one object serves any number of deals. A world shows it all hands; it should go by what
    the seat knows, or the search will take others for clairvoyant.

    >>> from stichkampf.engine.search import search
    >>> from stichkampf.engine.seeds import Chance
    >>> from stichkampf.games import new_game
    >>> class Modest(Policy):
    ...     def weights(self, deal, seat, actions):
    ...         return [9 if deal.word(action) == "bid 0" else 1 for action in actions]
    >>> game = new_game("stiche-raten", 3)
    >>> deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> found = search(deal, deal.player(), iterations=100, seed=1, policy=Modest(), priors=Modest())
    >>> sum(found.visits)
    100
    """

    def weights(self, deal: Deal, seat: i64, actions: list[int]) -> list[int]:
        """Weigh the legal actions of a seat: how likely each is, in any unit.

        :returns: one whole number from 0 to 1,000,000 for each action, not all 0; or an empty list: no
            opinion, all alike.
        """
        return []

    def judges(self, deal: Deal) -> bool:
        """Tell whether there may be an opinion from here to the end of the deal. A policy that says no where
        it has none saves the search the asking.
        """
        return True

    def judges_now(self, deal: Deal) -> bool:
        """Tell whether there may be an opinion on the decision that is due."""
        return self.judges(deal)

    def pick(self, deal: Deal, x: i64) -> i64:
        """Return the legal action of `deal.player()` that a state of the playout generator falls on, each as
        likely as its weight.
        """
        actions = deal.legal_actions()
        weights = self.weights(deal, deal.turn, actions)
        if len(weights) == 0:
            return deal.pick(x)
        left: i64 = below(total_of(weights, actions), x)
        for k in range(len(weights)):
            left -= weights[k]
            if left < 0:
                return actions[k]
        return actions[len(actions) - 1]

    def playout(self, deal: Deal, x: i64) -> i64:
        """Play a full deal to its end; takes and returns a state of the playout generator."""
        while deal.turn >= 0:
            x = next_random(x)
            deal.apply(self.pick(deal, x))
        return x

    def rollout(self, deal: Deal, seed: int) -> list[int]:
        """Return the scores of one playout from a full deal, which stays as it is."""
        end = deal.clone()
        self.playout(end, start_random(seed))
        return end.scores()


@mypyc_attr(allow_interpreted_subclasses=True)
class Valuation:
    """A guess of how a deal will end.

    >>> from stichkampf.engine.search import search
    >>> from stichkampf.engine.seeds import Chance
    >>> from stichkampf.games import new_game
    >>> class PainAlone(Valuation):
    ...     def scores(self, deal):
    ...         return deal.facts()["points"]
    >>> game = new_game("sticheln", 3)
    >>> deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> found = search(deal, deal.player(), iterations=100, seed=1, value=PainAlone())
    >>> sum(found.visits)
    100
    """

    def scores(self, deal: Deal) -> list[int]:
        """Guess the final points of a full, unfinished deal, listed as `Deal.scores` does."""
        raise NotImplementedError


def total_of(weights: list[int], actions: list[int]) -> i64:
    """Add up the weights of actions.

    :raises ValueError: not one weight an action, or all of them 0, or one out of bounds.
    """
    if len(weights) != len(actions):
        raise ValueError(f"a policy gave {len(weights)} weights for {len(actions)} actions")
    total: i64 = 0
    for k in range(len(weights)):
        weight: i64 = weights[k]
        if weight < 0 or weight > 1000000:
            raise ValueError(f"a policy gave the weight {weight}; it must be from 0 to 1,000,000")
        total += weight
    if total == 0:
        raise ValueError("a policy gave every action the weight 0")
    return total
