"""Two ways to better numbers, both in shares of the way from the least to the most of each parameter.

SPSA moves all parameters at once by how two points beside the present one did against each other (Spall,
"Multivariate stochastic approximation using a simultaneous perturbation gradient approximation", 1992); it
is what Fishtest and OpenBench tune engines by. A race lets many candidates play and leaves out the worse
half, round by round. A method is told nothing but how pairs of points did, so that it can be tried on any
function.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from math import sqrt
from statistics import fmean
from typing import Final

Point = tuple[float, ...]
Compare = Callable[[Point, Point, int, str], list[float]]
"""Plays a number of pairs between two points; returns by pair how far the first was ahead.

The text names the deals."""

NEAR: Final = 0.2
"""The distance from the present point at which SPSA looks first, of the whole range."""
FIRST_STEP: Final = 0.12
"""The way that it goes first where one point was ahead by a standard deviation."""


class Spsa:
    """Simultaneous perturbation, which ends with the mean of the points of its second half.

    :param start: where it begins.
    :param steps: how often it moves.
    :param pairs: played for each step.
    :ivar budget: the pairs that it plays.
    """

    def __init__(self, start: Point, steps: int, pairs: int, seed: str) -> None:
        self.budget = steps * pairs
        self._steps = steps
        self._pairs = pairs
        self._seed = seed
        self._start = start

    def run(self, compare: Compare, reached: Callable[[Point], None] = lambda _: None) -> Point:
        """Move from the start to the end.

        :param reached: told of the point after each step.
        """
        rng = random.Random(self._seed)
        point, later = list(self._start), []
        squares = number = 0.0
        slow = 0.1 * self._steps + 1
        for k in range(self._steps):
            near = NEAR / (k + 1) ** 0.101
            signs = [rng.choice((-1.0, 1.0)) for _ in point]
            plus = tuple(_inside(x + near * sign) for x, sign in zip(point, signs, strict=True))
            minus = tuple(_inside(x - near * sign) for x, sign in zip(point, signs, strict=True))
            leads = compare(plus, minus, self._pairs, f"step {k}")
            squares += sum(lead * lead for lead in leads)
            number += len(leads)
            unit = sqrt(squares / number) or 1.0
            pace = FIRST_STEP * (slow / (slow + k)) ** 0.602 * fmean(leads) / unit
            point = [_inside(x + pace * sign) for x, sign in zip(point, signs, strict=True)]
            if 2 * k >= self._steps - 1:
                later.append(point)
            reached(tuple(point))
        return tuple(fmean(axis) for axis in zip(*later, strict=True))


class Race:
    """Candidates spread over the range and the start itself; each round leaves the better half.

    :param candidates: how many begin, the start included.
    :param pairs: played by each candidate in the first round, against the start; twice as many in each
        further one.
    :ivar budget: the pairs that it plays.
    """

    def __init__(self, start: Point, candidates: int, pairs: int, seed: str) -> None:
        self._pairs = pairs
        self._start = start
        self.budget = 0
        left = candidates - 1
        while left:
            self.budget += left * pairs
            left, pairs = left // 2, 2 * pairs
        rng = random.Random(seed)
        axes = []
        for _ in start:
            places = list(range(candidates - 1))
            rng.shuffle(places)
            axes.append([(place + rng.random()) / max(1, candidates - 1) for place in places])
        self._others: list[Point] = list(zip(*axes, strict=True))

    def run(self, compare: Compare, reached: Callable[[Point], None] = lambda _: None) -> Point:
        """Let them race; returns the winner, or the start where nobody is ahead of it.

        :param reached: told of the best after each round.
        """
        left = self._others
        leads: dict[Point, list[float]] = {one: [] for one in left}
        best, pairs, number = self._start, self._pairs, 0
        while left:
            for one in left:
                leads[one] += compare(one, self._start, pairs, f"round {number}")
            left = sorted(left, key=lambda one: -fmean(leads[one]))
            best = left[0]
            reached(best)
            left = left[: len(left) // 2]
            pairs, number = 2 * pairs, number + 1
        return best if fmean(leads.get(best, [0.0])) > 0 else self._start


def _inside(share: float) -> float:
    return min(1.0, max(0.0, share))
