"""`rate`: from results to the table that is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from stichkampf.rating.comparisons import Comparisons, compare
from stichkampf.rating.covariance import covariance
from stichkampf.rating.errors import RatingError
from stichkampf.rating.fit import check_linked, fit_strengths
from stichkampf.rating.results import Floats, Results

ELO_PER_STRENGTH = 400 / log(10)
AVERAGE_ELO = 1500.0
PROVISIONAL_BLOCKS = 20
PROVISIONAL_PLUS_MINUS = 50.0
_DECIMALS = 4


@dataclass(frozen=True)
class Rating:
    """One line of the table.

    :ivar rank: 1 is best; entrants whose Elo agrees to four decimals share a rank.
    :ivar standard_error: of `elo` against the anchors, in Elo; None where there are fewer than two blocks.
    :ivar plus_minus: half-width of the 95% interval, in Elo; None where there are fewer than two blocks.
    :ivar blocks: blocks in which the entrant was compared.
    :ivar points: points taken, a draw being half a point.
    :ivar rank_best: 1 + the number of entrants that are significantly better.
    :ivar rank_worst: the number of entrants less those that are significantly worse.
    :ivar provisional: too few blocks or too wide an interval to be ranked in public.
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
class RatingTable:
    """Ratings, best first; entrants of equal Elo stand by name.

    :ivar superiority: in the order of `ratings`, the probability that the entrant of the row is stronger than
        that of the column; nan on the diagonal and where blocks are too few to say.
    :ivar strengths: in the order of `comparisons.entrants`, in units of ln odds.
    """

    ratings: tuple[Rating, ...]
    superiority: Floats
    strengths: Floats
    comparisons: Comparisons

    def __iter__(self) -> Iterator[Rating]:
        return iter(self.ratings)

    def __len__(self) -> int:
        return len(self.ratings)

    def __getitem__(self, entrant: Any) -> Rating:
        for rating in self.ratings:
            if rating.entrant == entrant:
                return rating
        raise KeyError(entrant)

    def among(self, entrants: Iterable[Any]) -> tuple[Rating, ...]:
        """The same ratings with ranks and rank ranges counted among these entrants only, for instance one
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
    """Rate everybody in the results. The same results give the same ratings to the bit, in whatever order
    they come.

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
    if prior == 0:
        check_linked(comparisons.half_point_matrix, comparisons.entrants)
    strengths = fit_strengths(comparisons.half_point_matrix / 2, prior)
    elo = centre + ELO_PER_STRENGTH * (strengths - strengths[panel].mean())
    errors, superiority = _certainty(comparisons, strengths, covariance(comparisons, strengths, prior), panel)
    order = sorted(range(len(elo)), key=lambda i: (-round(elo[i], _DECIMALS), i))
    ratings = [_rating(comparisons, i, float(elo[i]), float(errors[i])) for i in order]
    superiority = superiority[np.ix_(order, order)]
    return RatingTable(_ranked(ratings, superiority), superiority, strengths, comparisons)


def _panel(entrants: Sequence[Any], anchors: Sequence[Any] | None) -> list[int]:
    if anchors is None:
        return list(range(len(entrants)))
    index = {entrant: code for code, entrant in enumerate(entrants)}
    missing = [str(anchor) for anchor in anchors if anchor not in index]
    if missing:
        known = ", ".join(map(str, entrants))
        raise RatingError(
            f"no results of the anchor {', '.join(missing)}; the bots in the results are {known}"
        )
    if not anchors or len(set(anchors)) < len(anchors):
        raise RatingError("the anchors must be one or more bots, each named once")
    return [index[anchor] for anchor in anchors]


def _certainty(
    comparisons: Comparisons, strengths: Floats, spread: Floats | None, panel: list[int]
) -> tuple[Floats, Floats]:
    """Standard errors against the panel (in units of ln odds, nan where unknown), and likelihoods of
    superiority.

    A pair's likelihood is Student's t with the degrees of freedom of the one with fewer blocks, as for the
    intervals.
    """
    size = len(strengths)
    if spread is None:
        return np.full(size, np.nan), np.full((size, size), np.nan)
    own = spread.diagonal()
    panel_mean = spread[:, panel].mean(axis=1)
    against_panel = own - 2 * panel_mean + panel_mean[panel].mean()
    errors = np.where(comparisons.blocks_of > 1, np.sqrt(np.maximum(against_panel, 0.0)), np.nan)
    pair_errors = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * spread, 0.0))
    difference = strengths[:, None] - strengths[None, :]
    freedom = np.minimum.outer(comparisons.blocks_of, comparisons.blocks_of) - 1
    # Below this both differ by rounding only: equal strengths that always drew.
    negligible = 1e-9
    difference = np.where(np.abs(difference) < negligible, 0.0, difference)
    ratio = np.divide(difference, np.maximum(pair_errors, negligible))
    superiority = np.where(freedom > 0, stdtr(np.maximum(freedom, 1), ratio), np.nan)
    np.fill_diagonal(superiority, np.nan)
    return errors, superiority


def _rating(comparisons: Comparisons, index: int, elo: float, error: float) -> Rating:
    blocks = int(comparisons.blocks_of[index])
    known = not np.isnan(error)
    plus_minus = float(stdtrit(blocks - 1, 0.975)) * ELO_PER_STRENGTH * error if known else None
    return Rating(
        entrant=comparisons.entrants[index],
        rank=0,
        elo=elo,
        standard_error=ELO_PER_STRENGTH * error if known else None,
        plus_minus=plus_minus,
        blocks=blocks,
        comparisons=int(comparisons.count_of[index]),
        points=int(comparisons.half_point_matrix[index].sum()) / 2,
        rank_best=0,
        rank_worst=0,
        provisional=blocks < PROVISIONAL_BLOCKS or plus_minus is None or plus_minus > PROVISIONAL_PLUS_MINUS,
    )


def _ranked(ratings: Sequence[Rating], superiority: Floats) -> tuple[Rating, ...]:
    """The ratings, which are sorted, with their ranks and rank ranges filled in."""
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
