"""The numbers of a class as a CSV file for grading, which no program for tables takes for formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.progress import PupilProgress, progress_of
from stichkampf_platform.tournaments.models import Tournament

COLUMNS = (
    "name", "login", "submissions", "approved", "rejected", "matches", "faults", "last_active", "bots",
)  # fmt: skip
RATING_COLUMNS = ("elo", "plus_minus", "blocks", "provisional")
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Dialect:
    """The signs by which a program for tables reads CSV.

    :ivar separator: between cells.
    :ivar decimal: the sign between whole numbers and fractions.
    """

    separator: str
    decimal: str


ENGLISH, GERMAN = Dialect(",", "."), Dialect(";", ",")
BYTE_ORDER_MARK = "\ufeff"
"""By it Excel knows UTF-8."""


def grading_csv(school_class: SchoolClass, dialect: Dialect = ENGLISH) -> Iterator[str]:
    """Yield a header, and a line for each person; four columns for each ladder of the class."""
    ladders = list(school_class.ladders.order_by("name"))
    rated = [f"{ladder.game}_{column}" for ladder in ladders for column in RATING_COLUMNS]
    yield BYTE_ORDER_MARK + csv_row([*COLUMNS, *rated], dialect)
    for line in progress_of(school_class):
        yield csv_row([*_own(line), *_ratings(line, ladders)], dialect)


def harmless(cell: object) -> object:
    """Return a cell that a program for tables shows as it is: a text that begins as formulas do is quoted.

    >>> harmless("=1+1"), harmless("Ada"), harmless(-3)
    ("'=1+1", 'Ada', -3)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_SIGNS) else cell


def _own(line: PupilProgress) -> list[object]:
    bots = " ".join(f"{version.bot.slug} v{version.number} {version.state}" for version in line.versions)
    active = line.last_active.isoformat(timespec="seconds") if line.last_active else ""
    counts = [line.attempts, line.approved, line.rejected, line.matches, line.faults]
    return [line.pupil.name, line.pupil.person.username, *counts, active, bots]


def _ratings(line: PupilProgress, ladders: Sequence[Tournament]) -> Iterator[object]:
    newest = {trend.ladder.pk: trend.newest for trend in line.trends}
    for ladder in ladders:
        rating = newest.get(ladder.pk)
        if rating is None:
            yield from [""] * len(RATING_COLUMNS)
        else:
            yield from [rating.elo, rating.plus_minus, rating.blocks, int(rating.provisional)]


def csv_row(cells: Sequence[object], dialect: Dialect = ENGLISH) -> str:
    """Write a line of CSV; fractions have four decimals."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=dialect.separator)
    writer.writerow(
        [_decimals(cell, dialect) if isinstance(cell, float) else harmless(cell) for cell in cells]
    )
    return text.getvalue()


def _decimals(number: float, dialect: Dialect) -> str:
    return f"{number:.4f}".replace(".", dialect.decimal)
