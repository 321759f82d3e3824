"""Numbers that the environment sets."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured


def number_in(name: str, *, otherwise: int, most: int) -> int:
    """The whole number from 1 to `most` in this variable, `otherwise` where it is missing or empty.

    :raises ImproperlyConfigured: it is something else.
    """
    text = os.environ.get(name) or str(otherwise)
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be a number from 1 to {most}.")
    return int(text)
