"""`stichkampf verify`: referee match records."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from stichkampf.cli.parser import add_command
from stichkampf.engine.deal import Json
from stichkampf.errors import RecordError
from stichkampf.match.record_shape import record_schema
from stichkampf.match.records import read
from stichkampf.match.verify import unchecked, verify
from stichkampf.plain_text import json_text

DESCRIPTION = """\
Referee match records: cards, dealers, every move, scores, length, totals, ranks, faults. FILE holds one JSON
document or one record a line. For each bad record the first point at which it departs from the rules is
printed: the line of the file, the deal and move (counted from 0, as in the record), and what was expected.

With --json the count of records is printed, and of each bad one its line and what is wrong, as JSON; so is
what was not checked: the cards, where a record names no seed from which they follow.
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
    parser.add_argument("--json", action="store_true", help="print what is wrong as JSON")
    parser.set_defaults(run=run)


class PrintSchema(argparse.Action):
    """An option that prints the schema and ends, as `--version` does."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(record_schema(), end="")
        parser.exit()


def run(args: argparse.Namespace) -> int:
    if args.file == "-":
        return _report(sys.stdin.buffer, "standard input", as_json=args.json)
    try:
        file = open(args.file, "rb")  # noqa: SIM115 - an error of the output is none of this file
    except OSError as error:
        raise RecordError(f"cannot read {args.file}: {error.strerror}") from error
    with file:
        return _report(file, args.file, as_json=args.json)


def _report(lines: Iterable[bytes], source: str, *, as_json: bool) -> int:
    records = 0
    wrong: list[tuple[int, str]] = []
    open_questions: list[tuple[int, str]] = []
    for line, record in read(lines):
        records += 1
        if error := _error_of(record):
            wrong.append((line, error))
            if not as_json:
                print(f"line {line}: {error}")
        elif not isinstance(record, RecordError) and (told := unchecked(record)):
            open_questions.append((line, told))
    if not records:
        raise RecordError(f"there is no record in {source}")
    if as_json:
        found = [{"line": line, "error": error} for line, error in wrong]
        left = [{"line": line, "unchecked": told} for line, told in open_questions]
        print(json_text({"records": records, "wrong": found, "unchecked": left}))
    else:
        counted = " (seats, deals and moves count from 0, as in the record)" if wrong else ""
        right = records - len(wrong)
        print(f"{records} record{'s' * (records != 1)} refereed: {right} right, {len(wrong)} wrong{counted}")
        for told, count in Counter(told for _, told in open_questions).items():
            print(f"{count} of them: {told}, which they do not name")
    return 1 if wrong else 0


def _error_of(record: dict[str, Json] | RecordError) -> str:
    """Return what is wrong with a record; empty for nothing."""
    try:
        if isinstance(record, RecordError):
            raise record
        verify(record)
    except RecordError as error:
        return str(error)
    return ""
