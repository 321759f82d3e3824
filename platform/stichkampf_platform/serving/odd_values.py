"""Values that no form or serializer foresees, and errors of the libraries that cannot take them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping

from django.db import DataError

UNTAKEN = (ValueError, OverflowError, RecursionError, csv.Error, DataError)
"""Errors of libraries about a value: not one that no form or serializer foresees is a fault of the server."""
LONG_TEXT = 1_000


def is_odd(value: object) -> bool:
    """Tell whether a value is a number beyond 64 bits, no number, or a text that is very long or no text."""
    if isinstance(value, dict):
        return any(is_odd(one) for pair in value.items() for one in pair)
    if isinstance(value, list):
        return any(is_odd(one) for one in value)
    if isinstance(value, str):
        return len(value) > LONG_TEXT or not value.isprintable()
    return isinstance(value, int | float) and not -(2**63) <= value < 2**63


def names_untaken(error: Exception, sent: Iterable[Mapping[str, list[str]]]) -> list[str]:
    """Return the names of the fields with odd values, and of those whose values the error quotes.

    :param sent: the values by name.
    """
    told = str(error)
    untaken = [
        name
        for fields in sent
        for name, values in fields.items()
        if is_odd(name) or is_odd(values) or any(value and repr(value) in told for value in values)
    ]
    return [name[:40].encode("ascii", "backslashreplace").decode() for name in dict.fromkeys(untaken)]
