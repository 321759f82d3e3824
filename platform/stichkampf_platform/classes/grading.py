"""The numbers of a class as a CSV file for grading, which no program for tables takes for formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.progress import PupilProgress, progress_of
from stichkampf_platform.ratings.ladder_csv import decimals
from stichkampf_platform.tournaments.models import Tournament

COLUMNS = (
    "name", "login", "submissions", "approved", "rejected", "matches", "faults", "last_active", "bots",
)  # fmt: skip
RATING_COLUMNS = ("elo", "plus_minus", "blocks", "provisional")
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def grading_csv(school_class: SchoolClass) -> Iterator[str]:
    """Yield a header, and a line for each person; four columns for each ladder of the class."""
    ladders = list(school_class.ladders.order_by("name"))
    rated = [f"{ladder.game}_{column}" for ladder in ladders for column in RATING_COLUMNS]
    yield csv_row([*COLUMNS, *rated])
    for line in progress_of(school_class):
        yield csv_row([*_own(line), *_ratings(line, ladders)])


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
        yield from (
            ("", "", "", "") if rating is None
            else (decimals(rating.elo), decimals(rating.plus_minus), rating.blocks, int(rating.provisional))
        )  # fmt: skip


def csv_row(cells: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow([harmless(cell) for cell in cells])
    return text.getvalue()
