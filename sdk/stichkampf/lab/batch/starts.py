"""The deals that a batch begins with: each deal of matches among random players, at its first decision."""

from __future__ import annotations

from stichkampf.engine.bits import next_random, start_random
from stichkampf.engine.deal import Deal
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import match_seed
from stichkampf.lab.adapters.running_match import RunningMatch


class _Recorded(RunningMatch):
    """A running match that keeps each of its deals as it was at the start."""

    def __init__(self, rules: Game, seed: bytes) -> None:
        self.starts: list[Deal] = []
        super().__init__(rules, seed)

    def _dealt(self) -> None:
        self.starts.append(self.deal.clone())


def seed_of(seed: int, number: int) -> bytes:
    """Return the 32 bytes from which the cards of one of a batch's matches follow.

    >>> seed_of(7, 0).hex()[:8]
    '3b922be6'
    """
    return match_seed(f"batch {seed} match {number}")


def start_deals(rules: Game, seed: int, count: int) -> list[Deal]:
    """Deal the first deals of a batch, `count` of them."""
    found: list[Deal] = []
    number = 0
    while len(found) < count:
        match = _Recorded(rules, seed_of(seed, number))
        x = start_random(number)
        while not match.over and len(found) + len(match.starts) <= count:
            x = next_random(x)
            match.apply(match.deal.pick(x))
        found += match.starts
        number += 1
    return found[:count]
