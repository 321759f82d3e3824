"""The Redis of the queues as a cache of Django."""

from __future__ import annotations

from typing import Any

from stichkampf_platform.core.environment import redis_address

SECONDS = 1.0
"""The most that a page or a transaction waits for Redis."""


class NumberSerializer:
    """Numbers as Redis has them: what it gives out is never unpacked as an object of Python."""

    def dumps(self, number: int) -> int:
        return number

    def loads(self, data: bytes) -> int:
        return int(data)


def cache_settings(url: str) -> dict[str, Any]:
    """Return the settings of a cache of numbers in the Redis that Celery knows by this address.

    >>> cache_settings("redis+socket:///run/redis.sock?virtual_host=2")["LOCATION"]
    'unix:///run/redis.sock?db=2'
    """
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": redis_address(url),
        "OPTIONS": {
            "serializer": NumberSerializer,
            "socket_connect_timeout": SECONDS,
            "socket_timeout": SECONDS,
        },
    }
