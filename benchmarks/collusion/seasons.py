"""Seasons of a ladder, drawn by the ladder's own draw and filled with blocks of the pool."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from players import GIVER, SPOILER, TAKER
from pool import SEATS, Pool, arranged
from stichkampf.rating import ELO_PER_STRENGTH, Results, fit_strengths
from stichkampf.rating.collusion import Pair, collusion_evidence_among
from stichkampf.rating.comparisons import COLUMNS, Comparisons, compare
from stichkampf.rating.table import AVERAGE_ELO
from stichkampf_platform.tournaments.formats.ladder import Candidate, RecentBlocks, draw

Ints = NDArray[np.int64]

AT_ONCE = 100
"""Blocks that are drawn together; then all are rated again, and the watch looks."""


class Deck:
    """The comparisons of every block of the pool, ready to be put together to seasons.

    The giver and the spoiler have one number: only one of them is there.
    """

    def __init__(self, pool: Pool) -> None:
        giver, spoiler = pool.names.index(GIVER), pool.names.index(SPOILER)
        self.names = tuple(GIVER if name == SPOILER else name for name in pool.names if name != GIVER)
        groups = np.where(pool.groups == giver, spoiler, pool.groups)
        compared = compare(self.results(pool, giver, spoiler))
        each = SEATS * (SEATS - 1) // 2
        if len(compared) != each * len(groups):
            raise ValueError(f"{len(compared)} comparisons in {len(groups)} blocks, not {each} in each")
        self._columns = {
            name: getattr(compared, name).reshape(-1, each) for name in COLUMNS if name != "block"
        }
        one, other = np.nonzero(~np.eye(SEATS, dtype=np.bool_))
        size = len(self.names)
        self._groups = np.sort(groups)
        self._mates = self._groups[:, one] * size + self._groups[:, other]
        with_giver = (pool.groups == giver).any(axis=1)
        together = ((groups == spoiler) | (groups == pool.names.index(TAKER))).sum(axis=1) == 2
        self.pair = frozenset({GIVER, TAKER})
        self.honest = self._by_group(groups, ~with_giver)
        self.giving = self._by_group(groups, with_giver | ~(groups == spoiler).any(axis=1))
        self.refraining = self._by_group(groups, ~with_giver & together)

    @staticmethod
    def results(pool: Pool, giver: int, spoiler: int) -> Results:
        tables = [
            arranged(tuple(g), int(a)).tables for g, a in zip(pool.groups, pool.arrangement, strict=True)
        ]
        who = np.array(tables)
        who[who == giver] = spoiler
        block, table, hand = np.indices(who.shape)
        return Results(
            tuple(range(len(pool.names) - 1)),
            tuple(range(len(who))),
            entrant=who.ravel(),
            block=block.ravel(),
            hand=hand.ravel(),
            score=pool.scores.ravel().astype(np.float64),
            table=(block * SEATS + table).ravel(),
            forfeit=np.zeros(who.size, dtype=np.bool_),
        )

    @staticmethod
    def _by_group(groups: Ints, chosen: NDArray[np.bool_]) -> dict[tuple[int, ...], Ints]:
        members: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for number in np.flatnonzero(chosen):
            members[tuple(sorted(groups[number].tolist()))].append(int(number))
        return {group: np.array(numbers) for group, numbers in members.items()}

    def group(self, block: int) -> set[int]:
        """Players of each block of the pool."""
        return set(self._groups[block].tolist())

    def comparisons(self, drawn: Ints) -> tuple[Comparisons, Ints]:
        """Scores of these blocks of the pool, in this order, and the bots that sat together."""
        columns = {name: column[drawn].ravel() for name, column in self._columns.items()}
        block = np.arange(len(drawn))
        each = len(columns["first"]) // max(1, len(drawn))
        size = len(self.names)
        mates = (block[:, None] * size * size + self._mates[drawn]).ravel()
        blocks = tuple(range(len(drawn)))
        return Comparisons(self.names, blocks, block=np.repeat(block, each), **columns), mates

    def season(self, blocks: int, chance: np.random.Generator, giving: float) -> Ints:
        """The blocks of the pool that a season is made of.

        :param giving: in which share of the blocks where the two meet the giver gives; 0 for a season without
            a pair.
        """
        candidates = {number: Candidate(author=name) for number, name in enumerate(self.names)}
        lately, drawn = RecentBlocks(), np.zeros(0, dtype=np.int64)
        while len(drawn) < blocks:
            first = len(drawn)
            groups = draw(candidates, lately, size=SEATS, first=first, blocks=min(AT_ONCE, blocks - first))
            for number, group in enumerate(groups, start=first):
                lately.add(group)
                for entrant in group:
                    candidate = candidates[entrant]
                    candidates[entrant] = replace(candidate, played=candidate.played + 1, last=number)
            played = [self._filled(tuple(sorted(group)), chance, giving) for group in groups]
            drawn = np.concatenate([drawn, played])
            for number, elo in enumerate(self.elos(drawn)):
                candidates[number] = replace(candidates[number], elo=elo)
        return drawn

    def _filled(self, group: tuple[int, ...], chance: np.random.Generator, giving: float) -> int:
        """A block of the pool that these four played, drawn at random."""
        blocks = self.giving if giving else self.honest
        if giving and group in self.refraining and chance.random() >= giving:
            blocks = self.refraining
        return int(chance.choice(blocks[group]))

    def elos(self, drawn: Ints) -> list[float]:
        """The ratings after these blocks, 1500 on average."""
        strengths = fit_strengths(self.comparisons(drawn)[0].half_point_matrix / 2)
        elos: list[float] = (AVERAGE_ELO + ELO_PER_STRENGTH * (strengths - strengths.mean())).tolist()
        return elos

    def worth(self, drawn: Ints) -> tuple[float, float]:
        """The worth of the giver to the taker in Elo against third parties: in blocks where the two meet, and
        over the season, each beyond the taker's Elo in blocks without the giver.
        """
        compared, _ = self.comparisons(drawn)
        giver, taker = self.names.index(GIVER), self.names.index(TAKER)
        both = np.array([{giver, taker} <= self.group(block) for block in drawn])[compared.block]
        third = (compared.first != giver) & (compared.second != giver)
        with_giver, without, always = (
            self._elo_of(taker, giver, compared.only(third & chosen))
            for chosen in (both, ~both, np.ones_like(both))
        )
        return with_giver - without, always - without

    def _elo_of(self, entrant: int, left_out: int, compared: Comparisons) -> float:
        """The Elo of an entrant above the mean of the others."""
        strengths = fit_strengths(compared.half_point_matrix / 2)
        others = [number for number in range(len(self.names)) if number not in (entrant, left_out)]
        return float(ELO_PER_STRENGTH * (strengths[entrant] - strengths[others].mean()))


def reported(deck: Deck, drawn: Ints, *, suspects: Collection[Pair] = ()) -> dict[Pair, int]:
    """The pairs that the watch reports, each with the number of blocks that had been played; it looks again
    and again, as on the platform.
    """
    found: dict[Pair, int] = {}
    for blocks in range(AT_ONCE, len(drawn) + 1, AT_ONCE):
        compared, mates = deck.comparisons(drawn[:blocks])
        for gift in collusion_evidence_among(compared, mates, suspects=suspects):
            if gift.is_reported:
                found.setdefault(gift.pair, blocks)
    return found


def together(deck: Deck, drawn: Ints, pair: Pair) -> Ints:
    """Count the blocks that the two of a pair had played together after each block of a season."""
    one, other = (deck.names.index(name) for name in pair)
    return np.cumsum([{one, other} <= deck.group(block) for block in drawn])
