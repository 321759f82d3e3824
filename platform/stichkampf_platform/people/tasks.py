from __future__ import annotations

import logging

from celery import shared_task

from stichkampf_platform.core.queue import hint
from stichkampf_platform.people import addresses, notices, rates

MAILS_A_SWEEP = 1

logger = logging.getLogger(__name__)


@shared_task
def mail_notice(notice_id: int) -> None:
    """Mail a notice; a repeated hint does nothing, and after a failure the sweep hints again."""
    try:
        notices.mail(notice_id=notice_id)
    except OSError as error:  # of which those of smtplib are a kind
        logger.warning("notice %s is not mailed yet: %s", notice_id, error)


@shared_task
def forget() -> None:
    """Delete counts and addresses that are of no use any more."""
    rates.forget_old()
    addresses.forget_old()


def hint_mails() -> None:
    for notice in notices.due_mails()[:MAILS_A_SWEEP]:
        hint(mail_notice, notice.pk)
