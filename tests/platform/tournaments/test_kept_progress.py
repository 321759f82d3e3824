"""A tournament's kept progress is what counting its tables would give, whatever happens to it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from stichkampf_platform.tournaments import kept_progress, leases, queries
from stichkampf_platform.tournaments.models import ProgressCounts, Table
from stichkampf_platform.tournaments.organising import lifecycle, rulings

pytestmark = [pytest.mark.django_db, pytest.mark.queries]


def kept_of(tournament):
    """Return what is kept, after a look that it is what is counted."""
    kept = ProgressCounts.objects.filter(pk=tournament.pk).values().get()
    kept_progress.count_again(tournament.pk)
    assert ProgressCounts.objects.filter(pk=tournament.pk).values().get() == kept
    return queries.progress(tournament)


@pytest.fixture
def cup(make_tournament):
    made = make_tournament("thumb", "random", "timid", "glimpse", blocks=3)
    lifecycle.start(tournament=made)
    made.refresh_from_db()
    return made


def play_block(block, land):
    for table in leases.take(block_id=block.pk, owner="w1"):
        assert land(table)


def test_drawing_playing_and_rulings_keep_the_progress(cup, land):
    first, second, _third = cup.blocks.order_by("number")
    drawn = kept_of(cup)
    assert (drawn.tables, drawn.tables_done, drawn.blocks, drawn.blocks_over) == (9, 0, 3, 0)

    table, *_ = leases.take(block_id=first.pk, owner="w1")
    assert queries.progress(cup).tables_running == 3
    assert land(table)
    assert not land(table)  # a result lands once, and counts once
    assert kept_of(cup).tables_done == 1
    for table in Table.objects.filter(block=first, lease_owner="w1"):
        assert land(table)
    play_block(second, land)
    assert kept_of(cup).blocks_over == 2

    rulings.run_again(block=second)
    again = kept_of(cup)
    assert (again.tables, again.tables_void, again.blocks, again.blocks_over) == (9, 3, 3, 1)
    rulings.disqualify(entrant=cup.entrants.get(version__house="timid"), reason="It slept.")
    assert kept_of(cup).tables_void > 3
    lifecycle.cancel(tournament=cup)
    assert kept_of(cup).tables == kept_of(cup).tables_done == 3


def test_progress_takes_two_queries_however_many_tournaments_there_are(
    cup, make_tournament, django_assert_num_queries
):
    other = make_tournament(name="Another")
    with django_assert_num_queries(2):
        found = queries.progress_of([cup, other])
    assert [progress.tables for progress in found] == [9, 0]
    with django_assert_num_queries(2):
        assert queries.table_counts([cup, other])[cup.pk].tables == 9


def test_who_cancels_locks_blocks_before_the_progress(cup, land):
    play_block(cup.blocks.first(), land)
    with CaptureQueriesContext(connection) as seen:
        lifecycle.cancel(tournament=cup)
    blocks, kept = (
        [at for at, one in enumerate(seen) if f'UPDATE "tournaments_{table}"' in one["sql"]]
        for table in ("block", "progresscounts")
    )
    assert max(blocks) < min(kept)
