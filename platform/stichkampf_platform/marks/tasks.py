"""Tasks about marks, behind all other work: one worker process takes them, at the lowest priority."""

from __future__ import annotations

import logging

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded

from stichkampf_platform.core.queue import enqueue, yield_processor
from stichkampf_platform.marks import choice, queries, services

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
    choice.make_unasked()
    enqueue_marks()


@shared_task
def enqueue_marks() -> None:
    """Queue the next match that waits for its marks."""
    services.give_up_lost()
    due = queries.due(1)
    services.mark_hinted(analyses=due)
    for analysis in due:
        enqueue("stichkampf_platform.marks.tasks.make_marks", analysis.pk)
