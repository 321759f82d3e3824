"""Making a backup of a running installation."""

from __future__ import annotations

import io
import json
import os
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import stichkampf
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from stichkampf_platform.core import clock
from stichkampf_platform.operations.backups import databases
from stichkampf_platform.operations.backups.databases import BackupFailed
from stichkampf_platform.operations.backups.stored_files import names_in, outside_stores

FORMAT = 1
MANIFEST, DATABASE, FILES = "manifest.json", "database", "files"


def make_backup(path: Path) -> None:
    """Write the whole installation into a new file, which only its owner can read.

    The database comes first, so that every file that it names is there afterwards.

    :raises BackupFailed: the file exists, or something could not be read or written.
    """
    if path.exists():
        raise BackupFailed(f"{path} exists already; name another file.")
    part = path.with_name(f"{path.name}.part")
    try:
        with tempfile.TemporaryDirectory(dir=path.parent or ".") as folder:
            dumped = Path(folder) / DATABASE
            databases.dump(dumped)
            opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(opened, "wb") as file, tarfile.open(fileobj=file, mode="w|") as archive:
                _add(archive, MANIFEST, json.dumps(manifest(), indent=1).encode())
                archive.add(dumped, DATABASE)
                for alias, store in outside_stores().items():
                    for name in names_in(store):
                        with store.open(name) as stored:
                            _add(archive, f"{FILES}/{alias}/{name}", stored.read())
        part.replace(path)
    except OSError as error:
        raise BackupFailed(f"The backup cannot be written: {error}.") from error
    finally:
        part.unlink(missing_ok=True)


def manifest() -> dict[str, Any]:
    """Return what a restore has to know before it begins."""
    applied = MigrationRecorder(connection).applied_migrations()
    return {
        "format": FORMAT,
        "made_at": clock.now().isoformat(),
        "version": stichkampf.__version__,
        "database": connection.vendor,
        "migrations": sorted(".".join(name) for name in applied),
    }


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    archive.addfile(member, io.BytesIO(content))
