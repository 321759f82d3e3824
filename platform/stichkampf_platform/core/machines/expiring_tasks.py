"""Tasks whose messages expire by the database's clock, and whose failures are noted.

A message that no worker took in time is dropped.

Celery's own `expires` compares the clock of the sender with that of the receiver: a node that is a minute
ahead would drop every message. So the message names the moment on the shared clock instead.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from celery import Task
from celery.exceptions import Ignore
from celery.signals import before_task_publish
from django.db import DatabaseError
from django.utils import timezone

from stichkampf_platform.core import clock
from stichkampf_platform.core.machines import failures

FRESH_UNTIL = "fresh_until"

logger = logging.getLogger(__name__)


class ExpiringTask(Task):
    """A task that does nothing if its message has expired.

    Where it fails, whatever for, operators read of it until it succeeds: `failures` keeps it by its name and
    arguments.
    """

    def before_start(self, task_id: str, args: Any, kwargs: Any) -> None:
        until = self.request.get(FRESH_UNTIL)
        if until is not None and clock.now().timestamp() > until:
            raise Ignore

    def on_failure(self, exc: BaseException, task_id: str, args: Any, kwargs: Any, einfo: object) -> None:
        try:
            failures.note(self.name, _item(args), exc)
        except DatabaseError as error:
            logger.warning("the failure of %s is not noted: %s", self.name, error)

    def on_success(self, retval: object, task_id: str, args: Any, kwargs: Any) -> None:
        try:
            failures.forget(self.name, _item(args))
        except DatabaseError as error:
            logger.warning("the failure of %s is not forgotten: %s", self.name, error)


def _item(args: Any) -> str:
    return " ".join(map(str, args))


@before_task_publish.connect
def date_message(headers: dict[str, Any], **_: object) -> None:
    """Replace `expires` of a message that is about to be sent."""
    if headers.get("expires"):
        left = datetime.fromisoformat(headers["expires"]) - timezone.now()
        headers[FRESH_UNTIL] = (clock.now() + left).timestamp()
        headers["expires"] = None
