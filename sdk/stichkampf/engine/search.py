"""Information-set Monte-Carlo tree search for any game: the best action of a seat by its own knowledge.

Every iteration draws a world that agrees with the seat's knowledge, walks down one tree of the actions of all
seats, adds a node, plays on at random, and counts for every seat on the way its score above the mean of the
table; so partners, who score alike, pull together. A seat chooses by UCB among the legal actions of this
world, and an action's bonus counts only the visits in which it was available (single-observer ISMCTS:
Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", 2012). Hidden choices of
others at the same time are drawn at random and make no branch: the seat could not tell them apart.

A caller may replace chance by judgement (`policy`): playouts by a policy, or a guess of the scores in their
place, and priors, by which every seat in the tree tries likely actions first (PUCT: Rosin, "Multi-armed
bandits with episode context", 2011). Without them the search is as described above.

Whole numbers throughout, so that the same seed gives the same search, compiled or not.
"""

from __future__ import annotations

import warnings
from math import isqrt, log, sqrt
from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from stichkampf.engine.bits import next_random, spread, start_random
from stichkampf.engine.deal import Deal
from stichkampf.engine.policy import Policy, Valuation, total_of
from stichkampf.errors import InterpretedRules

EXPLORATION: Final = 1.0
PRIOR_EXPLORATION: Final = 2
"""Weight of the bonus by priors, in units of the other."""
INTERPRETED: Final = __file__.endswith(".py")
HOW_TO_COMPILE: Final = (
    "the rules are interpreted here, so a search is 20 to 50 times slower than on the server. Install"
    " stichkampf again where a C compiler and Python's headers are (pip install --force-reinstall --no-deps),"
    " or a wheel that was built for this Python; in a checkout, run make engine"
)

# By k: sqrt(k) and sqrt(ln k) in 2**-10, 1 / sqrt(k) in 2**-20. The last two change little beyond the end.
_END: Final = 4096
_ROOT: Final = vec[i64]([round(1024 * sqrt(max(k, 1))) for k in range(_END)])
_ROOT_LOG: Final = vec[i64]([round(1024 * sqrt(log(max(k, 1)))) for k in range(_END)])
_ONE_BY_ROOT: Final = vec[i64]([round(1048576 / sqrt(max(k, 1))) for k in range(_END)])


class SearchResult:
    """The finds of a search.

    >>> SearchResult(actions=[3, 5], visits=[10, 30], values=[0.5, 1.0]).action
    5

    :ivar action: the best one: most visited, the first of equals.
    :ivar actions: the legal actions, ascending.
    :ivar visits: iterations that began with each.
    :ivar values: the mean of the seat's score above the table's mean, for each; 0 without a visit.
    """

    def __init__(self, actions: list[int], visits: list[int], values: list[float]) -> None:
        self.action: int = actions[visits.index(max(visits))]
        self.actions = actions
        self.visits = visits
        self.values = values


def search(
    deal: Deal,
    seat: int,
    *,
    iterations: int,
    seed: int,
    exploration: float = EXPLORATION,
    policy: Policy | None = None,
    priors: Policy | None = None,
    value: Valuation | None = None,
) -> SearchResult:
    """Search from a deal, full or blind, at which it is for `seat` to choose; the deal stays as it is.

    >>> from stichkampf.engine.seeds import Chance
    >>> from stichkampf.games import new_game
    >>> game = new_game("stiche-raten", 3)
    >>> deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> found = search(deal, deal.player(), iterations=100, seed=1)
    >>> [deal.word(action) for action in found.actions], sum(found.visits)
    (['bid 0', 'bid 1'], 100)

    The arguments are those of `Search`.

    :param iterations: at least 1.
    """
    tree = Search(
        deal,
        seat,
        most_iterations=iterations,
        seed=seed,
        exploration=exploration,
        policy=policy,
        priors=priors,
        value=value,
    )
    tree.run(iterations)
    return tree.result()


