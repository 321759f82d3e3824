"""The progress of an experiment, and its results so far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min

from stichkampf_platform.experiments.models import Experiment
from stichkampf_platform.experiments.verdicts import MeasuredDifference, differences
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.queries import TournamentProgress, progress


@dataclass(frozen=True)
class ExperimentStanding:
    """An experiment now.

    :ivar first_table_at: when its first table started; `None` before.
    """

    progress: TournamentProgress
    first_table_at: datetime | None
    differences: list[MeasuredDifference]


def standing(experiment: Experiment) -> ExperimentStanding:
    """Return how an experiment is doing, read from its results now."""
    tables = Table.objects.filter(block__tournament=experiment.tournament)
    first = tables.aggregate(first=Min("started_at"))["first"]
    return ExperimentStanding(progress(experiment.tournament), first, differences(experiment))
