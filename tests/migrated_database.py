"""The database of tests: a migrated one is copied, since migrations take each process six seconds.

A test that commits leaves empty tables behind. Django would make what follows from the models again after
each, which takes a quarter of a second; here these rows stay, and the groups that migrations make.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import django
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management.commands import flush
from django.db import connection
from django.test.utils import setup_databases, teardown_databases

DAY_SECONDS = 86_400.0
MADE_BY_MIGRATIONS = {"django_content_type", "auth_permission", "auth_group", "auth_group_permissions"}


@contextmanager
def migrated_databases() -> Iterator[None]:
    """Make the test database, and have Django empty it after each test that commits; remove it in the end."""
    databases = set_up_databases()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "sql_flush", _emptying)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_: None)
        yield
    teardown_databases(databases, verbosity=0)


def _emptying(_style: object, connection: Any, **_: object) -> list[str]:
    """List the statements that empty all tables, but for the rows that migrations make.

    PostgreSQL deletes a test's few rows sooner than it would truncate a hundred tables.
    """
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    names = sorted(set(tables) - MADE_BY_MIGRATIONS)
    return [f"DELETE FROM {connection.ops.quote_name(name)};" for name in names]


def set_up_databases() -> list[Any]:
    """Make the test database; return what Django's `teardown_databases` takes.

    The first process makes a copy of it, which it keeps for a day, for these migrations.
    """
    if connection.vendor != "sqlite":
        return _made(keepdb=False)
    folder = Path(settings.STATE_DIR)
    migrated = folder / f"migrated-{_digest_of_migrations()}.sqlite3"
    with _alone(folder / "migrated.lock"):
        if not migrated.exists():
            databases = _made(keepdb=False)
            _keep(migrated)
            return databases
    name = Path(connection.settings_dict["TEST"]["NAME"])
    for rest in name.parent.glob(f"{name.name}-*"):  # of a process that was killed
        rest.unlink()
    shutil.copyfile(migrated, name)
    return _made(keepdb=True)


def _made(*, keepdb: bool) -> list[Any]:
    return setup_databases(verbosity=0, interactive=False, keepdb=keepdb, serialized_aliases=set())


def _digest_of_migrations() -> str:
    digest = hashlib.sha256(django.__version__.encode())
    for app in apps.get_app_configs():
        for path in sorted(Path(app.path, "migrations").glob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _keep(migrated: Path) -> None:
    for older in migrated.parent.glob("migrated-*.sqlite3"):
        if older.stat().st_mtime < time.time() - DAY_SECONDS:
            older.unlink()
    fresh = migrated.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    connection.ensure_connection()
    with closing(sqlite3.connect(fresh)) as copy:
        connection.connection.backup(copy)
    fresh.rename(migrated)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other process that runs tests makes the copy."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
