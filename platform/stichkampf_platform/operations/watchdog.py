"""End a worker that takes no tasks any more; the supervisor starts it again.

Celery's consumer has hung after a lost Redis in one way or another in every version (celery/celery issues
8030, 9054, 10205, 10302); `celery_app` avoids the way that is known of this one. The leases keep the tables
safe meanwhile, but no worker plays them.
"""

from __future__ import annotations

import logging
import os
import time
from functools import cached_property
from threading import Thread
from typing import Any

from celery.signals import task_received
from celery.worker.consumer import Consumer
from celery.worker.state import reserved_requests

LOOK_SECONDS = 4.0
STUCK_SECONDS = 12.0
"""Time that tasks may wait beside a free process; a healthy worker takes them at once."""

logger = logging.getLogger(__name__)


class Watchdog(Thread):
    """A thread that checks now and then if tasks wait while this worker is free to take them.

    A thread, because what hangs may be the worker's own loop, which `tick` shows.
    """

    def __init__(self, consumer: Consumer) -> None:
        super().__init__(name="watchdog", daemon=True)
        self.consumer = consumer
        self.queues = list(consumer.app.amqp.queues.consume_from)
        self._connection = consumer.app.connection_for_read()
        self.ticked = self.heard = time.monotonic()

    def tick(self) -> None:
        """Note that the worker's loop is running."""
        self.ticked = time.monotonic()

    def hear(self, **_: object) -> None:
        """Note that a task was received."""
        self.heard = time.monotonic()

    def run(self) -> None:
        while not self.is_stuck():
            time.sleep(LOOK_SECONDS)
        logger.error("tasks wait, and this worker does not take them: it ends, to be started again")
        os._exit(1)

    def is_stuck(self) -> bool:
        """True if tasks have waited for too long while this worker was free, or hung."""
        now = time.monotonic()
        busy = (
            len(reserved_requests) >= self.consumer.pool.num_processes and now - self.ticked < STUCK_SECONDS
        )
        if busy or not self.waiting():
            self.heard = now
        return now - self.heard >= STUCK_SECONDS

    @cached_property
    def _redis(self) -> Any:
        return self._connection.channel().client

    def waiting(self) -> int:
        """Tasks in the queues that this worker listens to; 0 while Redis is away."""
        try:
            with self._redis.pipeline(transaction=False) as asked:
                for queue in self.queues:
                    asked.llen(queue)
                return sum(asked.execute())
        except self._connection.connection_errors:
            return 0


def keep_watch(sender: Consumer, **_: object) -> None:
    """Give a worker that is ready its watchdog."""
    watchdog = Watchdog(sender)
    task_received.connect(watchdog.hear, weak=False)
    sender.timer.call_repeatedly(LOOK_SECONDS, watchdog.tick)
    watchdog.start()
