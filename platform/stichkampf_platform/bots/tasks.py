from __future__ import annotations

from celery import shared_task

from stichkampf_platform.arbiter import arbiter
from stichkampf_platform.bots import queries, validation
from stichkampf_platform.hints import hint

SUBMISSIONS_A_SWEEP = 4


@shared_task
def validate(submission_id: int) -> None:
    """Validate a submission; a repeated hint does nothing."""
    validation.validate(submission_id=submission_id, arbiter=arbiter())


def hint_validations() -> None:
    for submission in queries.due_submissions()[:SUBMISSIONS_A_SWEEP]:
        hint(validate, submission.pk)
