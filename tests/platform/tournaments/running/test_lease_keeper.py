"""Leases of one process are renewed together, and each thread hears of its own tables."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from stichkampf_platform.core import clock
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import lease_keeper
from stichkampf_platform.tournaments.running.lease_keeper import Keeper

pytestmark = pytest.mark.django_db


@pytest.fixture
def taken(make_tournament):
    """The tables of two blocks, by their owners."""
    tournament = make_tournament(blocks=2)
    lifecycle.start(tournament=tournament)
    return {
        owner: {table.pk for table in leases.take(block_id=block.pk, owner=owner)}
        for owner, block in zip(("w1", "w2"), tournament.blocks.all(), strict=True)
    }


@pytest.fixture
def passing(monkeypatch):
    """Let this many seconds pass."""
    now = [100.0]
    monkeypatch.setattr(lease_keeper, "monotonic", lambda: now[0])

    def passing(seconds):
        now[0] += seconds

    return passing


@pytest.fixture
def rounds(monkeypatch):
    """The owners whose leases were renewed together, in order."""
    rounds, renew = [], leases.renew

    def noted(*owners):
        rounds.append(set(owners))
        return renew(*owners)

    monkeypatch.setattr(leases, "renew", noted)
    return rounds


def test_who_asks_first_renews_for_all(taken, passing, rounds, settings):
    keeper = Keeper(experiments=False)
    with keeper.keeping("w1") as first, keeper.keeping("w2") as second:
        passing(settings.LEASE_SECONDS / 3)
        assert first()[0] == taken["w1"]
        assert second()[0] == taken["w2"]
        assert rounds == [{"w1", "w2"}]
        passing(settings.LEASE_SECONDS / 3)
        Table.objects.filter(lease_owner="w2").update(lease_owner="another")
        assert second()[0] == set()
        assert first()[0] == taken["w1"]
        assert rounds == [{"w1", "w2"}] * 2


def test_a_thread_that_hangs_or_has_ended_loses_its_lease(taken, passing, rounds, settings):
    keeper = Keeper(experiments=False)
    with keeper.keeping("w1") as asks:
        with keeper.keeping("w2"):
            for _ in range(3):
                passing(settings.LEASE_SECONDS / 3)
                asks()
        assert rounds == [{"w1", "w2"}, {"w1"}, {"w1"}]
        with keeper.keeping("w2"):
            pass
        passing(settings.LEASE_SECONDS / 3)
        asks()
        assert rounds[-1] == {"w1"}
    Table.objects.filter(lease_owner="w2").update(lease_until=clock.now() - timedelta(seconds=1))
    (block,) = {table.block_id for table in Table.objects.filter(lease_owner="w2")}
    assert {table.pk for table in leases.take(block_id=block, owner="w3")} == taken["w2"]


def test_a_database_that_fails_is_asked_again_by_the_next(taken, passing, rounds, settings, monkeypatch):
    keeper, renew = Keeper(experiments=False), leases.renew

    def fails(*owners):
        raise OperationalError("the server closed the connection")

    with keeper.keeping("w1") as first, keeper.keeping("w2") as second:
        monkeypatch.setattr(leases, "renew", fails)
        with pytest.raises(OperationalError):
            first()
        monkeypatch.setattr(leases, "renew", renew)
        passing(0.1)
        assert second()[0] == taken["w2"]
    assert rounds == [{"w1", "w2"}]


def test_it_tells_which_tournaments_no_worker_plays(taken, make_tournament, passing, settings):
    other = make_tournament(name="Other", blocks=1)
    lifecycle.start(tournament=other)
    with Keeper(experiments=False).keeping("w1") as asks:
        assert asks()[1] == {other.pk}
    with Keeper(experiments=True).keeping("w2") as asks:
        assert asks()[1] == set()
