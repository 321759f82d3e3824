"""The queue of tasks. Messages may get lost or come twice: leases in the database decide what runs."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from itertools import islice

from celery import current_app
from kombu.exceptions import OperationalError

REQUEUE_SECONDS = 5
"""Work that no worker has leased by then is queued again."""
LOWEST_PRIORITY = 19  # as `nice` counts

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


def enqueue_each(task: str, keys: Iterable[int], *, at_most: int | None = None) -> None:
    """Queue a task for each of these keys, without those for which it failed and is not tried again yet."""
    # here, because it needs the models, and a process that queues nothing may have none
    from stichkampf_platform.core.machines import failures

    paused = failures.waiting(task)
    due = (key for key in keys if str(key) not in paused)
    for key in islice(due, at_most):
        enqueue(task, key)


def yield_processor() -> None:
    """Leave the processor to all other programs, from now on, in the process of this worker."""
    os.setpriority(os.PRIO_PROCESS, 0, LOWEST_PRIORITY)
