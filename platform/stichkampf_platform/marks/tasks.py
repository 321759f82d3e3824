"""Tasks about marks and continuations, behind all other work.

One worker process takes them, at the lowest priority.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db.models import QuerySet

from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.core.queue import enqueue, yield_processor
from stichkampf_platform.marks import continuing, queries, services, unasked_marks, work_queue
from stichkampf_platform.marks.models import Analysis, RequestedWork, StoredContinuations

logger = logging.getLogger(__name__)


@shared_task
def make_marks(analysis_id: int) -> None:
    """Make the marks of a match, then wake a worker for the next one; a repeated message does nothing."""
    yield_processor()
    try:
        services.make(analysis_id=analysis_id)
    except SoftTimeLimitExceeded:
        logger.warning("the marks of analysis %s take too long", analysis_id)
    enqueue_marks()


@shared_task
def choose_matches() -> None:
    """Choose the matches whose marks are made unasked."""
    unasked_marks.make_unasked()
    enqueue_marks()


@shared_task
def play_continuations(continuations_id: int) -> None:
    """Play the continuations of a decision; a repeated message does nothing."""
    yield_processor()
    try:
        continuing.play(continuations_id=continuations_id)
    except SoftTimeLimitExceeded:
        logger.warning("continuations %s take too long", continuations_id)
    enqueue_marks()


@shared_task
def enqueue_marks() -> None:
    """Queue the next match that waits for its marks, and the next continuations."""
    each_by_itself("requested work", (_enqueue_analysis, _enqueue_continuations), lambda part: part())


def _enqueue_analysis() -> None:
    for analysis in _next(Analysis, queries.waiting()):
        enqueue("stichkampf_platform.marks.tasks.make_marks", analysis.pk)


def _enqueue_continuations() -> None:
    for asked in _next(StoredContinuations, queries.waiting_continuations()):
        enqueue("stichkampf_platform.marks.tasks.play_continuations", asked.pk)


def _next(model: type[RequestedWork], waiting: QuerySet[Any]) -> Sequence[RequestedWork]:
    """Return the next work of a kind, if any: a worker is about to be told of it."""
    work_queue.give_up_lost(model)
    due: Sequence[RequestedWork] = work_queue.due(waiting, 1)
    work_queue.mark_hinted(due)
    return due
