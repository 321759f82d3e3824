"""Read numbers from the environment."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured


def read_number(name: str, *, otherwise: int, most: int) -> int:
    """Return the whole number from 1 to `most` in this variable, `otherwise` if it is missing or empty.

    :raises ImproperlyConfigured: it holds something else.
    """
    text = os.environ.get(name) or str(otherwise)
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be a number from 1 to {most}.")
    return int(text)
