"""Whole numbers in texts of strangers: in addresses, forms, settings, lists and on the command line."""

from __future__ import annotations


def whole_number(text: str, digits: int = 9) -> int | None:
    """Read a whole number of at most so many digits; None for anything else.

    `int` takes digits of every script, signs, spaces and `1_000`, and raises for more than 4,300 digits;
    `isdigit` is true for ² as well, which `int` refuses.

    >>> whole_number("017"), whole_number("²"), whole_number("1_000"), whole_number("9" * 5000)
    (17, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None
