"""Restoring a backup into an empty installation.

Between the backup and its restoration play went on, so the cards of every block that was unfinished then
may have been seen since. None of them is dealt again: each such block becomes void, and another is dealt from
a new seed.
"""

from __future__ import annotations

import json
import shutil
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from stichkampf_platform.bots.models import Submission
from stichkampf_platform.core.machines import draining
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.operations.backups import databases
from stichkampf_platform.operations.backups.backup import DATABASE, FILES, FORMAT, MANIFEST
from stichkampf_platform.operations.backups.databases import BackupFailed
from stichkampf_platform.operations.backups.stored_files import outside_stores
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.ratings.services import is_repeated
from stichkampf_platform.tournaments.models import PLAYING, STILL_TO_PLAY, Block
from stichkampf_platform.tournaments.organising import rulings

NEXT = "Restart every arbiter, then start the programs."
"""The next steps once an installation is restored."""


@dataclass(frozen=True)
class Restoration:
    """The outcome of a restoration.

    :ivar made_at: the moment of the backup, ISO 8601.
    :ivar ladders: how many ladders are as they were published, and their results give the same ratings again.
    :ivar different: the ladders whose results give other ratings.
    :ivar dealt_again: blocks that are void now and dealt from new seeds.
    :ivar files: files put into stores outside the database.
    """

    made_at: str
    ladders: int
    different: list[str]
    dealt_again: int
    files: int


def restore(path: Path) -> Restoration:
    """Fill this empty installation from a backup.

    :raises BackupFailed: it is no backup, not for this program or database, or the database is not empty.
    """
    try:
        with tarfile.open(path) as archive, tempfile.TemporaryDirectory() as folder:
            told = _manifest(archive, path)
            _check(told)
            dumped = Path(folder) / DATABASE
            with dumped.open("wb") as file:
                shutil.copyfileobj(archive.extractfile(DATABASE), file)
            databases.load(dumped)
            files = _restore_files(archive)
    except (OSError, tarfile.TarError, KeyError) as error:
        raise BackupFailed(f"{path} is no backup that can be read: {error}.") from error
    call_command("migrate", interactive=False, verbosity=0)
    dealt_again = deal_again()
    same, different = _compare_ladders()
    return Restoration(told["made_at"], same, different, dealt_again, files)


def _compare_ladders() -> tuple[int, list[str]]:
    """Rate every ladder again from its results: how many give the stored ratings, and which do not."""
    newest = [(ladder.slug, newest_snapshot(ladder)) for ladder in Ladder.objects.all()]
    rated = [(slug, snapshot) for slug, snapshot in newest if snapshot is not None]
    different = [slug for slug, snapshot in rated if not is_repeated(snapshot)]
    return len(rated) - len(different), different


def deal_again() -> int:
    """Have every unfinished block dealt from a new seed, and free what was leased; return how many blocks.

    Those of experiments stay: they count nowhere, and many repeat the cards of a block that is over.
    """
    draining.end()
    Submission.objects.filter(finished_at=None).update(lease_owner="", lease_until=None)
    unfinished = Block.objects.filter(STILL_TO_PLAY, tournament__state__in=PLAYING)
    blocks = list(unfinished.filter(tournament__experiment=False))
    for block in blocks:
        rulings.run_again(block=block)
    return len(blocks)


def _manifest(archive: tarfile.TarFile, path: Path) -> dict[str, Any]:
    member = archive.extractfile(MANIFEST)
    try:
        told = json.loads(member.read()) if member else None
    except ValueError:
        told = None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise BackupFailed(f"{path} is no backup of format {FORMAT}, the one that this program reads.")
    return told


def _check(told: dict[str, Any]) -> None:
    if told["database"] != connection.vendor:
        raise BackupFailed(
            f"The backup is of {told['database']}, and DATABASE_URL names {connection.vendor}: name one of"
            " the same kind."
        )
    known = {".".join(name) for name in MigrationLoader(None).disk_migrations}
    if unknown := sorted(set(told["migrations"]) - known):
        raise BackupFailed(
            f"The backup was made by version {told['version']}, whose migration {unknown[0]} this program"
            " does not know: install that version or a newer one."
        )


def _restore_files(archive: tarfile.TarFile) -> int:
    stores, number = outside_stores(), 0
    for member in archive:
        if not member.name.startswith(f"{FILES}/"):
            continue
        _, alias, name = member.name.split("/", 2)
        content = archive.extractfile(member)
        if alias not in stores or content is None:
            raise BackupFailed(
                f"The backup has files of a store {alias!r}, which this installation does not have: give it"
                " the same STORAGES."
            )
        if stores[alias].exists(name):
            stores[alias].delete(name)
        stores[alias].save(name, ContentFile(content.read()))
        number += 1
    return number
