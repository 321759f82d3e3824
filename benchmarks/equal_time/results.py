"""The file of results: a line of JSON for each block that was played."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.equal_time.pairings import Job, version

Key = tuple[str, str, int, int]


def key_of(row: dict[str, Any]) -> Key:
    return row["game"], row["pairing"], row["seats"], row["block"]


def key_of_job(job: Job) -> Key:
    return job.game, job.pairing, job.seats, job.number


def read(file: Path, seconds: float) -> dict[Key, dict[str, Any]]:
    """Read the blocks of these settings and engines; a line that was cut off at the end does not count."""
    return {key_of(row): row for row in _rows(file) if row["version"] == version(row["game"], seconds)}


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    if not file.exists():
        return
    lines = file.read_text("utf-8").split("\n")
    for line in lines[:-1]:
        yield json.loads(line)


def mend(file: Path) -> None:
    """Cut off a last line that has no end, so that the next one stands alone."""
    if file.exists():
        whole = file.read_bytes()
        file.write_bytes(whole[: whole.rfind(b"\n") + 1])
