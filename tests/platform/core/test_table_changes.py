"""Stamps of tables: new after each transaction that wrote them, and after no other."""

import pytest
from django.core.cache import caches
from django.db import connection, transaction
from stichkampf_platform.core import table_changes
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.models import User

LADDERS = Ladder._meta.db_table
TABLES = ("people_user", LADDERS)


@pytest.fixture
def shared(settings):
    """A cache in memory that holds the stamps."""
    memory = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "stamps"}
    settings.CACHES = {**settings.CACHES, "changes": memory}
    caches["changes"].clear()


def change():
    """Take the stamps twice, and return which differ when this is asked for again."""
    before = table_changes.stamps(TABLES)
    assert before == table_changes.stamps(TABLES)
    return lambda: {name for name, stamp in table_changes.stamps(TABLES).items() if stamp != before[name]}


class Undone(Exception):
    """Ends a transaction without its changes."""


def undo(write):
    try:
        with transaction.atomic():
            write()
            raise Undone
    except Undone:
        pass


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_transaction_stamps_what_it_wrote_once_it_is_committed(shared):
    def write():
        User.objects.update(language="de")

    write()  # with it go the tables of transactions that were undone before; they are stamped needlessly
    changed = change()
    undo(write)
    assert changed() == set()
    with transaction.atomic():
        undo(write)
        write()
        assert changed() == set()
    assert changed() == {"people_user"}

    changed = change()
    User.objects.bulk_create([User(username="ann")])
    assert changed() == {"people_user"}
    changed = change()
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {LADDERS} WHERE slug = 'none'")
    assert changed() == {LADDERS}
    changed = change()
    list(User.objects.select_related(None).order_by("pk").iterator())
    assert changed() == set()


@pytest.mark.django_db
def test_tables_are_noted_wherever_a_statement_reads_them():
    with table_changes.tables_read() as read:
        list(User.objects.filter(pk__in=Ladder.objects.values("pk")).iterator())
    assert read == set(TABLES)
    with table_changes.tables_read() as read:
        User.objects.update(language="de")
    assert read == set()


@pytest.mark.django_db
def test_without_a_cache_that_keeps_them_there_are_no_stamps():
    assert table_changes.stamps(TABLES) is None
