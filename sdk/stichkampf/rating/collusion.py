"""Collusion and farming: points that one entrant gives another beyond the field, on identical hands.

There are two ways to give, both measured in points a comparison: 0.1 is ten same-hand points of a hundred.
With them goes a way of failing, measured as a share of tables.

    help     the taker against third parties on the same hands: its surprise (points taken less points that
             the strengths expect) in blocks where the giver sat at its table, less that in its other blocks
    thrown   points that the taker took from the giver itself on the same hands, less those expected
    forfeit  the share of its tables that the giver forfeited in blocks where the taker sat at its table, less
             that share in its other blocks

A bot that plays badly or loosely does so against all the field, and the strengths have learnt it; the rest is
meant for one entrant, or a matter of styles. A style suits several others: so a gift is reported only where
its whole interval lies above the gift to the one that its giver favours most among the rest, less one
standard error: at least 3 points of a hundred, for any two styles differ a little, and at most 10, so that
two takers do not hide each other. A report is a reason to look at the records, never a proof.

A great gift puts the strengths out and casts shadows on those who met the two. So the best proved pair is set
aside with all blocks in which it met, and the rest is searched again, until nothing more is reported.

Two hundred entrants are some 60,000 questions, and ordinary intervals would accuse a thousand of them. The
chance of error, one in twenty for all gifts together, is shared out (Bonferroni): three fifths to the
suspects, a few pairs that something other than their play speaks against, the rest to all others. Forfeits
have a chance of their own, one in a hundred for all pairs. The
intervals are confidence sequences: they hold at all times of looking at once (see `stopping`), so one may
look after every block. A block's surprises are lopsided where one entrant is far stronger than the others,
which matters that far out: the interval is longer on that side (Cornish and Fisher, 1937).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import comb
from typing import Any, Literal

import numpy as np

from stichkampf.rating.compared_pairs import ComparedPairs, ForfeitedShares, table_mates
from stichkampf.rating.comparisons import Comparisons, compare
from stichkampf.rating.fit import fit_strengths
from stichkampf.rating.points_given import (
    LEAST_BLOCKS,
    PointsGiven,
    Way,
    forfeits_beside,
    help_at_the_table,
    thrown,
)
from stichkampf.rating.results import Bools, Floats, Ints, Results
from stichkampf.rating.stopping import sequence_width

STYLE_POINTS = (0.03, 0.1)
"""The least and the most that is laid to styles which suit each other."""

_ALPHA = 0.05
_ALPHA_OF_FORFEITS = 0.01
_SUSPECTS_SHARE = 0.6
_QUESTIONS = 3
"""For each pair: help one way and the other, and whether one throws to the other, which is one question."""

_LIKELY_POINTS = 0.08
"""In points beyond nought: about this size is found with the fewest blocks."""

Pair = frozenset[Any]
State = Literal["reported", "watched", "not measurable"]


@dataclass(frozen=True)
class CollusionEvidence:
    """A gift: the points a comparison that `giver` gives `taker`; or forfeits of the one beside the other.

    >>> evidence = CollusionEvidence("ann", "bob", "help", 120, 400, points=0.2, low=0.1, high=0.3)
    >>> evidence.state
    'reported'

    :ivar together: blocks in which the two met.
    :ivar apart: blocks of the taker in which they did not.
    :ivar points: the estimate; None, like the ends of the interval, where it cannot be measured.
    :ivar low: lower end of the interval, which holds at all times and together with those of all other gifts.
    :ivar high: its upper end.
    :ivar style: the part explained by the giver's style, from its gifts to others.
    """

    giver: Any
    taker: Any
    way: Way
    together: int
    apart: int
    points: float | None = None
    low: float | None = None
    high: float | None = None
    style: float = STYLE_POINTS[0]
    suspected: bool = False

    @property
    def state(self) -> State:
        """Reported where neither luck nor styles explain it; not measurable with too few blocks of a kind."""
        if self.low is None:
            return "not measurable"
        return "reported" if self.low > self.style else "watched"

    @property
    def is_reported(self) -> bool:
        return self.state == "reported"

    @property
    def pair(self) -> Pair:
        return frozenset({self.giver, self.taker})


def collusion_evidence(
    results: Results,
    *,
    partners: bool = False,
    suspects: Collection[Pair] = (),
    asked: Collection[Any] | None = None,
) -> tuple[CollusionEvidence, ...]:
    """Measure the gifts among the entrants asked about: first the reported ones, then the rest, each the best
    proved first; last pairs that cannot be measured (suspects, and pairs that met in ten blocks).

    To be measured a pair must have met in ten blocks, and help needs ten of the taker without the giver.

    >>> from itertools import combinations
    >>> from random import Random
    >>> from stichkampf.rating import Results
    >>> luck, rows = Random(1), []
    >>> for block in range(100):  # ann always loses to bob; all other results are luck
    ...     for hand, pair in enumerate(combinations(["ann", "bob", "cid", "dan"], 2)):
    ...         rows += [(block, hand, bot, 0 if pair == ("ann", "bob") else luck.random()) for bot in pair]
    ...     rows[-11] = (block, 0, "bob", 1)
    >>> found = collusion_evidence(Results.from_rows(rows))
    >>> [(evidence.giver, evidence.taker, evidence.way) for evidence in found if evidence.is_reported]
    [('ann', 'bob', 'thrown')]

    :param partners: see `compare`.
    :param suspects: pairs that something other than their play speaks against; the fewer, the sooner found.
    :param asked: the entrants asked about; the default is everybody.
    """
    return collusion_evidence_among(
        compare(results, partners=partners),
        table_mates(results),
        ForfeitedShares.of(results),
        suspects=suspects,
        asked=asked,
    )


def collusion_evidence_among(
    compared: Comparisons,
    mates: Ints,
    forfeited: ForfeitedShares | None = None,
    *,
    suspects: Collection[Pair] = (),
    asked: Collection[Any] | None = None,
) -> tuple[CollusionEvidence, ...]:
    """Do the work of `collusion_evidence` on results that were compared before.

    :param mates: the result of `table_mates`.
    :param forfeited: None where nothing was forfeited.
    """
    forfeited = forfeited or ForfeitedShares(np.zeros(0, dtype=np.int64), np.zeros(0))
    budget = _Budget(compared.entrants, suspects, asked)
    aside: list[CollusionEvidence] = []
    while (found := list(_measured(compared, mates, forfeited, budget))) and found[0].is_reported:
        pair = found[0].pair
        aside += [evidence for evidence in found if evidence.pair == pair]
        compared, mates, forfeited = _without(compared, mates, forfeited, pair)
    pairs_aside = {evidence.pair for evidence in aside}
    rest = [evidence for evidence in found if evidence.pair not in pairs_aside]
    return tuple(sorted([*aside, *rest], key=lambda evidence: not evidence.is_reported))


class _Budget:
    """The chance of error that each question may use up, over all times of looking."""

    def __init__(
        self, entrants: tuple[Any, ...], suspects: Collection[Pair], asked: Collection[Any] | None
    ) -> None:
        known = set(entrants) if asked is None else set(entrants) & set(asked)
        size = len(entrants)
        self.asked = np.array([entrant in known for entrant in entrants], dtype=np.bool_)
        self.suspected = np.zeros((size, size), dtype=np.bool_)
        number = {entrant: index for index, entrant in enumerate(entrants)}
        for pair in suspects:
            if len(pair) == 2 and pair <= known:
                one, other = (number[entrant] for entrant in pair)
                self.suspected[one, other] = self.suspected[other, one] = True
        few = int(self.suspected.sum()) // 2
        others = comb(len(known), 2) - few
        share = _SUSPECTS_SHARE if few and others else float(bool(few))
        self._of_a_suspect = share * _ALPHA / max(1, _QUESTIONS * few)
        self._of_others = (1 - share) * _ALPHA / max(1, _QUESTIONS * others)
        self._of_forfeits = _ALPHA_OF_FORFEITS / max(1, 2 * (few + others))

    def of(self, way: PointsGiven) -> Floats:
        if way.way == "forfeit":
            return np.full(len(way.giver), self._of_forfeits)
        return np.where(self.suspected[way.giver, way.taker], self._of_a_suspect, self._of_others)


def _measured(
    compared: Comparisons, mates: Ints, forfeited: ForfeitedShares, budget: _Budget
) -> Iterator[CollusionEvidence]:
    """Measure all ways: the best proved first, last the pairs that cannot be measured."""
    met = ComparedPairs(compared, fit_strengths(compared.half_point_matrix / 2))
    ways = help_at_the_table(met, mates), thrown(met), forfeits_beside(forfeited, mates, met.size)
    found = [evidence for way in ways for evidence in _with_intervals(way, budget, compared.entrants)]
    return iter(sorted(found, key=_proof, reverse=True))


def _proof(evidence: CollusionEvidence) -> float:
    """Divide the part of the estimate that styles do not explain by the half-width of its interval."""
    if evidence.points is None or evidence.low is None:
        return -np.inf
    return (evidence.points - evidence.style) / (evidence.points - evidence.low)


def _with_intervals(
    way: PointsGiven, budget: _Budget, entrants: tuple[Any, ...]
) -> Iterator[CollusionEvidence]:
    error = np.where(way.enough, way.error, 1.0)
    z = sequence_width((_LIKELY_POINTS / error) ** 2, budget.of(way))
    lean = np.where(way.enough, way.skewness, 0.0) * (z * z - 1) / 6
    low = way.points - error * (z + np.maximum(lean, 0))
    high = way.points + error * (z + np.maximum(-lean, 0))
    suspected = budget.suspected[way.giver, way.taker]
    style = np.where(suspected, _style(way, budget.suspected), _style(way, np.zeros_like(budget.suspected)))
    shown = way.enough | suspected | (way.together >= LEAST_BLOCKS)
    for row in np.flatnonzero(shown & budget.asked[way.giver] & budget.asked[way.taker]):
        estimate = float(way.points[row]), float(low[row]), float(high[row])
        points, least, most = estimate if way.enough[row] else (None, None, None)
        yield CollusionEvidence(
            entrants[way.giver[row]],
            entrants[way.taker[row]],
            way.way,
            int(way.together[row]),
            int(way.apart[row]),
            points,
            least,
            most,
            float(style[row]),
            bool(suspected[row]),
        )


def _style(way: PointsGiven, left_out: Bools) -> Floats:
    """Return for each gift the points that its giver surely gives another, the one that it favours most.

    :param left_out: pairs whose gifts are no measure of style.
    """
    sure = np.full(left_out.shape, -np.inf)
    sure[way.giver, way.taker] = np.where(way.enough, way.points - way.error, -np.inf)
    sure[left_out] = -np.inf
    second, most = np.partition(sure, -2, axis=1)[:, -2:].T
    own = sure[way.giver, way.taker]
    others = np.where(own == most[way.giver], second[way.giver], most[way.giver])
    style: Floats = np.clip(others, *STYLE_POINTS)
    return style


def _without(
    compared: Comparisons, mates: Ints, forfeited: ForfeitedShares, pair: Pair
) -> tuple[Comparisons, Ints, ForfeitedShares]:
    """Leave out the blocks in which the two met, at a table or on a hand."""
    size = len(compared.entrants)
    one, other = (compared.entrants.index(entrant) for entrant in pair)
    both = np.isin(mates % (size * size), (one * size + other, other * size + one))
    on_a_hand = np.isin(compared.first * size + compared.second, (one * size + other, other * size + one))
    spoiled = np.union1d(mates[both] // (size * size), compared.block[on_a_hand])
    return (
        compared.only(~np.isin(compared.block, spoiled)),
        mates[~np.isin(mates // (size * size), spoiled)],
        forfeited.only(~np.isin(forfeited.key // size, spoiled)),
    )
