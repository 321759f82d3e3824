"""The files of a class: the numbers of its people, and an archive with all that its ladders hold, too.

Code is in the archive where the teacher may read it.
"""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial

from django.utils.encoding import force_bytes
from django.utils.text import slugify
from django.utils.translation import gettext_lazy

from stichkampf_platform.classes.code import code_file, readable
from stichkampf_platform.classes.grading import GERMAN, csv_row, grading_csv
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.progress import submissions_in_class
from stichkampf_platform.core.actions import Export
from stichkampf_platform.ratings import organising

SUBMISSION_COLUMNS = ("login", "bot", "version", "submitted_at", "state")

logger = logging.getLogger(__name__)


def file_stem(school_class: SchoolClass) -> str:
    """Return that with which the names of its files begin."""
    return slugify(school_class.name) or f"class-{school_class.pk}"


def class_archive(school_class: SchoolClass) -> Iterator[bytes]:
    """Yield a zip file piece by piece: `people.csv`, `submissions.csv`, folders of ladders and of code."""
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in _files(school_class):
            with archive.open(name, "w", force_zip64=True) as file:
                for line in lines:
                    file.write(force_bytes(line))
                    yield from pieces.taken()
    yield from pieces.taken()


def _files(school_class: SchoolClass) -> Iterator[tuple[str, Iterable[str] | Iterable[bytes]]]:
    yield "people.csv", grading_csv(school_class)
    yield "submissions.csv", _submissions(school_class)
    for ladder in school_class.ladders.select_related("ladder").order_by("name"):
        for name, row in organising.EXPORTS.items():
            yield f"{ladder.game}/{name}", row.lines(ladder)
    for version in readable(school_class):
        try:
            name, pieces = code_file(version)
        except FileNotFoundError as error:
            logger.warning("%s is not exported: %s", version, error)
            continue
        yield f"code/{name}", pieces


def _submissions(school_class: SchoolClass) -> Iterator[str]:
    yield csv_row(SUBMISSION_COLUMNS)
    submissions = submissions_in_class(school_class).select_related("version__bot__owner", "submitted_by")
    for submission in submissions.order_by("created_at", "pk").iterator(chunk_size=500):
        version = submission.version
        at = submission.created_at.isoformat(timespec="seconds")
        login = submission.submitted_by.username
        yield csv_row([login, version.bot.slug, version.number, at, version.state])


EXPORTS = {
    "progress.csv": Export(
        "text/csv", grading_csv, "the numbers of each person, for spreadsheets in English",
        gettext_lazy("CSV for grading (commas)"),
    ),
    "progress-de.csv": Export(
        "text/csv", partial(grading_csv, dialect=GERMAN), "the same for spreadsheets in German",
        gettext_lazy("CSV for grading (semicolons)"),
    ),
    "export.zip": Export(
        "application/zip", class_archive,
        "names and numbers of all people, their submissions, code if you may read it, and results, settings"
        " and records of ladders",
        gettext_lazy("Export as one archive"),
    ),
}  # fmt: skip
"""By file name."""


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
