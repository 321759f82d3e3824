from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from stichkampf_platform.core import clock
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle

pytestmark = pytest.mark.database


@pytest.fixture
def block(make_tournament):
    tournament = make_tournament(blocks=1)
    lifecycle.start(tournament=tournament)
    return tournament.blocks.get()


def let_leases_run_out():
    Table.objects.update(lease_until=clock.now() - timedelta(seconds=1))


def test_a_leased_table_is_taken_by_one_worker(block):
    assert len(leases.take(block_id=block.pk, owner="w1")) == 3
    assert leases.take(block_id=block.pk, owner="w2") == []
    assert not queries.due_blocks().exists()


def test_a_lease_that_ran_out_is_free_and_the_old_owner_has_lost_it(block):
    leases.take(block_id=block.pk, owner="w1")
    let_leases_run_out()
    assert list(queries.due_blocks()) == [block]
    assert len(leases.take(block_id=block.pk, owner="w2")) == 3
    assert leases.renew("w1") == {"w1": set()}


def test_a_lease_that_reaches_further_than_any_is_free(block):
    """The clock of the database was wrong for a moment, and the worker is gone."""
    leases.take(block_id=block.pk, owner="w1")
    Table.objects.update(lease_until=clock.now() + timedelta(days=365))
    assert not queries.leased_tables().exists()
    assert list(queries.due_blocks()) == [block]
    assert len(leases.take(block_id=block.pk, owner="w2")) == 3


def test_a_renewed_lease_lasts(block):
    tables = leases.take(block_id=block.pk, owner="w1")
    let_leases_run_out()
    assert leases.renew("w1") == {"w1": {table.pk for table in tables}}
    assert leases.take(block_id=block.pk, owner="w2") == []


def test_a_released_table_is_taken_up_again_as_the_same_match(block):
    before = [table.idempotency_key for table in leases.take(block_id=block.pk, owner="w1")]
    leases.release(owner="w1", trouble="the arbiter is away")
    after = leases.take(block_id=block.pk, owner="w2")
    assert [table.idempotency_key for table in after] == before
    assert {table.attempts for table in after} == {2}


def test_a_table_given_up_is_another_match_of_the_same_deals(block):
    table = leases.take(block_id=block.pk, owner="w1")[0]
    leases.give_up(table=table, owner="w1", trouble="the sandbox did not start")
    (again,) = leases.take(block_id=block.pk, owner="w2")
    assert again.pk == table.pk
    assert again.idempotency_key != table.idempotency_key
    assert bytes(again.block.seed) == bytes(block.seed)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_many_workers_at_once_share_the_tables_without_a_double(make_tournament):
    tournament = make_tournament(blocks=6)
    lifecycle.start(tournament=tournament)
    blocks = [block.pk for block in tournament.blocks.all()]

    def work(name):
        try:
            taken = [leases.take(block_id=block, owner=f"{name}-{block}") for block in blocks]
            return [table.pk for tables in taken for table in tables]
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as workers:
        taken = [pk for tables in workers.map(work, "abcdef") for pk in tables]
    assert sorted(taken) == sorted(Table.objects.values_list("pk", flat=True))
