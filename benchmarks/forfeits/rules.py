"""Rules for forfeits, each a matrix of half-points: what the row's bot took from the column's by it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from failing import Bools, Cast, Failure, Floats, Ints, play
from stichkampf.rating import Results, compare
from stichkampf.rating.forfeited_blocks import set_apart

Rule = Callable[[Cast, Ints, Failure, list[int]], Floats]
"""From the bots by block, table and seat to half-points."""


def results(bots: int, who: Ints, score: Ints, forfeit: Bools, first: int = 0) -> Results:
    """Return what was played as the ratings read it.

    :param first: the number of the first block.
    """
    block, table, hand = np.indices(who.shape)
    return Results(
        tuple(range(bots)),
        tuple(range(first, first + len(who))),
        entrant=who.ravel(),
        block=block.ravel(),
        hand=hand.ravel(),
        score=score.ravel().astype(np.float64),
        table=(block * who.shape[1] + table).ravel(),
        forfeit=forfeit.ravel(),
    )


def stands(cast: Cast, who: Ints, failure: Failure | None, seed: list[int]) -> Floats:
    """Count what was played, as if the bot itself had played so."""
    return as_played(len(cast.skill), who, *play(cast, who, failure, seed))


def apart(cast: Cast, who: Ints, failure: Failure | None, seed: list[int]) -> Floats:
    """Count what was played, and the bot as another with the group it forfeited in: the rule of the site."""
    compared = compare(results(len(cast.skill), who, *play(cast, who, failure, seed)))
    return set_apart(compared).comparisons.half_point_matrix.astype(np.float64)


def as_played(bots: int, who: Ints, score: Ints, forfeit: Bools) -> Floats:
    return compare(results(bots, who, score, forfeit)).half_point_matrix.astype(np.float64)


def void(cast: Cast, who: Ints, failure: Failure, seed: list[int]) -> Floats:
    """Comparisons of the others at a forfeited table are void; who forfeited loses all of its hand."""
    return void_at_the_table(len(cast.skill), who, *play(cast, who, failure, seed))


def void_at_the_table(bots: int, who: Ints, score: Ints, forfeit: Bools) -> Floats:
    return _pairs(bots, who, score, forfeit, forfeit.any(axis=2, keepdims=True) & ~forfeit)


def kept_where_alike(cast: Cast, who: Ints, failure: Failure, seed: list[int]) -> Floats:
    """In a block with a forfeit nothing counts for the others: not all met the same at the same tables."""
    score, forfeit = play(cast, who, failure, seed)
    spoilt = forfeit.any(axis=(1, 2), keepdims=True) & ~forfeit
    return _pairs(len(cast.skill), who, score, forfeit, spoilt)


def played_again(cast: Cast, who: Ints, failure: Failure, seed: list[int]) -> Floats:
    """A block with a forfeit is played again, with the substitute in all seats of the one that forfeited."""
    score, forfeit = play(cast, who, failure, seed)
    again, _ = play(cast, who, None, [*seed, 1])
    spoilt = forfeit.any(axis=(1, 2), keepdims=True)
    return _pairs(len(cast.skill), who, np.where(spoilt, again, score), np.zeros_like(forfeit), None)


def own_entrant(cast: Cast, who: Ints, failure: Failure, seed: list[int]) -> Floats:
    """A forfeited seat is another entrant, in the last row and column."""
    score, forfeit = play(cast, who, failure, seed)
    return _pairs(len(cast.skill) + 1, np.where(forfeit, len(cast.skill), who), score, forfeit, None)


SITE = "another bot with that group"
RULES: dict[str, Rule] = {
    "void at that table": void,
    "void in that block": kept_where_alike,
    "played again": played_again,
    "another bot on that hand": own_entrant,
    "stands": stands,
    SITE: apart,
}


def _pairs(bots: int, who: Ints, score: Ints, forfeit: Bools, spoilt: Bools | None) -> Floats:
    """Add up half-points of all who held one hand; where comparisons are void, a forfeit still loses them."""
    matrix = np.zeros((bots, bots))
    tables = who.shape[1]
    for one in range(tables):
        for other in range(one + 1, tables):
            points = np.sign(score[:, one] - score[:, other]) + 1.0
            counted = who[:, one] != who[:, other]
            if spoilt is not None:
                lost, won = forfeit[:, one], forfeit[:, other]
                points = np.where(lost | won, 1.0 - lost + won, points)
                counted &= lost | won | ~(spoilt[:, one] | spoilt[:, other])
            np.add.at(matrix, (who[:, one][counted], who[:, other][counted]), points[counted])
            np.add.at(matrix, (who[:, other][counted], who[:, one][counted]), 2 - points[counted])
    return matrix
