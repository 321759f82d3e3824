"""Results from files: CSV with the header `block,hand,bot,score`, or match records.

Every malformed row is named with its line; nothing is rated while one is left.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from stichkampf.rating.comparisons import Comparisons, compare
from stichkampf.rating.errors import RatingError, refuse
from stichkampf.rating.record_results import comparisons_of_records
from stichkampf.rating.results import Results
from stichkampf.table_files import TableFileError, TableText, columns_named, read_table, text_of, title_of

CSV_COLUMNS = ("block", "hand", "bot", "score")
TITLES = {
    "block": ("block", "blocks"),
    "hand": ("hand", "hands"),
    "bot": ("bot", "bots", "name", "entrant", "teilnehmer"),
    "score": ("score", "scores", "points", "punkte", "punktzahl", "ergebnis"),
}
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
        table = read_table(text_of(content))
    except TableFileError as error:
        raise RatingError(str(error)) from None
    rows, remarks = _rows(table)
    return RatedFile(compare(Results.from_rows(rows)), remarks)


def _rows(table: TableText) -> tuple[list[tuple[str, str, str, float]], tuple[str, ...]]:
    """Return the results, and a remark on columns that were left out."""
    if not table.rows:
        raise RatingError("the file has no header; it should begin with block,hand,bot,score")
    header = table.rows[0]
    columns = columns_named(header.cells, TITLES)
    if len(columns) < len(TITLES):
        shown = ",".join(header.cells)[:80]
        raise RatingError(
            f"line {header.line}: the header must be block,hand,bot,score, not {shown};"
            " match records begin with {"
        )
    order = [columns[name] for name in CSV_COLUMNS]
    others = [cell for place, cell in enumerate(header.cells) if cell and place not in order]
    if doubled := [cell for cell in others if any(title_of(cell) in known for known in TITLES.values())]:
        raise RatingError(f"line {header.line}: {doubled[0]!r:.80} names a column that there is already")
    rows, complaints = [], []
    decimal_comma = table.separator != ","
    for row in table.rows[1:]:
        try:
            rows.append(_row(row.cells, order, most=len(header.cells), decimal_comma=decimal_comma))
        except RatingError as error:
            complaints.append(f"line {row.line}: {error}")
    refuse(complaints)
    if not rows:
        raise RatingError("the file has a header but no results")
    return rows, (f"left out: the columns {', '.join(others)[:80]}",) if others else ()


def _row(
    fields: Sequence[str], order: Sequence[int], *, most: int, decimal_comma: bool
) -> tuple[str, str, str, float]:
    """Return a result.

    :param most: cells that a row may have.
    :param decimal_comma: a comma is no separator here, so it may stand in a number.
    """
    if len(fields) > most:
        raise RatingError(f"{len(fields)} fields under {most} headings")
    block, hand, bot, score = (fields[place] if place < len(fields) else "" for place in order)
    for name, value in (("block", block), ("hand", hand), ("bot", bot)):
        if not value:
            raise RatingError(f"the {name} is missing")
    if not bot.isprintable():
        raise RatingError(f"a bot's name is printable text on one line, not {bot!r:.80}")
    number = score.replace(",", ".") if decimal_comma else score
    if not _NUMBER.fullmatch(number) or not math.isfinite(float(number)):
        raise RatingError(
            f"the score must be a number, not {score[:80]!r}" if score else "the score is missing"
        )
    return block, hand, bot, float(number)
