"""The output of `stichkampf rate`: a table to read, CSV, JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence

from stichkampf.plain_text import json_text
from stichkampf.rating import Rating, RatingTable
from stichkampf.rating.table import PROVISIONAL_BLOCKS

COLUMNS = ("rank", "bot", "elo", "plus_minus", "blocks", "comparisons", "rank_best", "rank_worst")


def to_table(table: RatingTable, matrix: bool) -> str:
    """Write a table for people: one decimal, a question mark after a provisional rating."""
    heads = ("rank", "bot", "Elo", "± (95%)", "blocks", "comparisons", "rank range")
    text = _aligned([heads, *(_table_line(rating) for rating in table)])
    if any(rating.provisional for rating in table):
        text += f"\n? provisional: fewer than {PROVISIONAL_BLOCKS} blocks\n"
    if matrix:
        names = [rating.entrant for rating in table]
        lines = [
            (str(i), name, *row)
            for i, (name, row) in enumerate(zip(names, _likelihoods(table), strict=True), 1)
        ]
        text += "\nlikelihood that the bot of the line is stronger than the bot of the column\n"
        text += _aligned([("", "bot", *(str(i) for i in range(1, len(names) + 1))), *lines])
    return text


def to_csv(table: RatingTable, matrix: bool) -> str:
    """Write CSV with four decimals; the matrix follows after an empty line as CSV of its own."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_fields(rating) for rating in table)
    if matrix:
        names = [rating.entrant for rating in table]
        out.write("\n")
        writer.writerow(["bot", *names])
        writer.writerows([name, *row] for name, row in zip(names, _likelihoods(table), strict=True))
    return out.getvalue()


def to_json(table: RatingTable, matrix: bool) -> str:
    """Write a list of objects with the columns of the CSV, four decimals; with the matrix each has its
    `superiority`.
    """
    likelihoods = _likelihoods(table)
    names = [rating.entrant for rating in table]
    objects = []
    for rating, row in zip(table, likelihoods, strict=True):
        values = [json_text(field) if name == "bot" else field or "null" for name, field in _named(rating)]
        members = [f'"{name}": {value}' for name, value in zip(COLUMNS, values, strict=True)]
        if matrix:
            others = zip(names, row, strict=True)
            inner = ", ".join(
                f"{json_text(name)}: {value or 'null'}" for name, value in others if name != rating.entrant
            )
            members.append(f'"superiority": {{{inner}}}')
        objects.append("  {" + ", ".join(members) + "}")
    return "[\n" + ",\n".join(objects) + "\n]\n"


WRITERS: dict[str, Callable[[RatingTable, bool], str]] = {"table": to_table, "csv": to_csv, "json": to_json}


def _fields(rating: Rating) -> list[str]:
    plus_minus = "" if rating.plus_minus is None else _decimal(rating.plus_minus, 4)
    whole = (rating.blocks, rating.comparisons, rating.rank_best, rating.rank_worst)
    return [str(rating.rank), rating.entrant, _decimal(rating.elo, 4), plus_minus, *map(str, whole)]


def _named(rating: Rating) -> Iterable[tuple[str, str]]:
    return zip(COLUMNS, _fields(rating), strict=True)


def _table_line(rating: Rating) -> tuple[str, ...]:
    return (
        str(rating.rank),
        rating.entrant,
        _decimal(rating.elo, 1) + ("?" if rating.provisional else " "),
        "" if rating.plus_minus is None else _decimal(rating.plus_minus, 1),
        str(rating.blocks),
        str(rating.comparisons),
        _range(rating.rank_best, rating.rank_worst),
    )


def _range(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}-{worst}"


def _likelihoods(table: RatingTable) -> list[list[str]]:
    """Write four decimals, nothing on the diagonal and where there are too few blocks."""
    return [
        ["" if value != value else _decimal(value, 4) for value in row] for row in table.superiority.tolist()
    ]


def _decimal(value: float, decimals: int) -> str:
    """Write a number, without a minus before zero."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    """Align columns, two spaces apart: the bot's name to the left, everything else to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    bot = lines[0].index("bot")
    return "".join(
        "  ".join(
            cell.ljust(width) if i == bot else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        + "\n"
        for line in lines
    )
