from __future__ import annotations

import logging

from celery import shared_task

from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.core.queue import enqueue_each
from stichkampf_platform.people import network_addresses, notices, rates
from stichkampf_platform.people.access import audit, open_sessions

MAILS_A_SWEEP = 1
FORGETTING = (
    *(rates.forget_old, network_addresses.forget_old, open_sessions.forget_old, audit.forget_old),
    failures.forget_old,
)

logger = logging.getLogger(__name__)


@shared_task
def mail_notice(notice_id: int) -> None:
    """Mail a notice; a repeated message does nothing, and after a failure the sweep queues it again."""
    try:
        notices.mail(notice_id=notice_id)
    except OSError as error:  # of which those of smtplib are a kind
        logger.warning("notice %s is not mailed yet: %s", notice_id, error)


@shared_task
def forget() -> None:
    """Delete counts, addresses, sessions and old entries of the audit log."""
    each_by_itself("forgetting", FORGETTING, lambda forget_old: forget_old())


def enqueue_mails() -> None:
    """Queue the mails that are due."""
    due = notices.due_mails().values_list("pk", flat=True)
    enqueue_each("stichkampf_platform.people.tasks.mail_notice", due, at_most=MAILS_A_SWEEP)
