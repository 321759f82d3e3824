"""Many rows at once: inserted without an object for each, or taken in portions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from django.db import connection, models, transaction

from stichkampf_platform.core import table_changes

Row = TypeVar("Row")


def portions(rows: Iterable[Row], most: int) -> Iterator[list[Row]]:
    """Part rows into lists in their order; each is read when it is asked for.

    :param most: rows of a list; only the last one may be shorter.

    >>> list(portions("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    left = iter(rows)
    while portion := list(islice(left, most)):
        yield portion


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values as the database stores them, in one transaction.

    It takes a tenth of the time of `bulk_create`, and as that sends no signals.

    :param columns: as the fields' `attname`; the others have to have a default in the database.
    :param rows: a value for each of these columns.
    """
    by_name = {field.attname: field.column for field in model._meta.concrete_fields}
    names = ", ".join(connection.ops.quote_name(by_name[column]) for column in columns)
    table = connection.ops.quote_name(model._meta.db_table)
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            statement = f"COPY {table} ({names}) FROM STDIN"
            with connection.wrap_database_errors, cursor.copy(statement) as copy:
                for row in rows:
                    copy.write_row(row)
            table_changes.note(connection, {model._meta.db_table})
        else:
            places = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", rows)
