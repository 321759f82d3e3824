"""Read numbers, names and addresses from the environment."""

from __future__ import annotations

import os
import re
from urllib.parse import SplitResult, parse_qs, urlsplit

from django.core.exceptions import ImproperlyConfigured
from stichkampf.addresses import host_and_port, parts_of
from stichkampf.whole_numbers import whole_number

REDIS_SOCKET = "redis+socket"


def read_number(name: str, *, otherwise: int, most: int, least: int = 1) -> int:
    """Return the whole number from `least` to `most` in this variable, `otherwise` if it is missing or empty.

    :raises ImproperlyConfigured: it holds something else.
    """
    text = os.environ.get(name) or str(otherwise)
    number = whole_number(text, 19)
    if number is None or not least <= number <= most:
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be a number from {least} to {most}.")
    return number


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


def redis_address(url: str) -> str:
    """Return the address for redis-py of the Redis that Celery knows by this one.

    >>> redis_address("redis+socket:///run/redis.sock?virtual_host=2")
    'unix:///run/redis.sock?db=2'
    >>> redis_address("redis://localhost:6379/1")
    'redis://localhost:6379/1'

    :raises ImproperlyConfigured: it is none.
    """
    if not url.startswith(f"{REDIS_SOCKET}:///"):
        checked_parts("REDIS_URL", url, "redis", "rediss", example="redis://host:6379/0")
        return url
    words = urlsplit(url)
    number = parse_qs(words.query).get("virtual_host", ["0"])[0].strip("/")
    password = f":{words.password}@" if words.password else ""
    return f"unix://{password}{words.path}?db={number}"


def checked_parts(name: str, text: str, *schemes: str, example: str) -> SplitResult:
    """Return the parts of the address in this variable.

    :raises ImproperlyConfigured: it is none with one of these schemes; the message shows no password.
    """
    parts = parts_of(text, *schemes)
    if parts is None:
        shown = re.sub(r"//.*@", "//…@", text)
        raise ImproperlyConfigured(f"{name} is {shown!r}; it must be an address such as {example}.")
    return parts


def read_program(name: str, *, otherwise: str) -> str:
    """Return the address of a program in this variable, `otherwise` if it is missing or empty.

    :raises ImproperlyConfigured: it is neither `unix:` with an absolute path nor a host and a port.
    """
    text = os.environ.get(name) or otherwise
    if not text.startswith("unix:/") and host_and_port(text) is None:
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be unix:/path or host:port.")
    return text
