"""The figures of a benchmark, from whole numbers: comparisons won, and points, block by block.

A block compares the bot with each bot of the pool on every hand: who scored more with the same cards. Its
share of these is one number a block, and blocks are independent, so the interval is that of a mean. The same
whole numbers give the same figures on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log10, sqrt
from typing import Final, NamedTuple

Z: Final = 1.959964
"""Standard deviations of half a 95% interval."""
_ELO: Final = 400


class MeanWithInterval(NamedTuple):
    """A figure and half of its 95% interval; None for that where a single block leaves it open."""

    value: float
    plus_minus: float | None


@dataclass(frozen=True)
class GameFigures:
    """The results of one game.

    :ivar most: what a block brings where every comparison is won, a win counting 2 and a draw 1.
    :ivar blocks_by_wins: how many blocks brought how much.
    :ivar points: over all blocks, the sum of points above the bots of the pool with the same cards.
    :ivar squares: the sum of the squares of these, block by block.
    :ivar faults: of the bot.

    >>> even = GameFigures.of("mue", most=24, blocks=[(12, 0, 0)] * 50 + [(14, 3, 0), (10, -3, 0)] * 25)
    >>> even.elo
    MeanWithInterval(value=0.0, plus_minus=8.1)
    """

    game: str
    most: int
    blocks_by_wins: Mapping[int, int]
    points: int
    squares: int
    faults: int

    @classmethod
    def of(cls, game: str, *, most: int, blocks: Iterable[Sequence[int]]) -> GameFigures:
        """Sum up blocks.

        :param blocks: for each what it brought, its points, and the faults of the bot.
        """
        by_wins: Counter[int] = Counter()
        points = squares = faults = 0
        for wins, gained, failed in blocks:
            by_wins[wins] += 1
            points += gained
            squares += gained * gained
            faults += failed
        return cls(game, most, dict(sorted(by_wins.items())), points, squares, faults)

    @property
    def blocks(self) -> int:
        return sum(self.blocks_by_wins.values())

    @property
    def share(self) -> MeanWithInterval:
        """Percentage of comparisons that were won; a drawn block is added."""
        return _rounded(100 * self._share_won, self._half_of_wins(self.most / 100))

    @property
    def elo(self) -> MeanWithInterval:
        """Elo above the pool."""
        share, half = self._share_won, self._half_of_wins(self.most)
        slope = _ELO / (log(10) * share * (1 - share))
        return _rounded(_ELO * log10(share / (1 - share)), None if half is None else half * slope)

    @property
    def _wins(self) -> int:
        return sum(wins * n for wins, n in self.blocks_by_wins.items())

    @property
    def _share_won(self) -> float:
        return (2 * self._wins + self.most) / (2 * self.most * (self.blocks + 1))

    def _half_of_wins(self, unit: float) -> float | None:
        squares = sum(wins * wins * n for wins, n in self.blocks_by_wins.items())
        return _half(self.blocks, self._wins, squares, unit)

    def points_a_match(self, hands: int) -> MeanWithInterval:
        """Return the points of a match above those of the pool with the same cards.

        :param hands: comparisons of a block, half of `most`.
        """
        return _rounded(
            self.points / self.blocks / hands, _half(self.blocks, self.points, self.squares, hands)
        )


def overall(games: Sequence[GameFigures]) -> MeanWithInterval:
    """Return the mean Elo of several games.

    >>> games = [GameFigures.of(name, most=2, blocks=[(2, 1, 0), (0, -1, 0)] * 500) for name in "ab"]
    >>> overall(games)
    MeanWithInterval(value=0.0, plus_minus=15.2)
    """
    return mean_of([game.elo for game in games])


def mean_of(estimates: Sequence[MeanWithInterval]) -> MeanWithInterval:
    """Return the mean of independent estimates."""
    number = len(estimates)
    halves = [one.plus_minus for one in estimates if one.plus_minus is not None]
    half = sqrt(sum(half * half for half in halves)) / number if len(halves) == number else None
    return _rounded(sum(one.value for one in estimates) / number, half)


def _half(number: int, total: int, squares: int, unit: float) -> float | None:
    """Return half of the interval of a mean of whole numbers, in units."""
    if number < 2:
        return None
    spread = number * squares - total * total  # whole, so nothing is lost
    return Z * sqrt(spread / (number * number * (number - 1))) / unit


def _rounded(value: float, half: float | None) -> MeanWithInterval:
    """Round to a decimal, so that no last bit of a machine's logarithm shows; without a minus before zero."""
    return MeanWithInterval(round(value, 1) + 0.0, None if half is None else round(half, 1))
