from __future__ import annotations

import logging

from celery import shared_task

from stichkampf_platform.bots import arbiter_sync, archive_space, queries
from stichkampf_platform.bots.models import Submission
from stichkampf_platform.bots.validation import match_records, revalidation, run
from stichkampf_platform.core.arbiter_client import arbiter, gate
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.core.log_subject import log_subject
from stichkampf_platform.core.queue import enqueue_each

SUBMISSIONS_A_SWEEP = 4
VALIDATION_SECONDS = 3400
"""Far longer than other tasks: a bot may take its time at each of some hundred decisions, and the attempt
after one that was broken off starts at the first game. Below the hour after which Redis sends a task again.
"""

logger = logging.getLogger(__name__)


@shared_task(soft_time_limit=VALIDATION_SECONDS, time_limit=VALIDATION_SECONDS + 60)
def validate(submission_id: int) -> None:
    """Validate a submission, then wake a worker for the next one; a repeated message does nothing."""
    with log_subject(submission=submission_id):
        remote = Submission.objects.filter(pk=submission_id, version__remote=True).exists()
        if run.validate(submission_id=submission_id, arbiter=gate() if remote else arbiter()):
            enqueue_validations()


@shared_task
def watch_remote_bots() -> None:
    """Sync remote bots with the arbiter, and queue the validation of those that have connected."""
    try:
        arbiter_sync.watch(gate())
    except ArbiterGone as error:
        logger.debug("it is not known which remote bots are connected: %s", error)  # every two seconds
        return
    enqueue_validations()


@shared_task
def mark_stale() -> None:
    """Have versions validated again after a change of their games' rules or of the wire."""
    revalidation.mark_stale()
    revalidation.suspend_absent(gate())


@shared_task
def delete_rejected() -> None:
    """Make room: delete the archives of versions that were rejected long enough ago."""
    archive_space.delete_rejected()


@shared_task
def forget_trials() -> None:
    """Delete records of trials that have been kept for long enough."""
    match_records.forget_old()


def enqueue_validations() -> None:
    """Queue the validations that are due."""
    due = [submission.pk for submission in queries.due_submissions()]
    enqueue_each("stichkampf_platform.bots.tasks.validate", due, at_most=SUBMISSIONS_A_SWEEP)
