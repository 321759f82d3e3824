"""Checks of volunteers' answers, behind all other work: at the lowest priority, where marks are made."""

from __future__ import annotations

from celery import shared_task

from stichkampf_platform.core.queue import enqueue, yield_processor
from stichkampf_platform.volunteers import checking
from stichkampf_platform.volunteers.models import VolunteerAnswer


@shared_task
def check_answers() -> None:
    """Check the next answer, then wake a worker for the one after it; a repeated message does nothing."""
    yield_processor()
    if checking.check_next():
        enqueue_checks()


@shared_task
def enqueue_checks() -> None:
    """Queue the check of an answer, if one waits."""
    if VolunteerAnswer.objects.exists():
        enqueue("stichkampf_platform.volunteers.tasks.check_answers")
