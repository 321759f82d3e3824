"""Read numbers and names from the environment."""

from __future__ import annotations

import os
import re

from django.core.exceptions import ImproperlyConfigured


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
