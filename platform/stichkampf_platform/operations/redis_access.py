"""Access to Redis beside the queues: quick to say that it is away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from kombu.connection import Connection
from kombu.exceptions import OperationalError

from stichkampf_platform.core.errors import PlatformError

TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 2}


class RedisAway(PlatformError):
    """Redis cannot be reached, or refuses a command. The message is its own."""


@contextmanager
def redis_client() -> Iterator[Any]:
    """Give a client of redis-py on a connection of its own.

    :raises RedisAway: it cannot be reached, or a command fails.
    """
    with Connection(settings.REDIS_URL, transport_options=TRANSPORT_OPTIONS) as broker:
        try:
            broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=1)
            with broker.channel() as channel:
                yield channel.client
        except (OperationalError, *broker.connection_errors, *broker.channel_errors) as error:
            raise RedisAway(str(error)) from error


def evicts(memory: Mapping[str, Any]) -> bool:
    """Tell from what Redis says of its memory whether it drops queued work once that is full."""
    return bool(memory["maxmemory"]) and memory["maxmemory_policy"] != "noeviction"
