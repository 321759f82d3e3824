"""The Celery application: queues by purpose and a beat that gives hints. The database decides what runs."""

from __future__ import annotations

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.production")

QUEUES = ("matches", "validation", "ratings", "sweep")

app = Celery("stichkampf")
app.conf.update(
    broker_url=settings.REDIS_URL,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
        "socket_keepalive": True,
        "retry_on_timeout": True,
    },
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=False,  # the sweep notices within seconds; a redelivery could only come twice
    worker_prefetch_multiplier=1,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    task_default_queue="sweep",
    task_routes={
        "stichkampf_platform.tournaments.tasks.play_block": {"queue": "matches"},
        "stichkampf_platform.bots.tasks.validate": {"queue": "validation"},
        "stichkampf_platform.ratings.tasks.*": {"queue": "ratings"},
    },
    task_time_limit=900,
    task_soft_time_limit=840,
    beat_scheduler="celery.beat:Scheduler",  # keeps no file: the schedule is below and nowhere else
    beat_schedule={
        "sweep": {
            "task": "stichkampf_platform.tournaments.tasks.sweep",
            "schedule": 2.0,
            "options": {"expires": 4},
        },
    },
    timezone="UTC",
)
app.autodiscover_tasks()
