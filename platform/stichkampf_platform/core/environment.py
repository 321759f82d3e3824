"""Read numbers and names from the environment."""

from __future__ import annotations

import os
import re
from urllib.parse import parse_qs, urlsplit

from django.core.exceptions import ImproperlyConfigured

REDIS_SOCKET = "redis+socket"


def read_number(name: str, *, otherwise: int, most: int, least: int = 1) -> int:
    """Return the whole number from `least` to `most` in this variable, `otherwise` if it is missing or empty.

    :raises ImproperlyConfigured: it holds something else.
    """
    text = os.environ.get(name) or str(otherwise)
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be a number from {least} to {most}.")
    return int(text)


def read_name(name: str, *, otherwise: str) -> str:
    """Return the name in this variable, `otherwise` if it is missing or empty.

    :raises ImproperlyConfigured: it holds something else.
    """
    text = os.environ.get(name) or otherwise
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", text):
        raise ImproperlyConfigured(
            f"{name} is {text!r}; it must be 1 to 64 letters, digits, dots, hyphens and underscores."
        )
    return text


def read_choice(name: str, *possible: str) -> str:
    """Return the word in this variable, the first of the possible ones if it is missing or empty.

    :raises ImproperlyConfigured: it holds something else.
    """
    text = os.environ.get(name) or possible[0]
    if text not in possible:
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be one of {', '.join(possible)}.")
    return text


def redis_address(url: str) -> str:
    """Return the address for redis-py of the Redis that Celery knows by this one.

    >>> redis_address("redis+socket:///run/redis.sock?virtual_host=2")
    'unix:///run/redis.sock?db=2'
    >>> redis_address("redis://localhost:6379/1")
    'redis://localhost:6379/1'
    """
    words = urlsplit(url)
    if words.scheme != REDIS_SOCKET:
        return url
    number = parse_qs(words.query).get("virtual_host", ["0"])[0].strip("/")
    password = f":{words.password}@" if words.password else ""
    return f"unix://{password}{words.path}?db={number}"
