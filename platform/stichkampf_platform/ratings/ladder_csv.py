"""A ladder as CSV: the same for site and API."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.queries import named_ratings_of

COLUMNS = (
    *("rank", "bot", "version", "elo", "plus_minus", "blocks", "comparisons", "rank_best", "rank_worst"),
    *("provisional", "anchor", "deals", "fault_permille", "median_ms"),
)


def ladder_csv(snapshot: Snapshot | None) -> Iterator[str]:
    """Yield the ratings of a snapshot line by line, after a header; the header alone without a snapshot.

    Numbers have four decimals; a field without a value is empty.
    """
    yield _row(COLUMNS)
    for rating in named_ratings_of(snapshot) if snapshot else ():
        yield _row(_fields(rating))


def decimals(number: float | None) -> str | None:
    """Write a number with four decimals.

    >>> decimals(1500), decimals(None)
    ('1500.0000', None)
    """
    return None if number is None else f"{number:.4f}"


def _fields(rating: Rating) -> tuple[object, ...]:
    return (
        rating.rank,
        rating.version.bot.full_name,
        rating.version.number,
        decimals(rating.elo),
        decimals(rating.plus_minus),
        rating.blocks,
        rating.comparisons,
        rating.rank_best,
        rating.rank_worst,
        rating.provisional,
        rating.anchor,
        rating.deals,
        decimals(rating.fault_permille),
        decimals(rating.median_ms),
    )


def _row(fields: tuple[object, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(fields)
    return text.getvalue()
