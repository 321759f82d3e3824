"""Results from files: CSV with the header `block,hand,bot,score`, or match records.

Every malformed row is named with its line; nothing is rated while one is left.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from stichkampf.rating.comparisons import Comparisons, compare
from stichkampf.rating.errors import RatingError, refuse
from stichkampf.rating.record_results import comparisons_of_records
from stichkampf.rating.results import Results

CSV_COLUMNS = ("block", "hand", "bot", "score")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class RatedFile:
    """The comparisons in a file, and remarks that its reader should see."""

    comparisons: Comparisons
    remarks: tuple[str, ...] = ()


def read_results(content: bytes) -> RatedFile:
    """Read the comparisons in the content of a file; one that begins with a bracket holds match records.

    :raises RatingError: naming every malformed row (the first twenty) with its line.
    """
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise RatingError(
            "the file is empty; it should hold CSV with the header block,hand,bot,score, or match records"
        )
    if start[:1] in (b"{", b"["):
        comparisons, remarks = comparisons_of_records(content.splitlines(keepends=True))
        return RatedFile(comparisons, remarks)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RatingError(f"line {line}: byte {content[error.start]:#04x} is not UTF-8") from None
    return RatedFile(compare(Results.from_rows(_csv_rows(text))))


def _csv_rows(text: str) -> list[tuple[str, str, str, float]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[str, str, str, float]] = []
    complaints: list[str] = []
    order: Sequence[int] | None = None
    try:
        for fields in reader:
            if not any(field.strip() for field in fields) and len(fields) < 2:
                continue
            if order is None:
                order = _column_indices(fields, reader.line_num)
                continue
            try:
                rows.append(_row(fields, order))
            except RatingError as error:
                complaints.append(f"line {reader.line_num}: {error}")
    except csv.Error as error:
        complaints.append(f"line {reader.line_num}: not CSV: {error}")
    refuse(complaints)
    if not rows:
        raise RatingError("the file has a header but no results")
    return rows


def _column_indices(header: Sequence[str], line: int) -> Sequence[int]:
    """Return the index of each column in the header."""
    names = [name.strip() for name in header]
    if sorted(names) != sorted(CSV_COLUMNS):
        shown = ",".join(names)[:80]
        raise RatingError(
            f"line {line}: the header must be block,hand,bot,score, not {shown}; match records begin with {{"
        )
    return [names.index(name) for name in CSV_COLUMNS]


def _row(fields: Sequence[str], order: Sequence[int]) -> tuple[str, str, str, float]:
    if len(fields) != len(CSV_COLUMNS):
        raise RatingError(f"{len(fields)} fields where block, hand, bot and score are four")
    block, hand, bot, score = (fields[i].strip() for i in order)
    for name, value in (("block", block), ("hand", hand), ("bot", bot)):
        if not value:
            raise RatingError(f"the {name} is missing")
    if not bot.isprintable():
        raise RatingError(f"a bot's name is printable text on one line, not {bot!r:.80}")
    if not _NUMBER.fullmatch(score) or not math.isfinite(float(score)):
        raise RatingError(
            f"the score must be a number, not {score[:80]!r}" if score else "the score is missing"
        )
    return block, hand, bot, float(score)
