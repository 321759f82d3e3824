"""The Celery application: queues by purpose and a schedule. The database decides what runs.

A message may get lost, come twice or come late, so nothing is retried here. Work that failed through a fault
of the platform is free again when its lease ends, and the next sweep queues it; a fault of a bot is a result.

Fairness is made where blocks are queued: `tournaments.queries.next_blocks` gives running tournaments equally
many blocks in play. For that a worker reserves one task for each of its processes and none ahead
(acknowledged late, multiplier 1), and a message that no worker took grows old
(`core.machines.expiring_tasks`): those in the queue are seconds old.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from logging import getLogger
from logging.config import dictConfig
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from celery.signals import celeryd_after_setup, celeryd_init, setup_logging, worker_ready
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from kombu.connection import Connection

from stichkampf_platform.core.machines.database_turns import hand_on_connections
from stichkampf_platform.operations.watchdog import keep_watch
from stichkampf_platform.supervisor.worker_programs import places

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.production")

RECONNECT_SECONDS = 1.0


class SteadyConnection(Connection):
    """A connection that a worker tries every second where Redis is away, and not ever more seldom.

    Kombu's pauses grow to half a minute, for which nothing would be played once Redis is back.
    """

    def _ensure_connection(
        self,
        errback: Any = None,
        max_retries: int | None = None,
        interval_start: float = RECONNECT_SECONDS,
        interval_step: float = 0.0,
        interval_max: float = RECONNECT_SECONDS,
        *more: Any,
        **options: Any,
    ) -> Any:
        # Kombu gives these by place where it sends again, by name or not at all elsewhere
        return super()._ensure_connection(
            errback, max_retries, interval_start, interval_step, interval_max, *more, **options
        )


class SteadyAMQP(AMQP):
    """Queues at such connections."""

    Connection = SteadyConnection


try:
    BROKER = settings.REDIS_URL
except ImproperlyConfigured as error:
    sys.exit(f"The settings are wrong: {error}")
app = Celery(
    "stichkampf",
    amqp=SteadyAMQP,
    task_cls="stichkampf_platform.core.machines.expiring_tasks:ExpiringTask",
)
app.conf.update(
    broker_url=BROKER,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
        "socket_keepalive": True,
        # for how long one question for a message waits at Redis, which answers as soon as there is one
        "polling_interval": 4,
        # no `retry_on_timeout`: redis-py then also repeats a read of the remote control's channel on a new
        # connection, where nothing will come, and the worker's loop hangs in it for good
        # for callers of `enqueue`, which may be pages: one more try at once, then the sweep has to do it
        "max_retries": 1,
        "interval_start": 0,
        "interval_step": 0,
        "interval_max": 0,
    },
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=False,  # the sweep notices within seconds; a redelivery could only come twice
    worker_prefetch_multiplier=1,
    worker_pool="stichkampf_platform.operations.thread_pool:ThreadPool",
    worker_cancel_long_running_tasks_on_connection_loss=False,
    task_default_queue=settings.DEFAULT_QUEUE,
    task_routes={task: {"queue": queue} for queue, tasks in settings.QUEUES.items() for task in tasks},
    # A block that takes longer is given back and taken up again; its matches go on at the arbiter. Both lie
    # below the hour after which Redis gives out an unacknowledged message a second time.
    task_soft_time_limit=840,
    task_time_limit=900,
    beat_scheduler="celery.beat:Scheduler",  # keeps no file: the schedule is below and nowhere else
    # Threads that run at once hand Python's lock to and fro, hundreds of times in a moment: periods that
    # seldom meet keep apart what is asked for every few seconds.
    beat_schedule={
        "sweep": {
            "task": "stichkampf_platform.tournaments.tasks.sweep",
            "schedule": 2.0,
            "options": {"expires": 4},
        },
        "publications": {
            "task": "stichkampf_platform.ratings.tasks.enqueue_publications",
            "schedule": 5.1,
            "options": {"expires": 5},
        },
        # where there are no remote bots; else the sweep has them looked after
        "watch-remote-bots": {
            "task": "stichkampf_platform.bots.tasks.watch_remote_bots",
            "schedule": 30.0,
            "options": {"expires": 30},
        },
        "thin": {
            "task": "stichkampf_platform.ratings.tasks.thin_snapshots",
            "schedule": 3600.0,
            "options": {"expires": 600},
        },
        "tell-ranks": {
            "task": "stichkampf_platform.ratings.tasks.tell_ranks",
            "schedule": 3600.0,
            "options": {"expires": 600},
        },
        "delete-rejected": {
            "task": "stichkampf_platform.bots.tasks.delete_rejected",
            "schedule": 3600.0,
            "options": {"expires": 600},
        },
        "copy-files": {
            "task": "stichkampf_platform.storage.tasks.copy_files",
            "schedule": 5.3,
            "options": {"expires": 5},
        },
        "delete-old-records": {
            "task": "stichkampf_platform.tournaments.tasks.delete_old_records",
            "schedule": 600.0,
            "options": {"expires": 600},
        },
        "open-data": {
            "task": "stichkampf_platform.tournaments.tasks.write_open_data",
            "schedule": 60.0,
            "options": {"expires": 60},
        },
        "forget": {
            "task": "stichkampf_platform.people.tasks.forget",
            "schedule": 3600.0,
            "options": {"expires": 600},
        },
        "trials": {
            "task": "stichkampf_platform.bots.tasks.forget_trials",
            "schedule": 3600.0,
            "options": {"expires": 600},
        },
        "marks": {
            "task": "stichkampf_platform.marks.tasks.enqueue_marks",
            "schedule": 10.7,
            "options": {"expires": 10},
        },
        "choose-matches": {
            "task": "stichkampf_platform.marks.tasks.choose_matches",
            "schedule": 600.0,
            "options": {"expires": 600},
        },
        "compare-code": {
            "task": "stichkampf_platform.classes.tasks.compare_code",
            "schedule": 120.0,
            "options": {"expires": 120},
        },
        "closed-accounts": {
            "task": "stichkampf_platform.classes.tasks.delete_leftovers",
            "schedule": 3600.0,
            "options": {"expires": 600},
        },
        "people-tables": {
            "task": "stichkampf_platform.play.tasks.sweep_tables",
            "schedule": 4.9,
            "options": {"expires": 5},
        },
        "stale": {
            "task": "stichkampf_platform.bots.tasks.mark_stale",
            "schedule": 60.0,
            "options": {"expires": 60},
        },
    },
    timezone="UTC",
)
app.autodiscover_tasks()
worker_ready.connect(keep_watch)


@celeryd_init.connect
def take_places(sender: str, conf: Any, options: dict[str, Any], **_: object) -> None:
    """Have a worker do as many tasks at once as the settings say of its name, unless its command says."""
    hand_on_connections()
    known = places(sender.partition("@")[0])
    if known and not options.get("concurrency"):
        conf.worker_concurrency = known


@celeryd_after_setup.connect
def load_mathematics(instance: Any, **_: object) -> None:
    """Load the libraries that compute ratings, once for all processes of a worker that does so."""
    if "ratings" in instance.app.amqp.queues.consume_from:
        for part in ("scipy.special", "scipy.sparse.csgraph"):
            import_module(part)


@setup_logging.connect
def log_as_the_site(loglevel: int, **_: object) -> None:
    """Log in the form of the settings, in place of Celery's own; of Celery itself by `--loglevel`."""
    dictConfig(settings.LOGGING)
    getLogger("celery").setLevel(loglevel)
