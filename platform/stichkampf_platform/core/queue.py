"""The queue of tasks. Messages may get lost or come twice: leases in the database decide what runs."""

from __future__ import annotations

import logging

from celery import current_app
from kombu.exceptions import OperationalError

REQUEUE_SECONDS = 5
"""Work that no worker has leased by then is queued again."""

logger = logging.getLogger(__name__)


def enqueue(task: str, *arguments: int, queue: str | None = None) -> bool:
    """Queue a task by its registered name, and tell whether the queue took it. Never fails the caller.

    :param queue: another one than the task's.

    By name, because services queue tasks and tasks call services: an import would close a circle.
    """
    try:
        current_app.send_task(task, arguments, expires=3 * REQUEUE_SECONDS, retry=False, queue=queue)
    except OperationalError as error:
        logger.warning("%s%s is not queued: the queue cannot be reached (%s)", task, arguments, error)
        return False
    return True
