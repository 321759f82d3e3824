"""Imitation of the tree search: a network learns how often the search visited each action, in many deals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from stichkampf.engine.search import search
from stichkampf.lab.batch.environment import Batch
from stichkampf.policies import policy_of

Array = Any
ROWS: Final = 256
"""Decisions of one step of a learner."""
TOLD: Final = 10_000
"""Decisions after which `gather` tells how far it is."""


class SearchedDecisions(NamedTuple):
    """Decisions of the search.

    :ivar seen: observations, int8, shape (decisions, columns).
    :ivar masks: legal actions, int8, shape (decisions, words).
    :ivar shares: of the visits of the search that began with each action, float16, shape (decisions, words).
    :ivar scales: what observations are multiplied by, `BatchLayout.scales`.
    """

    seen: Array
    masks: Array
    shares: Array
    scales: Array


def gather(
    game: str,
    seats: int,
    decisions: int,
    *,
    iterations: int = 400,
    exploring: float = 0.2,
    deals: int = 64,
    seed: int = 0,
    tell: Callable[[str], None] = print,
) -> SearchedDecisions:
    """Let the search play deals against itself; forced moves are left out.

    >>> found = gather("sixes-and-sevens", 4, 10, iterations=20, deals=4)
    >>> found.seen.shape[1], found.shares.sum(axis=1).round().min()
    (542, np.float16(1.0))

    :param decisions: the least number that is returned.
    :param iterations: iterations of the search for each decision.
    :param exploring: share of decisions that are drawn by the visits; the others take the best action.
    :param deals: number of deals played at a time.
    :param tell: called with a line about how far it is, now and then.
    """
    batch = Batch(game, seats, n=deals, seed=seed, starts=max(deals, 4096))
    policy, rng = policy_of(game), np.random.default_rng(seed)
    number = {word: k for k, word in enumerate(batch.words)}
    kept: list[tuple[Array, Array, Array]] = []
    count = 0
    while count < decisions:
        shares = np.zeros((deals, len(batch.words)), np.float16)
        actions = np.full(deals, -1)
        for k in range(deals):
            deal, draw = batch.deal(k), int(rng.integers(1 << 62))
            found = search(
                deal, int(batch.seat[k]), iterations=iterations, seed=draw, policy=policy, priors=policy
            )
            numbers = [number[deal.word(action)] for action in found.actions]
            odds = np.array(found.visits) / sum(found.visits)
            shares[k, numbers] = odds
            explores = rng.random() < exploring
            actions[k] = rng.choice(numbers, p=odds) if explores else numbers[odds.argmax()]
        is_choice = batch.mask.sum(axis=1) > 1
        kept.append((batch.observation[is_choice], batch.mask[is_choice], shares[is_choice]))
        added = int(is_choice.sum())
        if count // TOLD < (count + added) // TOLD:
            tell(f"{count + added:,} of {decisions:,} decisions")
        count += added
        batch.step(actions)
    seen, masks, all_shares = (np.concatenate(part) for part in zip(*kept, strict=True))
    return SearchedDecisions(seen, masks, all_shares, batch.layout.scales)


class Learner:
    """A network of full layers that learns by Adam.

    >>> learner = Learner((542, 8, 52))
    >>> [weights.shape for weights, _ in learner.layers]
    [(542, 8), (8, 52)]

    :param sizes: the numbers of inputs, of each hidden layer, and of outputs.
    :ivar layers: weights and biases of each layer, as `stichkampf.lab.batch.nets.save_net` takes them.
    """

    def __init__(self, sizes: Sequence[int], seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.layers: list[tuple[Array, Array]] = [
            (
                rng.normal(0, (2 / before) ** 0.5, (before, after)).astype(np.float32),
                np.zeros(after, np.float32),
            )
            for before, after in pairwise(sizes)
        ]
        self._means = [[np.zeros_like(part) for part in layer] for layer in self.layers]
        self._squares = [[np.zeros_like(part) for part in layer] for layer in self.layers]
        self._steps = 0

    def chances(self, seen: Array, masks: Array) -> Array:
        """Return the chance of each action, shape (rows, words).

        :param seen: observations times their scales.
        """
        return self._think(seen, masks)[1]

    def _think(self, seen: Array, masks: Array) -> tuple[list[Array], Array]:
        """Return what each layer takes, and the chances."""
        taken = [seen]
        for weights, biases in self.layers[:-1]:
            taken.append(np.maximum(taken[-1] @ weights + biases, 0))
        weights, biases = self.layers[-1]
        scores = np.where(masks > 0, taken[-1] @ weights + biases, np.float32(-1e9))
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        return taken, chances / chances.sum(axis=1, keepdims=True)

    def learn(self, seen: Array, masks: Array, shares: Array, rate: float) -> None:
        """Go one step towards giving these shares."""
        taken, chances = self._think(seen, masks)
        slope = (chances - shares) / np.float32(len(seen))
        self._steps += 1
        for k in reversed(range(len(self.layers))):
            slopes = taken[k].T @ slope, slope.sum(axis=0)
            slope = (slope @ self.layers[k][0].T) * (taken[k] > 0)
            for part, mean, square, found in zip(
                self.layers[k], self._means[k], self._squares[k], slopes, strict=True
            ):
                mean += 0.1 * (found - mean)
                square += 0.001 * (found * found - square)
                height = mean / np.float32(1 - 0.9**self._steps)
                spread = np.sqrt(square / np.float32(1 - 0.999**self._steps))
                part -= np.float32(rate) * height / (spread + np.float32(1e-8))


def train(
    decisions: SearchedDecisions,
    *,
    hidden: Sequence[int] = (256, 128),
    epochs: int = 8,
    rate: float = 1e-3,
    tell: Callable[[str], None] = print,
) -> Learner:
    """Learn from nine tenths of the decisions; after each epoch tell how the network does in the others.

    :param hidden: the sizes of the hidden layers.
    :param rate: of learning, at the start; it falls to nothing.
    """
    seen, masks, shares, scales = decisions
    rng = np.random.default_rng(0)
    order = rng.permutation(len(seen))
    aside, learnt = np.split(order, [len(order) // 10])
    learner = Learner((seen.shape[1], *hidden, masks.shape[1]))
    steps = max(1, epochs * -(-len(learnt) // ROWS))
    step = 0
    for epoch in range(1, epochs + 1):
        rng.shuffle(learnt)
        for first in range(0, len(learnt), ROWS):
            rows = learnt[first : first + ROWS]
            wanted = shares[rows].astype(np.float32)
            learner.learn(seen[rows] * scales, masks[rows], wanted, rate * (1 - step / steps))
            step += 1
        chosen = learner.chances(seen[aside] * scales, masks[aside]).argmax(axis=1)
        same = (chosen == shares[aside].argmax(axis=1)).mean() if len(aside) else 0.0
        tell(f"epoch {epoch} of {epochs}: the search's choice in {same:.1%} of the decisions kept aside")
    return learner
