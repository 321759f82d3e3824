"""A ladder as CSV: the same for site and API."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from stichkampf_platform.ratings.figures import FIGURES
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.ratings.queries import named_ratings_of


def ladder_csv(snapshot: Snapshot | None) -> Iterator[str]:
    """Yield the ratings of a snapshot line by line, after a header; the header alone without a snapshot.

    Numbers have four decimals; a field without a value is empty.
    """
    yield _row(("rank", "bot", "version", *FIGURES))
    for rating in named_ratings_of(snapshot) if snapshot else ():
        figures = (getattr(rating, name) for name in FIGURES)
        cells = (decimals(figure) if isinstance(figure, float) else figure for figure in figures)
        yield _row((rating.rank, rating.version.bot.full_name, rating.version.number, *cells))


def decimals(number: float | None) -> str | None:
    """Write a number with four decimals.

    >>> decimals(1500), decimals(None)
    ('1500.0000', None)
    """
    return None if number is None else f"{number:.4f}"


def _row(fields: tuple[object, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(fields)
    return text.getvalue()
