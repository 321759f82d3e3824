"""Tasks about marks and continuations, behind all other work.

One worker process takes them, at the lowest priority.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db.models import QuerySet

from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.machines.failures import Try, by_itself, each_by_itself
from stichkampf_platform.core.queue import enqueue, yield_processor
from stichkampf_platform.marks import continuing, queries, services, unasked_marks, work_queue
from stichkampf_platform.marks.models import Analysis, RequestedWork, StoredContinuations

logger = logging.getLogger(__name__)


@contextmanager
def _worked_at(model: type[RequestedWork], pk: int) -> Iterator[Try]:
    """Note that this work fails, and give it up once it has failed again and again."""
    with by_itself(model._meta.label, pk, give_up=lambda _pk, _reason: work_queue.give_up(model, pk)) as this:
        try:
            yield this
        except SoftTimeLimitExceeded:
            this.idle = True
            logger.warning("%s %s take too long", model._meta.verbose_name_plural, pk)


@shared_task
def make_marks(analysis_id: int) -> None:
    """Make the marks of a match, then wake a worker for the next one; a repeated message does nothing."""
    yield_processor()
    with _worked_at(Analysis, analysis_id) as this:
        this.idle = not services.make(analysis_id=analysis_id)
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
    with _worked_at(StoredContinuations, continuations_id) as this:
        this.idle = not continuing.play(continuations_id=continuations_id)
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
    later = failures.waiting(model._meta.label)
    due: Sequence[RequestedWork] = work_queue.due(waiting.exclude(pk__in=later), 1)
    work_queue.mark_hinted(due)
    return due
