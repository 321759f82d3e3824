"""The input of a format: the competition as it was set up, and the blocks played so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from stichkampf.games import game_class
from stichkampf.rating import Comparisons
from stichkampf.schedule import entrants_a_block

Seating = list[int]
"""By seat, the number of the entrant that sits there."""

FIXED = "fixed"
DECIDED = "decided"


@dataclass(frozen=True)
class Competition:
    """Entrants are known by number.

    :ivar authors: of every entrant; `None` is the house, whose bots may share a table.
    :ivar names: of every entrant, for messages.
    :ivar blocks: in all, at most, or for each group of a round, as the format says.
    :ivar rounds: how many, where the format wants to be told; else `None`.
    :ivar stopping: `fixed` or `decided`.
    :ivar out: entrants that have been disqualified.
    :ivar remote: entrants that play on their authors' machines: each holds one hand of a deal only.
    """

    authors: Mapping[int, str | None]
    names: Mapping[int, str]
    game: str
    seats: int
    blocks: int
    rounds: int | None = None
    stopping: str = FIXED
    rated: bool = True
    out: frozenset[int] = frozenset()
    remote: frozenset[int] = frozenset()

    @property
    def partners(self) -> bool:
        return game_class(self.game).partners

    @property
    def group_size(self) -> int:
        """The number of entrants in a block."""
        return entrants_a_block(self.seats, partners=self.partners)


@dataclass(frozen=True)
class Standing:
    """One line of the order by which a format draws its next round.

    :ivar points: those of the rounds so far; `None` where the format counts none.
    :ivar round_reached: the last round that it plays or has played, from 1; `None` where all play all rounds.
    """

    entrant: int
    points: float | None = None
    round_reached: int | None = None


@dataclass(frozen=True)
class Past:
    """The blocks played so far.

    :ivar rounds: for each round, in order, the entrants of each block.
    :ivar comparisons: of the blocks that were played whole, labelled by their number; `None` without any.
    """

    rounds: tuple[tuple[frozenset[int], ...], ...] = ()
    comparisons: Comparisons | None = None

    @property
    def blocks(self) -> int:
        return sum(len(blocks) for blocks in self.rounds)

    def after(self, rounds: int) -> Past:
        """Return the past as it was after a number of rounds."""
        return replace(self, rounds=self.rounds[:rounds])

    def groups(self, number: int) -> list[frozenset[int]]:
        """The groups that met in a round, each once."""
        return list(dict.fromkeys(self.rounds[number]))

    def shares(self, number: int) -> dict[int, float]:
        """Return the share of the same-hand points that each entrant took in a round; ½ for a rest."""
        return self._shares[number]

    @cached_property
    def _shares(self) -> list[dict[int, float]]:
        """The shares of all rounds, from one look at the comparisons."""
        won: list[Counter[int]] = [Counter() for _ in self.rounds]
        of: list[Counter[int]] = [Counter() for _ in self.rounds]
        for number, entrant, points, most in self._points():
            won[number][entrant] += points
            of[number][entrant] += most
        return [{who: won[number][who] / of[number][who] for who in of[number]} for number in range(len(of))]

    def _points(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield by pair of a block: its round, an entrant, its half-points, and how many there were."""
        if self.comparisons is None:
            return
        rounds = [number for number, blocks in enumerate(self.rounds) for _ in blocks]
        seen = self.comparisons
        columns = (column.tolist() for column in (seen.block, seen.first, seen.second))
        for block, first, second, half_points, count in zip(
            *columns, seen.half_points.tolist(), seen.count.tolist(), strict=True
        ):
            label = seen.blocks[block]
            if label < len(rounds):
                yield rounds[label], seen.entrants[first], half_points, 2 * count
                yield rounds[label], seen.entrants[second], 2 * count - half_points, 2 * count
