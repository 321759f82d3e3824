"""The database as one file, and back: by PostgreSQL's own programs or SQLite's own copy."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from django.db import connection

from stichkampf_platform.core.errors import PlatformError

VARIABLES = {
    "HOST": "PGHOST",
    "PORT": "PGPORT",
    "USER": "PGUSER",
    "PASSWORD": "PGPASSWORD",
    "NAME": "PGDATABASE",
    # what DATABASE_URL may say after its question mark
    "host": "PGHOST",
    "port": "PGPORT",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
}
"""By Django's names of settings and options, the variables that PostgreSQL's programs read."""


class BackupFailed(PlatformError):
    """A backup cannot be made, read or restored."""


def dump(path: Path) -> None:
    """Write the whole database, as it is at one moment, into a file.

    :raises BackupFailed: with the reason of the program that failed.
    """
    if connection.vendor == "postgresql":
        _run(["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={path}"])
    else:
        _copy(connection.settings_dict["NAME"], path)


def load(path: Path) -> None:
    """Fill the empty database from a file that `dump` wrote.

    :raises BackupFailed: it is not empty, or with the reason of the program that failed.
    """
    if tables := connection.introspection.table_names():
        raise BackupFailed(
            f"The database {connection.settings_dict['NAME']} is not empty: it has {len(tables)} tables."
            " Restore into a new one, or drop this one first."
        )
    if connection.vendor == "postgresql":
        words = ["pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction"]
        _run([*words, f"--dbname={connection.settings_dict['NAME']}", str(path)])
    else:
        connection.close()
        _copy(path, connection.settings_dict["NAME"])
    connection.close()


def _copy(source: str | Path, target: str | Path) -> None:
    try:
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)
    except sqlite3.Error as error:
        raise BackupFailed(f"SQLite cannot copy {source} to {target}: {error}.") from error


def _run(command: Sequence[str]) -> None:
    place = {**connection.settings_dict, **connection.settings_dict["OPTIONS"]}
    given = {pg: str(place[name]) for name, pg in VARIABLES.items() if place.get(name)}
    try:
        subprocess.run(command, env={**os.environ, **given}, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise BackupFailed(
            f"There is no {command[0]}; install Debian's postgresql-client of the server's version."
        ) from error
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or [f"exit status {error.returncode}"]
        raise BackupFailed(f"{command[0]} failed: {lines[0]}") from error
