"""Rows without objects: what `bulk_create` writes, all or none, and seen by caches."""

import pytest
from django.core.cache import caches
from django.db import IntegrityError
from stichkampf_platform.core import table_changes
from stichkampf_platform.core.plain_rows import insert_rows, portions
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings.models import Pairing, Snapshot
from stichkampf_platform.ratings.services import PAIRING_COLUMNS

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def snapshot(house):
    return Snapshot.objects.create(
        ladder=Ladder.objects.first(), block_spans=[], blocks=0, tables=0, comparisons=0, anchors=[]
    )


@pytest.fixture
def two(house):
    return [house["thumb"].pk, house["random"].pk]


def values():
    return list(Pairing.objects.values_list(*PAIRING_COLUMNS))


def test_rows_are_those_of_bulk_create(snapshot, two):
    row = (snapshot.pk, *two, 7, 0, 9, 1 / 3, 2, None)
    insert_rows(Pairing, PAIRING_COLUMNS, [row])
    assert values() == [row]
    Pairing.objects.all().delete()
    Pairing.objects.bulk_create([Pairing(**dict(zip(PAIRING_COLUMNS, row, strict=True)))])
    assert values() == [row]


def test_no_row_is_inserted_where_one_is_refused(snapshot, two):
    row = (snapshot.pk, *two, 7, 0, 9, 0.25, 2, -1.5)
    with pytest.raises(IntegrityError):
        insert_rows(Pairing, PAIRING_COLUMNS, [row, row])
    assert values() == []


def test_caches_learn_of_the_table(snapshot, two, settings):
    memory = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "plain rows"}
    settings.CACHES = {**settings.CACHES, "changes": memory}
    caches["changes"].clear()
    table = Pairing._meta.db_table
    before = table_changes.stamps([table])
    insert_rows(Pairing, PAIRING_COLUMNS, [(snapshot.pk, *two, 7, 0, 9, 0.25, 2, -1.5)])
    assert table_changes.stamps([table]) != before


def test_a_column_that_the_table_has_not_is_named(snapshot):
    with pytest.raises(KeyError, match="third_id"):
        insert_rows(Pairing, ["third_id"], [])


@pytest.mark.parametrize("most", [1, 3, 7, 8])
def test_portions_hold_every_row_once_and_in_order(most):
    found = list(portions(range(7), most))
    assert [row for portion in found for row in portion] == list(range(7))
    assert {len(portion) for portion in found[:-1]} <= {most}
