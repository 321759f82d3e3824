"""`stichkampf dataset`: the decisions of records as arrays or Parquet."""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.terminal import ProgressBar
from stichkampf.engine.deal import Json
from stichkampf.errors import RecordError, StichkampfError, installing
from stichkampf.match.records import read

DESCRIPTION = """\
Make a data set of match records: a folder with a row for each decision, in Parquet or in numpy's own format,
a data sheet and what numbers mean. Every record is refereed first; one that breaks the rules ends the
command, and there is no folder then. FILE holds one JSON document or one record a line.
"""
EPILOG = """\
examples:
  stichkampf dataset matches.jsonl --out data
  stichkampf records karl --limit 1000 | stichkampf dataset - --out data --format npy
  python -c "from stichkampf.lab.dataset import load; print(load('data', 'mue')['action'])"
"""
_AHEAD: Final = 8
"""Records that wait for each process."""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "dataset",
        "make arrays or Parquet of match records",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="files of records; - for standard input")
    parser.add_argument("--out", metavar="FOLDER", type=Path, required=True, help="the folder to be made")
    parser.add_argument(
        "--format",
        choices=("parquet", "npy"),
        default="parquet",
        help="Parquet, which needs pyarrow, or numpy's own (default: parquet)",
    )
    parser.add_argument(
        "--observations", action="store_true", help="also what the seat knew, as learners see it in a batch"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=positive, default=1, help="records to referee at once (default: 1)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    folder_of = _folder()
    records = list(_records(args.files))
    if not records:
        raise RecordError(f"there is no record in {', '.join(args.files)}")
    with (
        folder_of(args.out, form=args.format, observations=args.observations) as folder,
        ProgressBar(len(records), "records") as progress,
    ):
        for (_, record), found in zip(records, _rows(args, records), strict=True):
            folder.add(record, found)
            progress.step()
    print(f"{args.out}: {folder.rows} decisions of {folder.matches} records; DATASHEET.md describes them")
    return 0


def _folder() -> Any:
    try:
        # numpy is loaded by this command alone, and may be missing
        from stichkampf.lab.dataset import DatasetFolder
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "numpy":
            raise
        raise StichkampfError(f"a data set needs numpy: {installing('dataset')}") from error
    return DatasetFolder


def _records(files: list[str]) -> Iterator[tuple[str, Json]]:
    """Yield each record with the place that it stands at."""
    for name in files:
        try:
            if name == "-":
                found = list(read(sys.stdin.buffer))
            else:
                with open(name, "rb") as file:
                    found = list(read(file))
        except OSError as error:
            raise RecordError(f"cannot read {name}: {error.strerror}") from error
        for line, record in found:
            place = f"{'standard input' if name == '-' else name}, line {line}"
            if isinstance(record, RecordError):
                raise RecordError(f"{place}: {record}")
            yield place, record


def _rows(args: argparse.Namespace, records: list[tuple[str, Json]]) -> Iterator[Any]:
    """Yield the decisions of each record, in order."""
    if args.jobs == 1:
        for place, record in records:
            yield _refereed(place, record, args.observations)
        return
    with ProcessPoolExecutor(args.jobs, mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[Any]] = deque()
        try:
            for place, record in records:
                waiting.append(pool.submit(_refereed, place, record, args.observations))
                if len(waiting) >= _AHEAD * args.jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise StichkampfError("a process that refereed records was ended from outside") from None
        finally:
            pool.shutdown(cancel_futures=True)


def _refereed(place: str, record: Json, observations: bool) -> Any:
    # as in `_folder`
    from stichkampf.lab.dataset import decided

    try:
        return decided(record, observations=observations)
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from None
