"""The input of a format: the competition as it was set up, and the blocks played so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from stichkampf.engine.seeds import SEED_BYTES, Chance
from stichkampf.games import game_class
from stichkampf.rating import Comparisons
from stichkampf.schedule import entrants_a_block, seatings

Seating = list[int]
"""By seat, the number of the entrant that sits there."""

FIXED = "fixed"
DECIDED = "decided"


def lot_of(seed: bytes, occasion: str, entrants: Iterable[int]) -> dict[int, int]:
    """Draw lots: the place of each entrant, from 0, by a shuffle of their numbers."""
    drawn = Chance(seed, f"lot {occasion}").shuffled(sorted(entrants))
    return {entrant: place for place, entrant in enumerate(drawn)}


@dataclass(frozen=True)
class Competition:
    """Entrants are known by number.

    :ivar authors: of every entrant; `None` is the house, whose bots may share a table.
    :ivar names: of every entrant, for messages.
    :ivar blocks: in all, at most, or for each group of a round, as the format says.
    :ivar rounds: how many, where the format wants to be told; else `None`.
    :ivar stopping: `fixed` or `decided`.
    :ivar out: entrants that play no more.
    :ivar left_after: of those, how many rounds had been drawn when they left; none where it is not said.
    :ivar remote: entrants that play on their authors' machines: each holds one hand of a deal only.
    :ivar seed: of all lots that are drawn.
    :ivar seeded: true if the order of the entrants says how they did before, in another tournament.
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
    left_after: Mapping[int, int] = field(default_factory=dict)
    remote: frozenset[int] = frozenset()
    seed: bytes = bytes(SEED_BYTES)
    seeded: bool = False

    @property
    def partners(self) -> bool:
        return game_class(self.game).partners

    @property
    def group_size(self) -> int:
        """The number of entrants in a block."""
        return entrants_a_block(self.seats, partners=self.partners)

    @property
    def tables_a_block(self) -> int:
        """The number of tables at which everybody in a block holds every hand once."""
        return len(seatings(self.seats, partners=self.partners))

    @property
    def staying(self) -> Competition:
        """The same without those that are out."""
        authors = {one: author for one, author in self.authors.items() if one not in self.out}
        return replace(self, authors=authors, remote=self.remote - self.out)

    def plays(self, entrant: int, number: int) -> bool:
        """Tell whether an entrant is there when round `number` is drawn, from 0."""
        return entrant not in self.out or self.left_after.get(entrant, 0) > number

    def lot(self, occasion: str) -> dict[int, int]:
        """Draw lots: the place of each entrant, from 0. Anybody who knows the seed can repeat it."""
        return lot_of(self.seed, occasion, self.authors)


@dataclass(frozen=True)
class Standing:
    """One line of the order by which a format draws its next round.

    :ivar place: from 1; entrants that nothing separates share one.
    :ivar points: those of the rounds so far; `None` where the format counts none.
    :ivar round_reached: the last round that it plays or has played, from 1; `None` where all play all rounds.
    :ivar tie_breaks: what separates equals, by the name of the criterion; `None` where it says nothing.
    """

    entrant: int
    place: int
    points: float | None = None
    round_reached: int | None = None
    tie_breaks: Mapping[str, float | None] | None = None


@dataclass(frozen=True)
class PairPoints:
    """Half-points that two entrants took from each other in a block and did not forfeit.

    :ivar half_points: those of the first.
    :ivar other_half_points: those of the second.
    :ivar most: those for which both played.
    """

    first: int
    second: int
    half_points: int
    other_half_points: int
    most: int


