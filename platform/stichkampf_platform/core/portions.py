"""Portions: parts of a long row of things, for work that takes many at once but not all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def portions(items: Iterable[Item], most: int) -> Iterator[list[Item]]:
    """Part items into lists in their order, each read when it is asked for.

    :param most: items of a list; only the last one may be shorter.

    >>> list(portions("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    left = iter(items)
    while portion := list(islice(left, most)):
        yield portion
