"""Verdicts on experiments from their blocks that are over: differences with 95% intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np
import scipy  # type: ignore[import-untyped]
from django.db.models import QuerySet
from stichkampf.games import game_class
from stichkampf.rating import (
    Comparisons,
    ConfidenceInterval,
    Results,
    compare,
    confidence_sequence,
    elo_between,
    rate,
    regression_test,
)

from stichkampf_platform.bots.models import Version
from stichkampf_platform.experiments.models import Experiment, ExperimentKind, Repetition
from stichkampf_platform.ratings.rating_rows import whole_blocks
from stichkampf_platform.tournaments.models import Result, Stopping


class BoundedEstimate(NamedTuple):
    """An estimate and its 95% interval; `None` where there are too few blocks to say, or all ended alike."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class MeasuredDifference:
    """A version of an experiment, less an opponent or the version that sat there before.

    :ivar blocks: blocks in which the two were compared.
    :ivar points: of the match score with the same hand.
    :ivar llr: the log likelihood ratio of a test that ends with a verdict; `None` in any other experiment,
        and where it is endless, since all pairs ended alike.
    """

    version: Version
    opponent: Version
    blocks: int
    points: BoundedEstimate
    elo: BoundedEstimate
    llr: float | None = None


def differences(experiment: Experiment) -> list[MeasuredDifference]:
    """Return what the blocks that are over say: for each opponent, or each version of a comparison."""
    if experiment.kind == ExperimentKind.COUNTERFACTUAL:
        return _in_the_old_seat(experiment)
    tournament = experiment.tournament
    entrants = [one.version for one in tournament.entrants.select_related("version__bot__owner")]
    against = experiment.against
    if against is None:
        met = [(experiment.version, one) for one in entrants if one != experiment.version]
    else:
        met = [(one, against) for one in entrants if one != against]
    rows = _rows(Result.objects.filter(seat__table__block__in=whole_blocks().filter(tournament=tournament)))
    if not rows:
        return [MeasuredDifference(*pair, 0, BoundedEstimate(), BoundedEstimate()) for pair in met]
    compared = compare(Results.from_rows(rows), partners=game_class(tournament.game).partners)
    looks = tournament.stopping == Stopping.DECIDED
    return [_against(compared, *pair, looks=looks) for pair in met]


def _rows(results: QuerySet[Result], *, hands_from: int = 0) -> list[tuple]:
    """Return rows for `Results.from_rows`.

    :param hands_from: added to the numbers of the hands, to tell them from those of other tables.
    """
    found = results.values_list(
        "seat__table__block_id", "seat__number", "seat__entrant__version_id", "score", "seat__table_id",
        "forfeited",
    )  # fmt: skip
    return [(block, hands_from + hand, *rest) for block, hand, *rest in found]


def _against(
    compared: Comparisons, version: Version, opponent: Version, *, looks: bool
) -> MeasuredDifference:
    """Compare two versions over their common blocks.

    :param looks: the number of blocks depended on the results, so the interval must hold at every look.
    """
    entrants = list(compared.entrants)
    if opponent.pk not in entrants or version.pk not in entrants:
        return MeasuredDifference(version, opponent, 0, BoundedEstimate(), BoundedEstimate())
    own, other = entrants.index(version.pk), entrants.index(opponent.pk)
    met = compared.sides.of(own, other)
    blocks = len(met.block)
    points = met.margin / met.measured
    if looks:
        shares = met.half_points / (2 * met.count)
        elo = BoundedEstimate(*map(_finite, elo_between(confidence_sequence(shares))))
        llr = _finite(regression_test(shares).llr)
        return MeasuredDifference(version, opponent, blocks, _between(confidence_sequence(points)), elo, llr)
    difference = rate(compared).difference(version.pk, opponent.pk) if blocks else None
    elo = BoundedEstimate() if difference is None else _around(difference.elo, difference.plus_minus)
    return MeasuredDifference(version, opponent, blocks, student(points), elo)


def _in_the_old_seat(experiment: Experiment) -> list[MeasuredDifference]:
    against = experiment.against
    assert against is not None  # the service that makes counterfactuals has it
    over = whole_blocks().filter(tournament=experiment.tournament)
    pasts = dict(Repetition.objects.filter(block__in=over).values_list("block_id", "past_id"))
    new = _rows(Result.objects.filter(seat__table__block__in=pasts))
    old = _rows(Result.objects.filter(seat__table__block__in=pasts.values()))
    again = [(pasts[block], hand, *rest) for block, hand, *rest in new]
    difference = paired(again, old, experiment.version.pk, against.pk, game=experiment.tournament.game)
    return [MeasuredDifference(experiment.version, against, len(pasts), *difference)]


def paired(
    again: Sequence[tuple], before: Sequence[tuple], new: int, old: int, *, game: str
) -> tuple[BoundedEstimate, BoundedEstimate]:
    """Return by how much a version did better than the one whose seats it took: points a hand, and Elo.

    Both are rated together, against the same opponents. The two plays of a block are one draw of chance, so
    that what they have in common, the cards and the opponents' play, cancels out.

    :param again: rows for `Results.from_rows` of the repeated blocks, under the labels of the past ones.
    :param before: those of the past blocks.
    """
    if not again:
        return BoundedEstimate(), BoundedEstimate()
    # hands of the two plays are told apart, so that none is compared across them
    seats = 1 + max(row[1] for row in before)
    rows = [*before, *((block, seats + hand, *rest) for block, hand, *rest in again)]
    found = rate(Results.from_rows(rows), partners=game_class(game).partners).difference(new, old)
    points = np.array(list(_points_by_block(again, new, before, old).values()))
    return student(points), _around(found.elo, found.plus_minus)


def _points_by_block(
    again: Sequence[tuple], new: int, before: Sequence[tuple], old: int
) -> dict[object, float]:
    def means(rows: Sequence[tuple], version: int) -> dict[object, float]:
        scores: dict[object, list[float]] = {}
        for block, _, who, score, *_ in rows:
            if who == version:
                scores.setdefault(block, []).append(score)
        return {block: sum(own) / len(own) for block, own in scores.items()}

    was = means(before, old)
    return {block: mean - was[block] for block, mean in means(again, new).items() if block in was}


def student(values: Sequence[float] | np.ndarray) -> BoundedEstimate:
    """Return the mean of independent values with Student's interval."""
    if not len(values):
        return BoundedEstimate()
    mean = float(np.mean(values))
    if len(values) < 2 or np.ptp(values) == 0:
        return BoundedEstimate(mean)
    error = float(np.std(values, ddof=1)) / sqrt(len(values))
    return _around(mean, error * float(scipy.special.stdtrit(len(values) - 1, 0.975)))


def _around(mean: float, plus_minus: float | None) -> BoundedEstimate:
    if plus_minus is None:
        return BoundedEstimate(mean)
    return BoundedEstimate(mean, mean - plus_minus, mean + plus_minus)


def _between(interval: ConfidenceInterval) -> BoundedEstimate:
    return _around(interval.mean, None if interval.half_width == inf else interval.half_width)


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
