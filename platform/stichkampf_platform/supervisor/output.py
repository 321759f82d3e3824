"""Lines on the terminal, and the error that ends a start."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator


class CannotStart(Exception):
    """The platform cannot start; the message says in one line why and what to do."""


def show(text: str) -> None:
    print(text, flush=True)


@contextlib.contextmanager
def step(what: str) -> Iterator[None]:
    """Show `what` as begun, then the seconds that it took."""
    began = time.monotonic()
    print(f"  {what:<34}", end="", flush=True)
    try:
        yield
    except BaseException:
        print("failed", flush=True)
        raise
    print(f"{time.monotonic() - began:5.1f} s", flush=True)


def show_error(text: str) -> None:
    print(f"make up: {text}", file=sys.stderr, flush=True)


def last_line(text: str) -> str:
    """Return the last line that is not empty; in a log it is usually the reason."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
