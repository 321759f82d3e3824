"""Data sets: the decisions of records as arrays and Parquet, every record refereed first.

A data set is a folder: a file of decisions for each game and number of seats, `matches.jsonl` with a line for
each record, `dataset.json` for programs and `DATASHEET.md` for people.
"""

from __future__ import annotations

from stichkampf.lab.dataset.folder import FORMATS, DatasetFolder
from stichkampf.lab.dataset.loading import Decisions, load
from stichkampf.lab.dataset.rows import RecordRows, decided
from stichkampf.lab.dataset.schema import FIELDS, RowLayout, row_layout

__all__ = [
    "FIELDS",
    "FORMATS",
    "DatasetFolder",
    "Decisions",
    "RecordRows",
    "RowLayout",
    "decided",
    "load",
    "row_layout",
]
