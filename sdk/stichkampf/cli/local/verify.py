"""`stichkampf verify`: referee match records."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

from stichkampf.cli.parser import add_command
from stichkampf.errors import RecordError
from stichkampf.match.record_shape import record_schema
from stichkampf.match.records import read
from stichkampf.match.verify import verify

DESCRIPTION = """\
Referee match records: cards, dealers, every move, scores, length, totals, ranks, faults. FILE holds one JSON
document or one record a line. For each bad record the first point at which it departs from the rules is
printed: the line of the file, the deal and move (counted from 0, as in the record), and what was expected.

A JSON Schema of records, for programs in any language, is printed by `stichkampf verify --schema`.

exit status: 0 all records are right, 1 at least one is not, 2 nothing to referee (no file, or an empty one)
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "verify",
        "referee match records",
        description=DESCRIPTION,
    )
    parser.add_argument("file", metavar="FILE", help="a file of records; - for standard input")
    parser.add_argument(
        "--schema", action=PrintSchema, nargs=0, help="print the JSON Schema of a record and exit"
    )
    parser.set_defaults(run=run)


class PrintSchema(argparse.Action):
    """An option that prints the schema and ends, as `--version` does."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(record_schema(), end="")
        parser.exit()


def run(args: argparse.Namespace) -> int:
    if args.file == "-":
        return _referee(sys.stdin.buffer, "standard input")
    try:
        file = open(args.file, "rb")  # noqa: SIM115 - an error of the output is none of this file
    except OSError as error:
        raise RecordError(f"cannot read {args.file}: {error.strerror}") from error
    with file:
        return _referee(file, args.file)


def _referee(lines: Iterable[bytes], source: str) -> int:
    records = bad = 0
    for line, record in read(lines):
        records += 1
        try:
            if isinstance(record, RecordError):
                raise record
            verify(record)
        except RecordError as error:
            bad += 1
            print(f"line {line}: {error}")
    if not records:
        raise RecordError(f"there is no record in {source}")
    counted = " (seats, deals and moves count from 0, as in the record)" if bad else ""
    print(f"{records} record{'s' * (records != 1)} refereed: {records - bad} right, {bad} wrong{counted}")
    return 1 if bad else 0
