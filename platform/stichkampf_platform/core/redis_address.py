"""The address of the Redis of the queues, as Celery writes it and as Redis's own library reads it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

SOCKET = "redis+socket"


def redis_address(url: str) -> str:
    """Return the address for redis-py of the Redis that Celery knows by this one.

    >>> redis_address("redis+socket:///run/redis.sock?virtual_host=2")
    'unix:///run/redis.sock?db=2'
    >>> redis_address("redis://localhost:6379/1")
    'redis://localhost:6379/1'
    """
    words = urlsplit(url)
    if words.scheme != SOCKET:
        return url
    number = parse_qs(words.query).get("virtual_host", ["0"])[0].strip("/")
    password = f":{words.password}@" if words.password else ""
    return f"unix://{password}{words.path}?db={number}"
