"""Train `net.onnx` to play At Sixes and Sevens as a tree search does, and a thousand times as fast.

    python train.py                # some minutes on one core
    python train.py --decisions 2000 --epochs 1 --net small.onnx

The search of the SDK chooses in many deals at once; the network learns how often it visited each action.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from stichkampf.batch import Batch
from stichkampf.batch.nets import save_net
from stichkampf.engine.search import search
from stichkampf.policies import policy_of

Array = Any
GAME, SEATS = "sixes-and-sevens", 4
DEALS = 64
ITERATIONS = 400
"""Of the search, for each decision that is learnt."""
EXPLORING = 0.2
"""Share of decisions that follow the visits by chance, so that the network sees more than the best play."""
HIDDEN = (256, 128)
ROWS = 256
RATE = 1e-3


def gather(decisions: int, seed: int) -> tuple[Array, Array, Array]:
    """Let the search play; return observations and masks in bits, and the shares of visits."""
    batch = Batch(GAME, SEATS, n=DEALS, seed=seed, starts=4096)
    policy, rng = policy_of(GAME), np.random.default_rng(seed)
    number = {word: k for k, word in enumerate(batch.words)}
    kept: list[tuple[Array, Array, Array]] = []
    begun, count = time.monotonic(), 0
    while count < decisions:
        shares = np.zeros((DEALS, len(batch.words)), np.float32)
        actions = np.full(DEALS, -1)
        for k in range(DEALS):
            deal, draw = batch.deal(k), int(rng.integers(1 << 62))
            found = search(
                deal, int(batch.seat[k]), iterations=ITERATIONS, seed=draw, policy=policy, priors=policy
            )
            numbers = [number[deal.word(action)] for action in found.actions]
            odds = np.array(found.visits) / sum(found.visits)
            shares[k, numbers] = odds
            explores = rng.random() < EXPLORING
            actions[k] = rng.choice(numbers, p=odds) if explores else numbers[odds.argmax()]
        hard = batch.mask.sum(axis=1) > 1
        kept.append((batch.observation[hard], batch.mask[hard], shares[hard].astype(np.float16)))
        count += int(hard.sum())
        batch.step(actions)
        if len(kept) % 100 == 0:
            print(f"{count:,} of {decisions:,} decisions, {time.monotonic() - begun:.0f} s", flush=True)
    seen, masks, shares = (np.concatenate(part) for part in zip(*kept, strict=True))
    return seen, masks, shares


class Learner:
    """A network of full layers, and the running means of its slopes by which Adam learns."""

    def __init__(self, sizes: tuple[int, ...], seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.layers = [
            (
                rng.normal(0, (2 / before) ** 0.5, (before, after)).astype(np.float32),
                np.zeros(after, np.float32),
            )
            for before, after in pairwise(sizes)
        ]
        self.means = [[np.zeros_like(part) for part in layer] for layer in self.layers]
        self.squares = [[np.zeros_like(part) for part in layer] for layer in self.layers]
        self.steps = 0

    def think(self, seen: Array, masks: Array) -> tuple[list[Array], Array]:
        """Return what each layer takes, and the chance of each action."""
        taken = [seen]
        for k, (weights, biases) in enumerate(self.layers):
            sums = taken[-1] @ weights + biases
            if k < len(self.layers) - 1:
                taken.append(np.maximum(sums, 0))
        scores = np.where(masks > 0, sums, np.float32(-1e9))
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        return taken, chances / chances.sum(axis=1, keepdims=True)

    def learn(self, seen: Array, masks: Array, shares: Array, rate: float) -> float:
        """Go one step towards the shares; return how far the chances were from them."""
        taken, chances = self.think(seen, masks)
        slope = (chances - shares) / len(seen)
        self.steps += 1
        for k in reversed(range(len(self.layers))):
            weights = self.layers[k][0]
            slopes = taken[k].T @ slope, slope.sum(axis=0)
            slope = (slope @ weights.T) * (taken[k] > 0)
            for part, mean, square, found in zip(
                self.layers[k], self.means[k], self.squares[k], slopes, strict=True
            ):
                mean += 0.1 * (found - mean)
                square += 0.001 * (found**2 - square)
                unbiased = mean / (1 - 0.9**self.steps), square / (1 - 0.999**self.steps)
                part -= rate * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)
        return float(-(shares * np.log(chances + 1e-9)).sum() / len(seen))


def train(seen: Array, masks: Array, shares: Array, scales: Array, epochs: int) -> Learner:
    """Learn from nine tenths of the decisions, and tell after each epoch how the rest is met."""
    order = np.random.default_rng(0).permutation(len(seen))
    kept, learnt = order[: len(order) // 10], order[len(order) // 10 :]
    learner = Learner((seen.shape[1], *HIDDEN, masks.shape[1]), seed=0)
    rng, steps = np.random.default_rng(1), max(1, epochs * (len(learnt) // ROWS))
    for epoch in range(1, epochs + 1):
        rng.shuffle(learnt)
        for first in range(0, len(learnt) - ROWS + 1, ROWS):
            rows = learnt[first : first + ROWS]
            rate = RATE * (1 - learner.steps / steps) + RATE / 100
            learner.learn(seen[rows] * scales, masks[rows], shares[rows].astype(np.float32), rate)
        _, chances = learner.think(seen[kept] * scales, masks[kept])
        same = (chances.argmax(axis=1) == shares[kept].argmax(axis=1)).mean()
        print(f"epoch {epoch}: the search's choice in {same:.1%} of decisions kept aside", flush=True)
    return learner


def main() -> None:
    parser = argparse.ArgumentParser(description="Train net.onnx to play as a tree search does.")
    parser.add_argument("--decisions", type=int, default=150_000)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--net", type=Path, default=Path(__file__).with_name("net.onnx"))
    chosen = parser.parse_args()
    seen, masks, shares = gather(chosen.decisions, seed=1)
    scales = Batch(GAME, SEATS, n=1).layout.scales
    learner = train(seen, masks, shares, scales, chosen.epochs)
    save_net(chosen.net, learner.layers, scales)
    print(f"wrote {chosen.net}, {chosen.net.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
