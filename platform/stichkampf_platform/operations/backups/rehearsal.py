"""Rehearsal of a restoration: the newest backup, read into a database and store that are gone afterwards."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from django.db import ProgrammingError, connection

from stichkampf_platform.core import clock
from stichkampf_platform.operations.backups.databases import BackupFailed
from stichkampf_platform.operations.backups.restore import NEXT

SECONDS = 6 * 3600
"""The most that a rehearsal may take."""


def rehearse(folder: Path, *, most_hours: int) -> str:
    """Restore the newest backup of a folder beside the installation, and return what was restored.

    :param most_hours: the age from which on the backups count as having stopped.
    :raises BackupFailed: there is none, it is too old, or it cannot be restored.
    """
    found = max(folder.glob("*.tar"), key=lambda path: path.stat().st_mtime, default=None)
    if found is None:
        raise BackupFailed(f"{folder} has no backup (*.tar): see that `backup` writes there.")
    age = clock.now() - datetime.fromtimestamp(found.stat().st_mtime, clock.now().tzinfo)
    if age > timedelta(hours=most_hours):
        raise BackupFailed(
            f"The newest backup, {found}, is {age.total_seconds() / 3600:.0f} hours old, of {most_hours} at"
            " most: see why none was made since."
        )
    with tempfile.TemporaryDirectory(prefix="stichkampf-rehearsal-") as place, _database(place) as address:
        apart = {
            "DATABASE_URL": address,
            "STICHKAMPF_STORE": f"{place}/store",
            "STICHKAMPF_STATE_DIR": place,
            "REDIS_URL": f"redis+socket://{place}/none.sock",  # no worker may hear of it
        }
        restored = subprocess.run(
            [sys.executable, "-m", "stichkampf_platform", "restore", str(found.resolve())],
            env={**os.environ, **apart}, capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    if restored.returncode:
        reason = (restored.stderr.strip().splitlines() or [f"exit status {restored.returncode}"])[-1]
        raise BackupFailed(f"{found} cannot be restored: {reason}")
    return f"{found.name}: {restored.stdout.replace(NEXT, '').strip()}"


@contextmanager
def _database(place: str) -> Iterator[str]:
    """Make an empty database of the installation's kind; yield its address."""
    if connection.vendor != "postgresql":
        yield f"sqlite:///{place}/rehearsal.sqlite3"
        return
    name = f"stichkampf_rehearsal_{secrets.token_hex(4)}"
    try:
        _tell(f"CREATE DATABASE {name}")
    except ProgrammingError as error:
        raise BackupFailed(
            f"PostgreSQL makes no database for a rehearsal: {str(error).strip()}. As its superuser, once:"
            f" ALTER ROLE {connection.settings_dict['USER']} CREATEDB"
        ) from error
    try:
        yield urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
    finally:
        _tell(f"DROP DATABASE {name} WITH (FORCE)")


def _tell(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
