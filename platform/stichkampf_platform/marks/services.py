"""Changes of marks: a request, and the making of them."""

from __future__ import annotations

import logging
import time

import stichkampf
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from stichkampf.analysis import ANALYSIS_VERSION, MatchAnalysis, analyse_match

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import NotShown, RequestRefused
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.marks import work_queue
from stichkampf_platform.marks.models import Analysis, JudgedSeat, StoredMark
from stichkampf_platform.marks.queries import backlog, is_current
from stichkampf_platform.people import rates
from stichkampf_platform.people.models import User
from stichkampf_platform.people.network_addresses import counted
from stichkampf_platform.tournaments.models import Seat
from stichkampf_platform.tournaments.queries import shown_tables

logger = logging.getLogger(__name__)


class BacklogFull(RequestRefused):
    """Too many matches wait for their marks already."""


def request_marks(*, table_id: int, by: User | None, address: str = "") -> Analysis:
    """Have the marks of a match made, unless they are made or asked for already.

    :param by: `None` for a guest; guests leave half of the backlog to accounts.
    :raises NotShown: its block is not over yet, or there is no such match.
    :raises TooMany: the person or address asked too often.
    :raises BacklogFull: too many matches wait already.
    """
    with transaction.atomic():
        if not shown_tables(by).filter(pk=table_id).exists():
            raise NotShown(
                _("Table {table_id} has no marks: there is none, or its block is not over yet.").format(
                    table_id=table_id
                )
            )
        there = Analysis.objects.filter(table=table_id).first()
        if there and (is_current(there) or there.state == Analysis.State.WAITING):
            return there
        if by is None:
            rates.count("marks", address=address)
        else:
            rates.count("marks", account=str(by.pk), address=counted(by, address))
        waiting, most = backlog(), settings.MARKS_BACKLOG
        if waiting >= (most if by else most // 2):
            raise BacklogFull(
                ngettext(
                    "A match waits for its marks already, and no more may wait. Try again later.",
                    "{marks_backlog} matches wait for their marks already, which is as many as may wait. "
                    "Try again later.",
                    waiting,
                ).format(marks_backlog=waiting)
            )
        analysis = _wait(table_id, Analysis.Reason.REQUEST, by)
    enqueue("stichkampf_platform.marks.tasks.make_marks", analysis.pk)
    return analysis


@transaction.atomic
def make_unasked(*, table_ids: list[int], reason: str) -> int:
    """Have the marks of matches made unasked, as long as half of the backlog is free.

    :returns: the number of matches that were added to the backlog.
    """
    known = set(Analysis.objects.filter(table__in=table_ids).values_list("table", flat=True))
    free = settings.MARKS_BACKLOG // 2 - backlog()
    new = [table for table in table_ids if table not in known][: max(0, free)]
    return each_by_itself("marks unasked", new, lambda table: _wait(table, reason))


def _wait(table_id: int, reason: str, by: User | None = None) -> Analysis:
    """Put a match into the backlog; marks of an earlier analysis stay until the new ones are made."""
    waiting = {**work_queue.waits_from_now(by), "reason": reason}
    return Analysis.objects.update_or_create(table_id=table_id, defaults=waiting)[0]


def make(*, analysis_id: int) -> bool:
    """Make the marks of a match that waits for them, and tell whether they were made now.

    A worker that dies leaves its lease behind; after `work_queue.MOST_ATTEMPTS` of them the analysis has
    failed.
    """
    analysis = work_queue.take(Analysis, analysis_id)
    if analysis is None:
        return False
    started = time.process_time()
    with work_queue.unless_away(analysis):
        found = work_queue.worked_out(analysis, analyse_match)
        if found is None:
            return False
        _store(analysis, found, time.process_time() - started)
    return True


@transaction.atomic
def _store(analysis: Analysis, found: MatchAnalysis, seconds: float) -> None:
    """Store marks in place of earlier ones, once: a second worker finds the analysis no longer waiting."""
    made = {
        "state": Analysis.State.MADE,
        "lease_until": None,
        "made_at": clock.now(),
        "analysis_version": ANALYSIS_VERSION,
        "engine": stichkampf.__version__,
        "seconds": seconds,
    }
    if not Analysis.objects.filter(pk=analysis.pk, state=Analysis.State.WAITING).update(**made):
        return
    JudgedSeat.objects.filter(analysis=analysis).delete()
    judged = {
        seat.number: JudgedSeat(analysis=analysis, seat=seat, decisions=found.judged[seat.number])
        for seat in Seat.objects.filter(table=analysis.table_id)
    }
    JudgedSeat.objects.bulk_create(judged.values())
    StoredMark.objects.bulk_create(
        StoredMark(
            judged=judged[mark.seat],
            decision=mark.decision,
            deal=mark.deal,
            chosen=mark.chosen,
            better=mark.better,
            points=mark.cost.points,
            low=mark.cost.low,
            high=mark.cost.high,
            worlds=mark.worlds,
            open_better=mark.open_better,
            open_points=mark.open_cost.points,
            open_low=mark.open_cost.low,
            open_high=mark.open_cost.high,
        )
        for mark in found.marks
    )
