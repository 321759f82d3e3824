"""The study: many seasons drawn from one that was played, and what each way of rating makes of them.

The played season is the whole population: its own fit is the truth, and every drawn season is an honest
random sample of it. The two fits, on blocks and on independent deals, have a truth each, for "outscores on
the same cards" and "outscores at the same table" are different odds; a factor between the two scales makes
them comparable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from field import ANCHORS, Season
from numpy.typing import NDArray
from online import Tables, elo, weng_lin
from stichkampf.rating import RatingTable, Results, rate
from stichkampf.rating.table import AVERAGE_ELO

Floats = NDArray[np.float64]
CLOSE_ELO = 20.0
ORDERS = 10


@dataclass
class Line:
    """Results of one rating method; Elo figures are on the same-hand scale."""

    name: str
    error: float
    coverage: float | None = None
    plus_minus: float | None = None
    tables_to_separate: float | None = None
    leaders: int = 0
    moved_by_order: float = 0.0


def by_blocks(season: Season, drawn: NDArray[np.int64]) -> Results:
    """The drawn blocks, every hand held by everybody."""
    who, scores = season.who[drawn], season.scores[drawn]
    block, _, hand = np.indices(who.shape)
    return _results(season, who, block, hand, scores, len(drawn))


def by_tables(season: Season, drawn: NDArray[np.int64], table: NDArray[np.int64]) -> Results:
    """One table of each drawn block, as if no other table had played that deal: table mates are compared."""
    who, scores = season.who[drawn, table], season.scores[drawn, table]
    deal = np.indices(who.shape)[0]
    return _results(season, who, deal, np.zeros_like(deal), scores, len(drawn))


def study(
    season: Season, tables: int, repetitions: int, seed: int, tell: Callable[[int], None]
) -> list[Line]:
    """Compare all ways of rating on `repetitions` seasons of `tables` tables each."""
    chance = np.random.default_rng(seed)
    blocks, tables_a_block = season.who.shape[:2]
    everything = np.arange(blocks)
    every_table = (np.repeat(everything, tables_a_block), np.tile(np.arange(tables_a_block), blocks))
    truths = [
        _by_name(_rated(by_blocks(season, everything), season.partners)),
        _by_name(_rated(by_tables(season, *every_table))),
    ]
    scale = float(
        truths[0] @ truths[0] / (truths[0] @ truths[1])
    )  # from the odds at a table to those on a hand
    fits: list[list[RatingTable]] = [[], []]
    online: dict[str, list[Floats]] = {name: [] for name in _ONLINE}
    for repetition in range(repetitions):
        on_blocks = by_blocks(season, chance.integers(blocks, size=tables // tables_a_block))
        drawn, table = chance.integers(blocks, size=tables), chance.integers(tables_a_block, size=tables)
        on_tables = by_tables(season, drawn, table)
        fits[0].append(_rated(on_blocks, season.partners))
        fits[1].append(_rated(on_tables))
        arrivals = _arrivals(season, drawn, table)
        for name, rating in _ONLINE.items():
            online[name].append(_anchored(rating(arrivals, len(season.entrants)), season))
        tell(repetition + 1)
    lines = [
        _fit_line("fit on blocks, same-hand comparisons", fits[0], truths[0], 1.0, tables),
        _fit_line("fit on independent deals, table mates", fits[1], truths[1], scale, tables),
        *(Line(name, error=_rms(scale * (np.array(online[name]) - truths[1]))) for name in _ONLINE),
    ]
    # In which order the last of these seasons arrived.
    ways: list[tuple[Callable[[NDArray[np.int64]], Floats], int]] = [
        (lambda order: _by_name(_rated(_reordered(on_blocks, order), season.partners)), len(on_blocks)),
        (lambda order: _by_name(_rated(_reordered(on_tables, order))), len(on_tables)),
    ]
    for rating in _ONLINE.values():
        ways.append((_online_in_order(rating, arrivals, season), tables))
    for line, (rated, results) in zip(lines, ways, strict=True):
        line.leaders, line.moved_by_order = _by_order(rated, results, chance, scale)
    return lines


def _online_in_order(
    rating: Callable[[Tables, int], Floats], arrivals: Tables, season: Season
) -> Callable[[NDArray[np.int64]], Floats]:
    return lambda order: _anchored(rating([arrivals[i] for i in order], len(season.entrants)), season)


def _rated(results: Results, partners: bool = False) -> RatingTable:
    return rate(results, anchors=ANCHORS, partners=partners)


_ONLINE: dict[str, Callable[[Tables, int], Floats]] = {
    "online Elo, K = 16": lambda tables, entrants: elo(tables, entrants, 16),
    "online Elo, K = 32": lambda tables, entrants: elo(tables, entrants, 32),
    "Weng-Lin": weng_lin,
}


def _fit_line(name: str, fits: list[RatingTable], truth: Floats, scale: float, tables: int) -> Line:
    ratings = np.array([_by_name(fit) for fit in fits])
    plus_minus = np.array([[fit[name].plus_minus for name in fit.comparisons.entrants] for fit in fits])
    held = np.abs(ratings - truth) <= plus_minus
    # Two close bots are told apart when the interval of their difference no longer holds nought.
    half_width = scale * np.mean([_mean_pair_half_width(fit) for fit in fits])
    return Line(
        name,
        error=_rms(scale * (ratings - truth)),
        coverage=float(held.mean()),
        plus_minus=float(scale * plus_minus.mean()),
        tables_to_separate=float(tables * (half_width / CLOSE_ELO) ** 2),
    )


def _mean_pair_half_width(fit: RatingTable) -> float:
    """Return the half width of the 95% interval of a difference, in Elo: root mean square over all pairs."""
    widths = [fit.difference(first, second).plus_minus for first, second in _pairs(fit)]
    return _rms(np.array(widths))


def _pairs(fit: RatingTable) -> list[tuple[str, str]]:
    names = fit.comparisons.entrants
    return [(first, second) for place, first in enumerate(names) for second in names[:place]]


def _by_order(
    rated: Callable[[NDArray[np.int64]], Floats], results: int, chance: np.random.Generator, scale: float
) -> tuple[int, float]:
    """Count the leaders that the same results name in other orders, and measure how far apart the ratings of
    an entrant lie between them, on average. `rated` rates the results in the order that it is given.
    """
    ratings = np.array([rated(chance.permutation(results)) for _ in range(ORDERS)])
    return len(set(ratings.argmax(axis=1).tolist())), float(scale * np.ptp(ratings, axis=0).mean())


def _reordered(results: Results, order: NDArray[np.int64]) -> Results:
    columns = ("entrant", "block", "hand", "score", "table", "forfeit")
    return replace(results, **{name: getattr(results, name)[order] for name in columns})


def _arrivals(season: Season, drawn: NDArray[np.int64], table: NDArray[np.int64]) -> Tables:
    who, scores = season.who[drawn, table].tolist(), season.scores[drawn, table].tolist()
    return list(zip(who, scores, strict=True))


def _by_name(table: RatingTable) -> Floats:
    """Elo by entrant, less that of the anchors."""
    return np.array([table[name].elo for name in table.comparisons.entrants]) - AVERAGE_ELO


def _anchored(ratings: Floats, season: Season) -> Floats:
    anchored: Floats = ratings - ratings[[season.entrants.index(anchor) for anchor in ANCHORS]].mean()
    return anchored


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))


def luck_share(season: Season) -> float:
    """The part of the variance of a score, skill aside, that the hand explains (one-way random effects)."""
    tables = season.who.shape[1]
    played = np.bincount(season.who.ravel())
    means = np.bincount(season.who.ravel(), weights=season.scores.ravel()) / played
    unexplained = season.scores - means[season.who]
    between = tables * unexplained.mean(axis=1).var(ddof=1)
    within = unexplained.var(axis=1, ddof=1).mean()
    cards = max(0.0, (between - within) / tables)
    return float(cards / (cards + within))


def _results(
    season: Season,
    who: NDArray[np.int64],
    block: NDArray[np.int64],
    hand: NDArray[np.int64],
    scores: NDArray[np.int64],
    blocks: int,
) -> Results:
    size = who.size
    return Results(
        season.entrants,
        tuple(range(blocks)),
        entrant=who.ravel(),
        block=block.ravel(),
        hand=hand.ravel(),
        score=scores.ravel().astype(np.float64),
        table=np.full(size, -1),
        forfeit=np.zeros(size, dtype=np.bool_),
    )
