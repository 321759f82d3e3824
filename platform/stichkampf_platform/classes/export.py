"""The export of a class: one archive with its people's numbers and all that its ladders hold."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator

from django.utils.text import slugify

from stichkampf_platform.classes.grading import csv_row, grading_csv
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.progress import submissions_in_class
from stichkampf_platform.ratings.organising import EXPORTS

SUBMISSION_COLUMNS = ("login", "bot", "version", "submitted_at", "state")


def file_stem(school_class: SchoolClass) -> str:
    """Return the name of its files, without an ending."""
    return slugify(school_class.name) or f"class-{school_class.pk}"


def class_archive(school_class: SchoolClass) -> Iterator[bytes]:
    """Yield a zip file piece by piece: `people.csv`, `submissions.csv`, and a folder for each ladder."""
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in _files(school_class):
            with archive.open(name, "w", force_zip64=True) as file:
                for line in lines:
                    file.write(line.encode())
                    yield from pieces.taken()
    yield from pieces.taken()


def _files(school_class: SchoolClass) -> Iterator[tuple[str, Iterable[str]]]:
    yield "people.csv", grading_csv(school_class)
    yield "submissions.csv", _submissions(school_class)
    for ladder in school_class.ladders.select_related("ladder").order_by("name"):
        for name, row in EXPORTS.items():
            yield f"{ladder.game}/{name}", row.lines(ladder)


def _submissions(school_class: SchoolClass) -> Iterator[str]:
    yield csv_row(SUBMISSION_COLUMNS)
    submissions = submissions_in_class(school_class).select_related("version__bot__owner", "submitted_by")
    for submission in submissions.order_by("created_at", "pk").iterator(chunk_size=500):
        version = submission.version
        at = submission.created_at.isoformat(timespec="seconds")
        login = submission.submitted_by.username
        yield csv_row([login, version.bot.slug, version.number, at, version.state])


class _Pieces(io.RawIOBase):
    """A file that cannot be sought in and gives away what was written to it."""

    def __init__(self) -> None:
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content) -> int:  # type: ignore[no-untyped-def]
        self._written += content
        return len(content)

    def taken(self) -> Iterator[bytes]:
        """Yield what was written since, if anything."""
        if self._written:
            yield bytes(self._written)
            self._written.clear()
