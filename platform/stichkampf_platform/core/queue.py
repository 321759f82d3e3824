"""Hints to the workers. They may get lost or come twice: leases decide what runs."""

from __future__ import annotations

import logging

from celery import Task
from kombu.exceptions import OperationalError

HINT_SECONDS = 5
"""After so long without a lease, work is hinted at again."""

logger = logging.getLogger(__name__)


def hint(task: Task, *arguments: int) -> bool:
    """Tell the workers that there is work; say whether the queue took it. Never fails the caller."""
    try:
        task.apply_async(arguments, expires=3 * HINT_SECONDS, retry=False)
    except OperationalError as error:
        logger.warning("no hint for %s%s: the queue is away (%s)", task.name, arguments, error)
        return False
    return True