@dataclass(frozen=True)
class Past:
    """The blocks played so far, numbered from 0 over all rounds.

    :ivar rounds: for each round, in order, the entrants of each block.
    :ivar comparisons: of the blocks that were played whole, labelled by their number; `None` without any.
    :ivar unplayed: the numbers of the blocks that ended before they were played whole.
    """

    rounds: tuple[tuple[frozenset[int], ...], ...] = ()
    comparisons: Comparisons | None = None
    unplayed: frozenset[int] = frozenset()

    @property
    def blocks(self) -> int:
        return sum(len(blocks) for blocks in self.rounds)

    def after(self, rounds: int) -> Past:
        """Return the past as it was after a number of rounds."""
        if rounds not in self._earlier:
            self._earlier[rounds] = replace(self, rounds=self.rounds[:rounds])
        return self._earlier[rounds]

    def groups(self, number: int) -> list[frozenset[int]]:
        """The groups that met in a round, each once."""
        return list(dict.fromkeys(self.rounds[number]))

    @cached_property
    def as_played(self) -> Past:
        """The same without any forfeit, for the worth of opponents: no forfeit may change that."""
        return self if self.comparisons is None else replace(self, comparisons=self.comparisons.as_played)

    def blocks_of(self, number: int) -> dict[frozenset[int], list[int]]:
        """The numbers of the blocks of each group of a round, in order."""
        return self._blocks_of[number]

    def shares(self, number: int) -> dict[int, float]:
        """Return the share of the same-hand points that each entrant kept in a round; none for a rest."""
        return self._shares[number]

    def shares_in(self, blocks: Iterable[int]) -> dict[int, float]:
        """Return the share of the same-hand points that each entrant took in some blocks."""
        return _shares(pair for block in blocks for pair in self._pairs.get(block, ()))

    def shares_among(self, entrants: Collection[int]) -> dict[int, float]:
        """Return what entrants took from each other in all rounds; nothing unless every two have met."""
        chosen = set(entrants)
        pairs = [pair for pair in self.pairs() if pair.first in chosen and pair.second in chosen]
        met = {frozenset((pair.first, pair.second)) for pair in pairs}
        return _shares(pairs) if len(met) == len(chosen) * (len(chosen) - 1) // 2 else {}

    def pairs(self, number: int | None = None) -> Iterator[PairPoints]:
        """Yield what each two took from each other in each block, of one round or of all."""
        for played in range(len(self.rounds)) if number is None else [number]:
            for blocks in self.blocks_of(played).values():
                for block in blocks:
                    yield from self._pairs.get(block, ())

    @cached_property
    def _earlier(self) -> dict[int, Past]:
        return {}

    @cached_property
    def _blocks_of(self) -> list[dict[frozenset[int], list[int]]]:
        first, found = 0, []
        for groups in self.rounds:
            of_round: dict[frozenset[int], list[int]] = {}
            for block, group in enumerate(groups, start=first):
                of_round.setdefault(group, []).append(block)
            found.append(of_round)
            first += len(groups)
        return found

    @cached_property
    def _shares(self) -> list[dict[int, float]]:
        return [_shares(self.pairs(number)) for number in range(len(self.rounds))]

    @cached_property
    def _pairs(self) -> dict[int, list[PairPoints]]:
        """Return the points of each two, by the number of the block."""
        found: dict[int, list[PairPoints]] = {}
        if self.comparisons is None:
            return found
        seen, most = self.comparisons, 2 * self.comparisons.count
        kept, other = seen.half_points - seen.first_lost, most - seen.half_points - seen.second_lost
        columns = (seen.block, seen.first, seen.second, kept, other, most)
        for block, first, second, *points in zip(*(c.tolist() for c in columns), strict=True):
            pair = PairPoints(seen.entrants[first], seen.entrants[second], *points)
            found.setdefault(seen.blocks[block], []).append(pair)
        return found


def _shares(pairs: Iterable[PairPoints]) -> dict[int, float]:
    won: Counter[int] = Counter()
    of: Counter[int] = Counter()
    for pair in pairs:
        won[pair.first] += pair.half_points
        won[pair.second] += pair.other_half_points
        of[pair.first] += pair.most
        of[pair.second] += pair.most
    return {entrant: won[entrant] / of[entrant] for entrant in of}