class Search:
    """A search that can be carried on: `run` some iterations, look at the clock, `run` more.

    >>> from stichkampf.engine.seeds import Chance
    >>> from stichkampf.games import new_game
    >>> game = new_game("stiche-raten", 3)
    >>> deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> tree = Search(deal, deal.player(), most_iterations=1000, seed=1)
    >>> tree.run(50)
    >>> sum(tree.result().visits)
    50

    :param most_iterations: the greatest number of iterations, in all.
    :param exploration: weight of the bonus for actions tried seldom, in standard deviations of the outcomes.
    :param policy: plays on from a new node; None: every legal action is equally likely.
    :param priors: weighs the actions of every seat in the tree; None, or where it has no opinion: none is
        favoured.
    :param value: guesses the scores at a new node, so that nothing is played on there; None: no guess.
    :raises ValueError: when it is not for this seat to choose, or for less than one iteration.
    """

    def __init__(
        self,
        deal: Deal,
        seat: int,
        *,
        most_iterations: int,
        seed: int,
        exploration: float = EXPLORATION,
        policy: Policy | None = None,
        priors: Policy | None = None,
        value: Valuation | None = None,
    ) -> None:
        if seat not in deal.to_act():
            raise ValueError(f"seat {seat} is not to choose now; awaited: {deal.to_act()}")
        if most_iterations < 1:
            raise ValueError(f"a search needs 1 iteration or more, not {most_iterations}")
        if INTERPRETED:
            warnings.warn(HOW_TO_COMPILE, InterpretedRules, stacklevel=2)
        self.known: Deal = deal.information_set(seat)
        self.seat: i64 = seat
        self.seats: i64 = 1  # that score; known from the first scores on
        self.iterations: i64 = 0
        self.x: i64 = start_random(seed)
        self.exploration: i64 = round(exploration * 1024)
        self.policy: Policy | None = judging(policy, self.known)
        self.priors: Policy | None = judging(priors, self.known)
        self.value: Valuation | None = value
        self.unit: i64 = 0  # of the bonus, in 2**-10 points
        self.sum: i64 = 0
        self.sum_of_squares: i64 = 0
        self.legal: list[int] = deal.legal_of(seat)
        # Node 0 is the root; every other is an action of the seat `mover` at its parent.
        size: i64 = most_iterations + 1
        self.nodes: i64 = 1
        self.action: vec[i64] = vec[i64]([0] * size)
        self.mover: vec[i64] = vec[i64]([0] * size)
        self.parent: vec[i64] = vec[i64]([0] * size)
        self.child: vec[i64] = vec[i64]([0] * size)  # the youngest
        self.elder: vec[i64] = vec[i64]([0] * size)  # the next older child of the same parent
        self.visits: vec[i64] = vec[i64]([0] * size)
        self.available: vec[i64] = vec[i64]([0] * size)
        self.total: vec[i64] = vec[i64]([0] * size)
        self.node_of: vec[i64] = vec[i64]([0] * 128)  # scratch: by action, a node
        self.actions: vec[i64] = vec[i64](
            [0] * max(128, len(self.legal))
        )  # scratch: the legal actions at a node
        self.untried: vec[i64] = vec[i64]([0] * len(self.actions))  # scratch: those without a node
        self.points: vec[i64] = vec[i64]([0] * deal.seats)  # scratch: the outcome of an iteration

    def run(self, iterations: int) -> None:
        """Run this number of iterations, fewer when `most_iterations` is reached."""
        last: i64 = min(self.iterations + iterations, i64(len(self.action)) - 1)
        while self.iterations < last:
            self.iterate()
            self.iterations += 1
            if self.iterations & (self.iterations - 1) == 0:
                self.measure()

    def result(self) -> SearchResult:
        """Return how often each legal action was tried so far, and what it came to."""
        visits: list[int] = []
        values: list[float] = []
        for action in self.legal:
            node: i64 = self.child[0]
            while node and self.action[node] != action:
                node = self.elder[node]
            visits.append(self.visits[node] if node else 0)
            values.append(int(self.total[node]) / int(self.seats * self.visits[node]) if node else 0.0)
        return SearchResult(self.legal, visits, values)

    def iterate(self) -> None:
        """Play one sampled world through the tree, which grows by a node, to its end; count its scores."""
        self.x = next_random(self.x)
        world: Deal = self.known.clone()
        world.sample_hidden(spread(self.x))
        node: i64 = 0
        before: i64 = self.nodes
        while world.turn >= 0 and self.nodes == before:
            if node == 0:
                node = self.choose(0, self.seat, self.legal_at_root(), world)
                world.apply_by(self.seat, self.action[node])
            elif self.is_hidden(world):
                self.x = next_random(self.x)
                world.apply(self.pick(world))
            else:
                node = self.choose(node, world.turn, self.legal_in(world), world)
                world.apply(self.action[node])
        self.count(node, self.outcome(world))

    def legal_at_root(self) -> i64:
        """Write the legal actions of the searching seat into `actions`; returns their number."""
        for k in range(len(self.legal)):
            self.actions[k] = self.legal[k]
        return len(self.legal)

    def legal_in(self, world: Deal) -> i64:
        """Write the legal actions of a world into `actions`; returns their number."""
        number: i64 = world.write_legal(self.actions)
        if number > len(self.actions):
            self.actions = vec[i64]([0] * number)
            self.untried = vec[i64]([0] * number)
            world.write_legal(self.actions)
        return number

    def pick(self, world: Deal) -> i64:
        """Choose the action of a hidden choice, by the policy where there is one, else as rollouts do."""
        policy = self.policy
        return world.pick(self.x) if policy is None else policy.pick(world, self.x)

    def outcome(self, world: Deal) -> i64:
        """Write the scores that a world comes to, or is guessed to, into `points`; returns their number."""
        value = self.value
        policy = self.policy
        if value is not None and world.turn >= 0:
            guess = value.scores(world)
            for s in range(len(guess)):
                self.points[s] = guess[s]
            return len(guess)
        self.x = world.playout(self.x) if policy is None else policy.playout(world, self.x)
        return world.write_scores(self.points)

    def is_hidden(self, world: Deal) -> bool:
        """Tell whether another seat makes a choice that the searching seat does not see."""
        return world.awaited != 0 and world.turn != self.seat

    def choose(self, node: i64, mover: i64, number: i64, world: Deal) -> i64:
        """Return the child to go to by one of that number of legal `actions`. Without an opinion of the
        priors a new one at random while some legal action has none, else the best by UCB.
        """
        legal: vec[i64] = self.actions
        highest: i64 = legal[number - 1]
        if highest >= len(self.node_of):
            self.node_of = vec[i64]([0] * (2 * highest))
        # As locals, because each use of an attribute counts its references.
        node_of: vec[i64] = self.node_of
        parent: vec[i64] = self.parent
        available: vec[i64] = self.available
        untried: vec[i64] = self.untried
        child: i64 = self.child[node]
        while child:
            node_of[self.action[child]] = child
            child = self.elder[child]
        priors = self.priors
        if priors is not None and number > 1 and priors.judges_now(world):
            listed: list[int] = [legal[k] for k in range(number)]
            weights = priors.weights(world, mover, listed)
            if len(weights):
                return self.choose_by_priors(node, mover, listed, weights)
        best: i64 = 0
        best_bound: i64 = 0
        new: i64 = 0
        for k in range(number):
            action: i64 = legal[k]
            known: i64 = node_of[action]
            if known == 0 or parent[known] != node:
                untried[new] = action
                new += 1
                continue
            available[known] += 1
            if new == 0:
                bound: i64 = self.bound(known)
                if best == 0 or bound > best_bound:
                    best = known
                    best_bound = bound
        if new == 0:
            return best
        self.x = next_random(self.x)
        return self.add(node, mover, untried[self.x % new])

    def choose_by_priors(self, node: i64, mover: i64, legal: list[int], weights: list[int]) -> i64:
        """Return the child to go to by PUCT, of equals the likeliest; an action not yet tried counts as good
        as the mean of the others.
        """
        all_weights: i64 = total_of(weights, legal)
        visits: i64 = 0
        total: i64 = 0
        for action in legal:
            known: i64 = self.known_child(node, action)
            if known:
                self.available[known] += 1
                visits += self.visits[known]
                total += self.total[known]
        mean: i64 = (total << 10) // visits if visits else 0
        spread: i64 = (root(visits) * self.unit >> 10) * PRIOR_EXPLORATION
        best: i64 = -1
        best_bound: i64 = 0
        for k in range(len(legal)):
            known = self.known_child(node, legal[k])
            tried: i64 = self.visits[known] if known else 0
            bonus: i64 = spread * weights[k] // (all_weights * (1 + tried))
            bound: i64 = ((self.total[known] << 10) // tried if tried else mean) + bonus
            if best < 0 or bound > best_bound or (bound == best_bound and weights[k] > weights[best]):
                best = k
                best_bound = bound
        known = self.known_child(node, legal[best])
        return known if known else self.add(node, mover, legal[best])

    def known_child(self, node: i64, action: i64) -> i64:
        """Return the child of a node for an action, 0 for none. Entries of `node_of` may be children of other
        nodes.
        """
        known: i64 = self.node_of[action]
        if self.parent[known] == node:
            return known
        return 0

    def bound(self, node: i64) -> i64:
        """Return the upper confidence bound, in 2**-10 points times seats: the mean, and a bonus if tried
        seldom.
        """
        visits: i64 = self.visits[node]
        spread: i64 = _ROOT_LOG[min(self.available[node], _END - 1)]
        rarity: i64 = _ONE_BY_ROOT[min(visits, _END - 1)]
        return (self.total[node] << 10) // visits + ((self.unit * spread >> 10) * rarity >> 20)

    def add(self, parent: i64, mover: i64, action: i64) -> i64:
        """Add a node for an action of the seat `mover` below another node; returns its number."""
        node: i64 = self.nodes
        self.nodes += 1
        self.action[node] = action
        self.mover[node] = mover
        self.parent[node] = parent
        self.elder[node] = self.child[parent]
        self.child[parent] = node
        self.available[node] = 1
        return node

    def count(self, node: i64, seats: i64) -> None:
        """Credit every seat that chose on the way from the root to this node with the scores in `points`."""
        scores: vec[i64] = self.points
        self.seats = seats
        all_scores: i64 = 0
        for s in range(seats):
            all_scores += scores[s]
        own: i64 = seats * scores[self.seat] - all_scores
        self.sum += own
        self.sum_of_squares += own * own
        while node:
            mover: i64 = self.mover[node]
            self.visits[node] += 1
            if mover < seats:
                self.total[node] += seats * scores[mover] - all_scores
            node = self.parent[node]

    def measure(self) -> None:
        """Take the standard deviation of the outcomes so far as the unit of the bonus."""
        n: int = self.iterations
        spread: int = int(self.sum_of_squares) * n - int(self.sum) ** 2
        self.unit = int(self.exploration) * isqrt(spread << 20) // (n << 10)


def judging(policy: Policy | None, deal: Deal) -> Policy | None:
    """Return a policy that may have an opinion from here on, or None."""
    return policy if policy is not None and policy.judges(deal) else None


def root(k: i64) -> i64:
    """Return about sqrt(k) in 2**-10, at least that of 1, for k below 2**24."""
    return _ROOT[k] if k < _END else 64 * _ROOT[k >> 12]
