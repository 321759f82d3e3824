"""Conduct: a version that faults too often is suspended, and its owner is told with the evidence.

Matches of blocks that are over and that everybody may see are counted, so the evidence never shows a hand
that is still in play. A failure of the platform is no fault and leaves no result, so it never counts;
nor does time for which the machine, or other bots on it, kept a bot from a processor core.
The matches that one outage of a remote bot's line has ended count once, however many tables were open.
Nor do matches of experiments, for which any author may ask: challenges, comparisons and counterfactuals.
Nor do matches of tournaments of organisers that were not released, nor those with less time for a move than
in a validation: one must not be able to have a rival suspended by entering it where no bot could keep up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import QuerySet
from stichkampf.faults import FaultKind
from stichkampf.limits import REMOTE_ABSENCE_SECONDS
from stichkampf.time_control import LADDER_CLOCK

from stichkampf_platform.bots import services
from stichkampf_platform.bots.models import SuspendedFor, Version
from stichkampf_platform.people.notices import Evidence
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments.models import Block, Result
from stichkampf_platform.tournaments.queries import readable_reports, shown_results

MATCHES_SHOWN = 20
STDERR_SHOWN = 3
"""Matches of which the owner is shown the end of standard error; the bot's page has all of it."""
STDERR_CHARACTERS = 1500
OUTAGE = timedelta(seconds=REMOTE_ABSENCE_SECONDS + 30)
"""The longest time between the ends of the first and the last match that one outage has ended."""


@dataclass(frozen=True)
class Conduct:
    """The behaviour of a version in its last matches.

    :ivar bad: those with a fault, newest first.
    """

    matches: int
    bad: Sequence[Result]

    @property
    def forfeited(self) -> int:
        return sum(result.forfeited for result in self.bad)

    @property
    def incidents(self) -> list[list[Result]]:
        """The matches that count together: those that one outage of a remote bot's line has ended, the
        others each by itself.
        """
        found: list[list[Result]] = []
        outage: list[Result] = []
        for result in reversed(self.bad):
            if not _is_of_an_outage(result):
                found.append([result])
            elif outage and result.seat.table.finished_at - outage[0].seat.table.finished_at <= OUTAGE:
                outage.append(result)
            else:
                outage = [result]
                found.append(outage)
        return found

    @property
    def points(self) -> int:
        return sum(
            settings.CONDUCT_FORFEIT_POINTS
            if any(result.forfeited for result in incident)
            else settings.CONDUCT_FAULT_POINTS
            for incident in self.incidents
        )

    @property
    def is_too_bad(self) -> bool:
        return self.points >= settings.CONDUCT_SUSPENDED_WITH_POINTS

    def in_words(self) -> Sentence:
        return Sentence(
            "Of its last {matches} matches, {bad} had a fault, and {forfeited} of these were forfeited. "
            "Matches that one lost connection ended count as one. "
            "Points for that: {points}; from {most} on a version is suspended.",
            matches=self.matches,
            bad=len(self.bad),
            forfeited=self.forfeited,
            points=self.points,
            most=settings.CONDUCT_SUSPENDED_WITH_POINTS,
        )


def _is_of_an_outage(result: Result) -> bool:
    """Tell whether a match has no other fault than that a remote bot was away."""
    kinds = {fault.kind for fault in result.fault_list.all()}
    return kinds == {FaultKind.DISCONNECTED}


def review(*, blocks: Collection[Block]) -> list[Version]:
    """Suspend the players of blocks that are over together who fault too often; return them."""
    counted = [block.pk for block in blocks if not block.tournament.experiment]
    with_faults = Result.objects.filter(faults__gt=0, seat__table__block__in=counted)
    if not counted or not with_faults.exists():
        return []
    faulty = with_faults.filter(
        seat__entrant__version__house="",
        seat__entrant__version__state=Version.State.APPROVED,
    )
    # all at once, and always in this order, so that blocks that end at once do not wait for each other
    found = Version.objects.select_for_update(of=["self"], no_key=True).filter(
        pk__in=set(faulty.order_by().values_list("seat__entrant__version", flat=True)),
        state=Version.State.APPROVED,
    )
    suspended = []
    for version in found.order_by("pk").select_related("bot__owner"):
        conduct = conduct_of(version)
        if conduct.is_too_bad:
            services.suspend(
                version=version,
                reason=conduct.in_words(),
                cause=SuspendedFor.FAULTS,
                evidence=_evidence(conduct),
            )
            suspended.append(version)
    return suspended


def conduct_of(version: Version) -> Conduct:
    """Return the behaviour of a version in the last matches that count, since it was last forgiven."""
    results = list(_counted(version)[: settings.CONDUCT_MATCHES])
    return Conduct(len(results), [result for result in results if result.faults])


def _counted(version: Version) -> QuerySet[Result]:
    results = shown_results().filter(
        seat__entrant__version=version,
        seat__table__block__replaced_by=None,
        seat__table__block__tournament__released=True,
        seat__table__block__tournament__experiment=False,
        seat__table__block__tournament__move_seconds__gte=LADDER_CLOCK.move_seconds,
    )
    if version.forgiven_at is not None:
        results = results.filter(seat__table__finished_at__gt=version.forgiven_at)
    # without the reports: while the results are sorted, others wait for the lock of `results.store`
    return (
        results.select_related("seat__table__block__tournament")
        .prefetch_related("fault_list")
        .order_by("-seat__table__finished_at", "-pk")
    )


def _evidence(conduct: Conduct) -> list[Evidence]:
    shown = STDERR_SHOWN
    evidence = []
    bad = conduct.bad[:MATCHES_SHOWN]
    readable = set(
        readable_reports().filter(seat__in=[result.seat_id for result in bad]).values_list("pk", flat=True)
    )
    for result in bad:
        faults = list(result.fault_list.all())
        table = result.seat.table
        report = getattr(result.seat, "report", None)
        stderr = report.stderr[-STDERR_CHARACTERS:] if report is not None and shown else ""
        shown -= bool(stderr)
        waits = report is not None and bool(stderr) and report.pk not in readable
        evidence.append(
            Evidence(
                match=str(table),
                address=faults[0].page(),
                faults=dict(Counter(fault.kind for fault in faults)),
                forfeited=result.forfeited,
                stderr="" if waits else stderr,
                stderr_waits=waits,
            )
        )
    return evidence
