"""Moving an installation into another database and another store, such as from one machine to a server.

The earlier one is only read. Rows come in one transaction, files one by one: a move that was broken off goes
on when it is begun again.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from django.contrib.contenttypes.models import ContentType
from django.core.files.storage import FileSystemStorage, storages
from django.core.management import call_command
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.operations.backups.stored_files import names_in
from stichkampf_platform.operations.conversion import (
    CannotConvert,
    check_nothing_leased,
    copy_rows,
    kept_models,
    opened,
)
from stichkampf_platform.people.models import User
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.ratings.services import is_repeated
from stichkampf_platform.storage.store_label import check_label

LEFT_OUT = "sessions, so everybody signs in again; the queues, which fill by themselves; and SECRET_KEY"


@dataclass(frozen=True)
class Move:
    """The outcome.

    :ivar rows: in all tables, the same number there and here.
    :ivar files: put into the store now; those that were there already are not counted.
    :ivar ladders: how many ladders have the ratings that their results give.
    :ivar different: the ladders that have others.
    """

    rows: int
    files: int
    ladders: int
    different: list[str]


def move(url: str, folder: Path) -> Move:
    """Fill this installation, whose database is empty, from a database of SQLite and the folder of its store.

    :raises CannotConvert: there is no such installation, it is of another version or at work, or this one
        holds something else already.
    """
    if not folder.is_dir():
        raise CannotConvert(
            f"There is no folder {folder}: name the one of the store, such as var/state/store."
        )
    with closing(opened(url)) as before:
        if before.vendor != "sqlite":
            raise CannotConvert(
                f"{url} is no database of SQLite; between servers `backup` and `restore` move it."
            )
        call_command("migrate", interactive=False, verbosity=0)
        _check_version(before)
        check_nothing_leased(before)
        if not User.objects.exists():
            with transaction.atomic():
                copy_rows(before, {}, {})
            ContentType.objects.clear_cache()
        rows = _compared(before)
    files = _copy_files(FileSystemStorage(folder))
    check_label()
    newest = {ladder.slug: newest_snapshot(ladder) for ladder in Ladder.objects.all()}
    rated = {slug: snapshot for slug, snapshot in newest.items() if snapshot is not None}
    different = [slug for slug, snapshot in rated.items() if not is_repeated(snapshot)]
    return Move(rows, files, len(rated) - len(different), different)


def _check_version(before: BaseDatabaseWrapper) -> None:
    with before.cursor() as cursor:
        theirs: set[tuple[str, str]] = set()
        if "django_migrations" in before.introspection.table_names(cursor):
            cursor.execute("SELECT app, name FROM django_migrations")
            theirs = set(cursor.fetchall())
    ours = set(MigrationRecorder(connection).applied_migrations())
    if ours != theirs:
        app, name = min(ours ^ theirs)
        raise CannotConvert(
            f"The migration {app}.{name} is applied in one of the two databases only: bring the earlier one"
            " to this version with `upgrade` first."
        )


def _compared(before: BaseDatabaseWrapper) -> int:
    """Count the rows of all tables, here and there.

    :raises CannotConvert: the numbers differ.
    """
    number = 0
    for table in (model._meta.db_table for model in kept_models()):
        counts = []
        for database in (before, connection):
            with database.cursor() as cursor:
                cursor.execute(f"SELECT COUNT(*) FROM {database.ops.quote_name(table)}")
                counts.append(cursor.fetchone()[0])
        if counts[0] != counts[1]:
            raise CannotConvert(
                f"{table} has {counts[0]} rows there and {counts[1]} here: name a new, empty database in"
                " DATABASE_URL, and see that no program runs with either."
            )
        number += counts[0]
    return number


def _copy_files(source: FileSystemStorage) -> int:
    """Put every file that is not there yet, or not in full, into the store; return how many."""
    store, copied = storages["store"], 0
    for name in names_in(source):
        if store.exists(name) and store.size(name) == source.size(name):
            continue
        with source.open(name) as file:
            store.save(name, file)
        copied += 1
    return copied
