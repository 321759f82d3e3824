"""Lines of a validation, with what they are made of, so that a site can tell them in other languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

Value = str | int | float


class LogText(str):
    """A line of text, with its template and values; a value may be a line itself.

    >>> line = LogText("{game}: it printed {count} lines.", game="mue", count=3)
    >>> line, line.template
    ('mue: it printed 3 lines.', '{game}: it printed {count} lines.')
    """

    template: str
    values: Mapping[str, Value]

    def __new__(cls, template: str, **values: Value) -> Self:
        made = super().__new__(cls, template.format(**values))
        made.template, made.values = template, values
        return made
