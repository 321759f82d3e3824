"""Tables that become void: their matches end at the arbiter, also where no worker watches them any more."""

import pytest
from celery import current_app
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.tournaments import leases, tasks
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.running import voiding

pytestmark = pytest.mark.database


class ForgetfulArbiter:
    """Knows some matches, and ends them."""

    def __init__(self, *unknown):
        self.unknown, self.ended = unknown, []

    def cancel(self, key):
        if key in self.unknown:
            raise ArbiterGone(f"The arbiter knows no match {key}.")
        self.ended.append(key)


@pytest.fixture
def tournament(make_tournament):
    made = make_tournament(blocks=3)
    lifecycle.start(tournament=made)
    return made


@pytest.fixture
def left(tournament):
    """The tables of a block that a worker began and left to the arbiter."""
    tables = leases.take(block_id=tournament.blocks.first().pk, owner="w1")
    leases.release(owner="w1")
    return tables


@pytest.mark.parametrize("ended", ["cancelled", "disqualified", "run again"])
def test_the_matches_of_begun_tables_end_when_they_become_void(
    tournament, left, ended, monkeypatch, django_capture_on_commit_callbacks
):
    arbiter = ForgetfulArbiter()
    monkeypatch.setattr(tasks, "arbiter", lambda: arbiter)
    monkeypatch.setattr(voiding, "enqueue", lambda task, *ids, queue: current_app.tasks[task](*ids))
    with django_capture_on_commit_callbacks(execute=True):
        if ended == "cancelled":
            lifecycle.cancel(tournament=tournament)
        elif ended == "disqualified":
            rulings.disqualify(entrant=tournament.entrants.first(), reason="he looked at my cards")
        else:
            rulings.run_again(block=left[0].block)
        assert arbiter.ended == []
    assert sorted(arbiter.ended) == sorted(table.idempotency_key for table in left)


def test_a_match_that_the_arbiter_does_not_know_holds_up_no_other(tournament, left):
    arbiter = ForgetfulArbiter(left[0].idempotency_key)
    Table.objects.filter(pk__in=[table.pk for table in left]).update(state=Table.State.VOID)
    voiding.end_matches(table_ids=[table.pk for table in left], arbiter=arbiter)
    assert len(arbiter.ended) == len(left) - 1


def test_a_match_goes_on_whose_table_still_counts(left):
    arbiter = ForgetfulArbiter()
    voiding.end_matches(table_ids=[table.pk for table in left], arbiter=arbiter)
    assert arbiter.ended == []
