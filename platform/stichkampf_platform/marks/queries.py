"""Queries about marks and continuations. Each guards that those of a block are read only when the block is
over, and of a private tournament by those who see it."""

from __future__ import annotations

from django.db.models import Case, Count, QuerySet, When
from stichkampf.analysis import ANALYSIS_VERSION

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.marks.models import Analysis, JudgedSeat, StoredContinuations, StoredMark
from stichkampf_platform.tournaments.models import Seat, Table
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.tournaments.shown import Viewer


def analysis_of(table_id: int, person: Viewer = None) -> Analysis | None:
    """Return the analysis of a table whose block is over; None where there is none."""
    shown = Analysis.objects.filter(table__in=shown_tables(person), table_id=table_id)
    return shown.prefetch_related("seats__seat").first()


def is_current(analysis: Analysis) -> bool:
    """Tell whether the marks are made, by the analysis of today."""
    return analysis.state == Analysis.State.MADE and analysis.analysis_version == ANALYSIS_VERSION


def marks_of(table_id: int, seat: int | None = None, person: Viewer = None) -> QuerySet[StoredMark]:
    """Return the marks of a table whose block is over, in the order of the match.

    :param seat: only those of this seat, from 0; None for all.
    """
    shown = StoredMark.objects.filter(
        judged__seat__table__in=shown_tables(person), judged__seat__table_id=table_id
    )
    chosen = shown if seat is None else shown.filter(judged__seat__number=seat)
    return chosen.select_related("judged__seat").order_by("decision")


def costliest_of(
    versions: list[Version], how_many: int, person: Viewer = None, *, beside: Bot | None = None
) -> list[StoredMark]:
    """Return the costliest decisions of these versions, among the matches marked so far.

    :param beside: only in matches in which this bot sat at the table.
    """
    shown = StoredMark.objects.filter(
        judged__seat__entrant__version__in=versions,
        judged__seat__table__in=_tables_with(beside, shown_tables(person)),
    )
    found = shown.select_related("judged__seat__table__block__tournament", "judged__seat__entrant__version")
    return list(found.order_by("-points", "-pk")[:how_many])


def judged_matches(versions: list[Version], person: Viewer = None, *, beside: Bot | None = None) -> int:
    """Count the matches of these versions that were marked so far.

    :param beside: only those in which this bot sat at the table.
    """
    tables = _tables_with(beside, shown_tables(person))
    seats = Seat.objects.filter(entrant__version__in=versions, table__in=tables)
    judged = JudgedSeat.objects.filter(seat__in=seats)
    return judged.aggregate(matches=Count("analysis", distinct=True))["matches"]


def _tables_with(bot: Bot | None, tables: QuerySet[Table]) -> QuerySet[Table]:
    """Return those of the tables at which a bot sat; all of them for None."""
    if bot is None:
        return tables
    judged = JudgedSeat.objects.filter(seat__entrant__version__bot=bot)
    return tables.filter(pk__in=judged.values("seat__table"))


def waiting() -> QuerySet[Analysis]:
    """Return the analyses that are still to be made, in their order: requests first, then the oldest."""
    unasked = Case(When(reason=Analysis.Reason.REQUEST, then=0), default=1)
    return Analysis.objects.filter(state=Analysis.State.WAITING).order_by(unasked, "requested_at", "pk")


def backlog() -> int:
    """Count the matches that wait for their marks."""
    return Analysis.objects.filter(state=Analysis.State.WAITING).count()


def continuations_of(table_id: int, decision: int, person: Viewer = None) -> QuerySet[StoredContinuations]:
    """Return the continuations of a decision at a table whose block is over, the first asked for first."""
    shown = StoredContinuations.objects.filter(table__in=shown_tables(person), table_id=table_id)
    return shown.filter(decision=decision).order_by("requested_at", "pk")


def waiting_continuations() -> QuerySet[StoredContinuations]:
    """Return the continuations that are still to be played, the oldest first."""
    waiting = StoredContinuations.objects.filter(state=StoredContinuations.State.WAITING)
    return waiting.order_by("requested_at", "pk")
