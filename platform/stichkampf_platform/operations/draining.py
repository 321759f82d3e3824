"""Draining an installation, and what still runs."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from stichkampf_platform.bots.models import Submission
from stichkampf_platform.core import clock
from stichkampf_platform.tournaments.models import Table, Tournament


@dataclass(frozen=True)
class StillRunning:
    """Work that has begun: tables that are not landed, and validations that a worker holds."""

    tables: int
    validations: int

    def __str__(self) -> str:
        tables = f"{self.tables} table{'' if self.tables == 1 else 's'}"
        return f"{tables} and {self.validations} validation{'' if self.validations == 1 else 's'}"


def still_running() -> StillRunning:
    """Count what has begun; tables of a paused tournament begin only when it is resumed."""
    now = clock.now()
    begun = Q(attempts__gt=0, block__tournament__state=Tournament.State.RUNNING)
    tables = Table.objects.filter(begun | Q(lease_until__gte=now), state=Table.State.PENDING)
    held = Submission.objects.filter(lease_until__gte=now, finished_at=None).exclude(lease_owner="")
    return StillRunning(tables.count(), held.count())
