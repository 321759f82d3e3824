"""Ratings: pure maths from results to Elo with honest intervals. Needs the extra `rating` (numpy and scipy).

From results to the published table, one module a step:

    results      one row for each seat of each table
    comparisons  wins and draws on the same hand of the same block, in integer half-points
    forfeited_blocks  those are another entrant's for the ratings of the others
    fit          strengths: Bradley-Terry by maximum likelihood, with one drawn game as prior
    covariance   their covariance: the sandwich clustered by block; errors of each entrant and each pair
    table        Elo, ±, ranks and likelihoods of superiority; `rate` does it all

and on top of these

    overall      the mean of several ladders
    crosstable   the standing of a tournament and its ties
    residuals    pairs that the ratings do not explain, and how cyclic the field is
    collusion    points that one entrant gives another beyond the field; `points_given` and
                 `compared_pairs` measure them
    stopping     tests whether a tournament or a regression test is decided

Modules import `scipy` as a whole: it loads its parts when they are first used, and most programs of the
platform never rate.

>>> from stichkampf.rating import Results, rate
>>> results = Results.from_rows([
...     ("b1", 0, "ann", 7), ("b1", 0, "bob", 3), ("b1", 1, "ann", 2), ("b1", 1, "bob", 5),
...     ("b2", 0, "ann", 9), ("b2", 0, "bob", 1), ("b2", 1, "ann", 4), ("b2", 1, "bob", 4),
... ])
>>> [(rating.entrant, round(rating.elo, 4)) for rating in rate(results)]
[('ann', 1539.2021), ('bob', 1460.7979)]
"""

from stichkampf.rating.collusion import CollusionEvidence, collusion_evidence
from stichkampf.rating.comparisons import Comparisons, compare
from stichkampf.rating.crosstable import CrosstableRow, standings
from stichkampf.rating.errors import RatingError
from stichkampf.rating.fit import fit_strengths
from stichkampf.rating.overall import OverallRating, mean_of_errors, overall
from stichkampf.rating.residuals import PairResidual, cyclic_share, pair_residuals
from stichkampf.rating.results import Results
from stichkampf.rating.stopping import (
    ConfidenceInterval,
    RegressionVerdict,
    confidence_sequence,
    elo_between,
    leader_is_decided,
    regression_test,
)
from stichkampf.rating.table import (
    ELO_PER_STRENGTH,
    Rating,
    RatingDifference,
    RatingTable,
    rate,
    standard_error_of,
)

__all__ = [
    "ELO_PER_STRENGTH",
    "CollusionEvidence",
    "Comparisons",
    "ConfidenceInterval",
    "CrosstableRow",
    "OverallRating",
    "PairResidual",
    "Rating",
    "RatingDifference",
    "RatingError",
    "RatingTable",
    "RegressionVerdict",
    "Results",
    "collusion_evidence",
    "compare",
    "confidence_sequence",
    "cyclic_share",
    "elo_between",
    "fit_strengths",
    "leader_is_decided",
    "mean_of_errors",
    "overall",
    "pair_residuals",
    "rate",
    "regression_test",
    "standard_error_of",
    "standings",
]
