"""Access to Redis beside the queues: quick to say that it is away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from stichkampf_platform.core.environment import redis_address
from stichkampf_platform.core.errors import PlatformError

SECONDS = 2.0


class RedisAway(PlatformError):
    """Redis cannot be reached, or refuses a command. The message is its own."""


@contextmanager
def redis_client() -> Iterator[Any]:
    """Give this process's client.

    :raises RedisAway: it cannot be reached, or a command fails.
    """
    try:
        yield _client(settings.REDIS_URL)
    except redis.RedisError as error:
        raise RedisAway(str(error)) from error


@cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        redis_address(url),
        socket_timeout=SECONDS,
        socket_connect_timeout=SECONDS,
        retry=Retry(NoBackoff(), 1),
    )


def evicts(memory: Mapping[str, Any]) -> bool:
    """Tell from what Redis says of its memory whether it drops queued work once that is full."""
    return bool(memory["maxmemory"]) and memory["maxmemory_policy"] != "noeviction"
