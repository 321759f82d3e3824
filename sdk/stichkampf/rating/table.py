"""`rate`: from results to the table that is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from math import log
from typing import Any

import numpy as np
import scipy  # type: ignore[import-untyped]

from stichkampf.rating.comparisons import Comparisons, compare
from stichkampf.rating.covariance import certainty_of, covariance
from stichkampf.rating.errors import RatingError
from stichkampf.rating.fit import check_linked, fit_alone, fit_strengths
from stichkampf.rating.forfeited_blocks import SetApart, set_apart
from stichkampf.rating.results import Floats, Results

ELO_PER_STRENGTH = 400 / log(10)
AVERAGE_ELO = 1500.0
PROVISIONAL_BLOCKS = 20
_DECIMALS = 4


@dataclass(frozen=True)
class Rating:
    """An entrant of the table.

    >>> from stichkampf.rating import Results, rate
    >>> best = rate(Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 3)])).ratings[0]
    >>> best.entrant, best.rank, best.blocks, best.points, best.provisional
    ('ann', 1, 1, 1.0, True)

    :ivar rank: 1 is best; entrants whose Elo agrees to four decimals share a rank.
    :ivar standard_error: of `elo` against the anchors, in Elo; None where there are fewer than two blocks.
    :ivar plus_minus: half-width of the 95% interval, in Elo; None where there are fewer than two blocks.
    :ivar blocks: blocks in which the entrant was compared.
    :ivar points: points taken and not forfeited, a draw being half a point.
    :ivar rank_best: 1 + the number of entrants that are significantly better.
    :ivar rank_worst: the number of entrants less those that are significantly worse.
    :ivar provisional: too few blocks to be ranked in public.
    """

    entrant: Any
    rank: int
    elo: float
    standard_error: float | None
    plus_minus: float | None
    blocks: int
    comparisons: int
    points: float
    rank_best: int
    rank_worst: int
    provisional: bool


@dataclass(frozen=True)
class RatingAlone:
    """The rating of one player by what others, whose strengths are known, made of the same hands.

    It moves no other.

    :ivar plus_minus: half-width of the 95% interval, in Elo; None with one match.
    :ivar provisional: too few matches to say much.
    """

    elo: float
    plus_minus: float | None
    matches: int
    comparisons: int
    provisional: bool


@dataclass(frozen=True)
class RatingDifference:
    """The difference of two entrants, in Elo.

    >>> from stichkampf.rating import Results, rate
    >>> rate(Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 7)])).difference("ann", "bob").elo
    0.0

    :ivar plus_minus: half-width of the 95% interval, in Elo; None where there are too few blocks, and where
        all of them ended level, which says nothing about luck.
    :ivar superiority: the probability that the first is the stronger; None where there are too few blocks.
    """

    elo: float
    plus_minus: float | None
    superiority: float | None


@dataclass(frozen=True)
class RatingTable:
    """Ratings, best first; entrants of equal Elo are in order of name.

    >>> from stichkampf.rating import Results, rate
    >>> table = rate(Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 3)]))
    >>> [(rating.entrant, round(rating.elo)) for rating in table], round(table["bob"].elo)
    ([('ann', 1631), ('bob', 1369)], 1369)

    :ivar superiority: in the order of `ratings`, the probability that the entrant of the row is stronger than
        that of the column; nan on the diagonal and where blocks are too few to say.
    :ivar pair_errors: in the same order, the standard error of the difference of two entrants, in Elo.
    :ivar strengths: in the order of `comparisons.entrants`, in units of ln odds: those of the seats, as they
        played, bot or substitute; where some blocks are set apart, the mean by comparisons.
    """

    ratings: tuple[Rating, ...]
    superiority: Floats
    pair_errors: Floats
    strengths: Floats
    comparisons: Comparisons

    def __iter__(self) -> Iterator[Rating]:
        return iter(self.ratings)

    def __len__(self) -> int:
        return len(self.ratings)

    def __getitem__(self, entrant: Any) -> Rating:
        return self.ratings[self._index[entrant]]

    @cached_property
    def _index(self) -> dict[Any, int]:
        return {rating.entrant: index for index, rating in enumerate(self.ratings)}

    def difference(self, first: Any, second: Any) -> RatingDifference:
        """Compare two entrants: by how much the first is stronger.

        :raises KeyError: for an entrant that is not in the table.
        """
        i, j = self._index[first], self._index[second]
        elo = self.ratings[i].elo - self.ratings[j].elo
        blocks = min(self.ratings[i].blocks, self.ratings[j].blocks)
        if i == j or np.isnan(self.superiority[i, j]):
            return RatingDifference(elo, None, None)
        error = float(self.pair_errors[i, j])
        half_width = None if error < 10**-_DECIMALS else student(blocks) * error
        return RatingDifference(elo, half_width, float(self.superiority[i, j]))

    def among(self, entrants: Iterable[Any]) -> tuple[Rating, ...]:
        """Count ranks and rank ranges among these entrants only, for instance one
        version of each bot.
        """
        wanted = set(entrants)
        chosen = np.array([rating.entrant in wanted for rating in self.ratings], dtype=np.bool_)
        kept = [rating for rating in self.ratings if rating.entrant in wanted]
        return _ranked(kept, self.superiority[np.ix_(chosen, chosen)])


def rate(
    results: Results | Comparisons,
    *,
    anchors: Sequence[Any] | None = None,
    centre: float = AVERAGE_ELO,
    prior: float = 1.0,
    partners: bool = False,
) -> RatingTable:
    """Rate all entrants of the results. The same results give the same ratings to the bit, in any order.

    >>> results = Results.from_rows([("b1", 0, "ann", 7), ("b1", 0, "bob", 3)])
    >>> [(rating.entrant, round(rating.elo)) for rating in rate(results, anchors=["bob"])]
    [('ann', 1763), ('bob', 1500)]

    :param anchors: the entrants whose mean Elo is `centre`, a frozen panel; None for all entrants.
    :param prior: weight of the drawn game against an average opponent; 0 for none.
    :param partners: see `compare`.
    :raises RatingError: no comparison at all, an anchor that is not among the entrants, a bad prior, or,
        without a prior, entrants that no finite rating fits; the message names them.
    """
    comparisons = results if isinstance(results, Comparisons) else compare(results, partners=partners)
    if not len(comparisons):
        raise RatingError(
            "no hand was held by two different bots in the same block, so there is nothing to compare"
        )
    panel = _panel(comparisons.entrants, anchors)
    apart = set_apart(comparisons, prior)
    points = apart.comparisons.half_point_matrix
    if prior == 0:
        check_linked(points, apart.comparisons.entrants)
    strengths = fit_strengths(points / 2, prior)
    seats = apart.shares @ strengths
    own = _own_strengths(apart, strengths, seats, prior)
    elo = centre + ELO_PER_STRENGTH * (own - seats[panel].mean())
    certainty = certainty_of(comparisons, own, covariance(apart, strengths, prior, own), panel)
    order = sorted(range(len(elo)), key=lambda i: (-round(elo[i], _DECIMALS), i))
    ratings = [_rating(comparisons, i, float(elo[i]), float(certainty.errors[i])) for i in order]
    square = np.ix_(order, order)
    superiority = certainty.superiority[square]
    pair_errors = ELO_PER_STRENGTH * certainty.pair_errors[square]
    return RatingTable(_ranked(ratings, superiority), superiority, pair_errors, seats, comparisons)


def rate_alone(
    matches: Sequence[Mapping[str, float]], known: Mapping[str, float], prior: float = 1.0
) -> RatingAlone:
    """Rate a player by the points of matches: 1 for more than another made of the same hand, ½ for as much.

    >>> found = rate_alone([{"even": 1.0, "flat": 0.5}, {"even": 0.0}], {"even": 1500.0, "flat": 1500.0})
    >>> found.elo, found.matches, found.provisional
    (1500.0, 2, True)

    The hands of a match share their luck, so a match is the unit of the error, as a block is for `rate`. The
    interval is never narrower than if all comparisons were independent: who has lost every one is not known
    well.

    :param matches: the points by the name of the other.
    :param known: the Elo of the others.
    :raises RatingError: there is no match, or one with somebody whose strength is not known.
    """
    strangers = sorted({name for match in matches for name in match} - set(known))
    if strangers or not any(matches):
        raise RatingError(
            f"the strength of {strangers[0]} is not known" if strangers else "there is no match"
        )
    names = sorted(known)
    against = np.array([(known[name] - AVERAGE_ELO) / ELO_PER_STRENGTH for name in names])
    points = np.array([[match.get(name, 0.0) for name in names] for match in matches])
    counts = np.array([[float(name in match) for name in names] for match in matches])
    strength = fit_alone(points.sum(axis=0), counts.sum(axis=0), against, prior)
    return RatingAlone(
        elo=round(AVERAGE_ELO + ELO_PER_STRENGTH * strength, 4),
        plus_minus=_plus_minus(points, counts, strength, against, prior),
        matches=len(matches),
        comparisons=int(counts.sum()),
        provisional=len(matches) < PROVISIONAL_BLOCKS,
    )


def _plus_minus(
    points: Floats, counts: Floats, strength: float, against: Floats, prior: float
) -> float | None:
    number = len(points)
    if number < 2:
        return None
    odds, own = scipy.special.expit(strength - against), scipy.special.expit(strength)
    information = float((counts * odds * (1 - odds)).sum() + prior * own * (1 - own))
    surprises = (points - counts * odds).sum(axis=1)
    sandwich = number / (number - 1) * float((surprises**2).sum()) / information**2
    return student(number) * ELO_PER_STRENGTH * float(np.sqrt(max(sandwich, 1 / information)))


def _own_strengths(apart: SetApart, strengths: Floats, seats: Floats, prior: float) -> Floats:
    """Return the strengths with those that forfeited fitted to what they keep; no other moves."""
    own = seats.copy()
    compared = apart.comparisons
    counts = (compared.half_point_matrix + compared.half_point_matrix.T) / 2
    for who in compared.forfeiters.tolist():
        rows = apart.home == apart.home[who]
        kept = compared.kept_matrix[rows].sum(axis=0) / 2
        own[apart.home[who]] = fit_alone(kept, counts[rows].sum(axis=0), strengths, prior)
    return own


def _panel(entrants: Sequence[Any], anchors: Sequence[Any] | None) -> list[int]:
    if anchors is None:
        return list(range(len(entrants)))
    index = {entrant: code for code, entrant in enumerate(entrants)}
    missing = [str(anchor) for anchor in anchors if anchor not in index]
    if missing:
        near = get_close_matches(missing[0], map(str, entrants), n=5, cutoff=0)
        raise RatingError(
            f"no results of the anchor {', '.join(missing)}; there are some of {', '.join(near)}"
        )
    if not anchors or len(set(anchors)) < len(anchors):
        raise RatingError("the anchors must be one or more bots, each named once")
    return [index[anchor] for anchor in anchors]


def _rating(comparisons: Comparisons, index: int, elo: float, error: float) -> Rating:
    blocks = int(comparisons.blocks_of[index])
    known = not np.isnan(error)
    plus_minus = student(blocks) * ELO_PER_STRENGTH * error if known else None
    return Rating(
        entrant=comparisons.entrants[index],
        rank=0,
        elo=elo,
        standard_error=ELO_PER_STRENGTH * error if known else None,
        plus_minus=plus_minus,
        blocks=blocks,
        comparisons=int(comparisons.count_of[index]),
        points=int(comparisons.kept_matrix[index].sum()) / 2,
        rank_best=0,
        rank_worst=0,
        provisional=blocks < PROVISIONAL_BLOCKS or plus_minus is None,
    )


def standard_error_of(plus_minus: float | None, blocks: int) -> float | None:
    """Return the standard error that gave a half-width; None where there is none.

    >>> round(standard_error_of(49.3, 20), 4)
    23.5544
    """
    return None if plus_minus is None else plus_minus / student(blocks)


def student(blocks: int) -> float:
    """Return the half-width of a 95% interval in standard errors."""
    return float(scipy.special.stdtrit(blocks - 1, 0.975))


def _ranked(ratings: Sequence[Rating], superiority: Floats) -> tuple[Rating, ...]:
    """Fill in ranks and rank ranges of sorted ratings."""
    known = np.nan_to_num(superiority, nan=0.5)
    worse = (known > 0.975).sum(axis=1)
    better = (known < 0.025).sum(axis=1)
    shown = [round(rating.elo, _DECIMALS) for rating in ratings]
    return tuple(
        replace(
            rating,
            rank=shown.index(shown[i]) + 1,
            rank_best=1 + int(better[i]),
            rank_worst=len(ratings) - int(worse[i]),
        )
        for i, rating in enumerate(ratings)
    )
