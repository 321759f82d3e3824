"""What the supervisor tells the terminal: one line a thing, and the one way to give up."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator


class CannotStart(Exception):
    """The platform cannot be brought up; the message says in one line why and what to do."""


def say(text: str) -> None:
    print(text, flush=True)


@contextlib.contextmanager
def step(what: str) -> Iterator[None]:
    """Show `what` as under way, then how long it took."""
    began = time.monotonic()
    print(f"  {what:<34}", end="", flush=True)
    try:
        yield
    except BaseException:
        print("failed", flush=True)
        raise
    print(f"{time.monotonic() - began:5.1f} s", flush=True)


def complain(text: str) -> None:
    print(f"make up: {text}", file=sys.stderr, flush=True)


def last_line(text: str) -> str:
    """The last line that says something: in a log, the reason."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
