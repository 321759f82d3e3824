"""Errors of stores: each kind of store has its own, and callers know `OSError`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from stichkampf_platform.core.errors import StoreAway


@contextmanager
def as_os_errors(name: str) -> Iterator[None]:
    """Raise `FileNotFoundError` where the store has no such file, and `StoreAway` where it cannot be asked.

    :param name: of the file.
    """
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(f"the store has no file {name!r}") from None
    except _failures() as error:
        raise StoreAway(f"the store does not give or take {name!r}: {error}") from error


def _failures() -> tuple[type[Exception], ...]:
    """Return the kinds of errors of stores; S3's client is loaded only where there is a bucket."""
    s3 = sys.modules.get("botocore.exceptions")
    return (OSError, s3.BotoCoreError, s3.ClientError) if s3 else (OSError,)
