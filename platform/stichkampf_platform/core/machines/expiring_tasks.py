"""Tasks whose messages expire by the database's clock: one that no worker took in time is dropped.

Celery's own `expires` compares the clock of the sender with that of the receiver: a node that is a minute
ahead would drop every message. So the message names the moment on the shared clock instead.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from celery import Task
from celery.exceptions import Ignore
from celery.signals import before_task_publish
from django.utils import timezone

from stichkampf_platform.core import clock

FRESH_UNTIL = "fresh_until"


class ExpiringTask(Task):
    """A task that does nothing if its message has expired."""

    def before_start(self, task_id: str, args: Any, kwargs: Any) -> None:
        until = self.request.get(FRESH_UNTIL)
        if until is not None and clock.now().timestamp() > until:
            raise Ignore


@before_task_publish.connect
def date_message(headers: dict[str, Any], **_: object) -> None:
    """Replace `expires` of a message that is about to be sent."""
    if headers.get("expires"):
        left = datetime.fromisoformat(headers["expires"]) - timezone.now()
        headers[FRESH_UNTIL] = (clock.now() + left).timestamp()
        headers["expires"] = None
