"""A drained installation ends what has begun, and begins nothing."""

import pytest
from django.core.management import CommandError, call_command
from stichkampf_platform.core.machines import draining
from stichkampf_platform.operations.draining import still_running
from stichkampf_platform.operations.management.commands import drain
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.queries import free_blocks

pytestmark = pytest.mark.django_db


def test_begun_tables_are_taken_up_and_others_are_not(make_tournament, land):
    tournament = make_tournament(blocks=2)
    lifecycle.start(tournament=tournament)
    first, second = tournament.blocks.order_by("number")
    held = leases.take(block_id=first.pk, owner="w1")
    draining.begin()
    assert leases.take(block_id=second.pk, owner="w2") == []
    assert still_running().tables == len(held)
    leases.release(owner="w1")  # a worker that leaves them to the arbiter, or dies
    assert list(free_blocks()) == [first]
    for table in leases.take(block_id=first.pk, owner="w2"):
        assert land(table, owner="w2")
    assert still_running().tables == 0
    draining.end()
    assert leases.take(block_id=second.pk, owner="w2")


def test_the_command_waits_until_all_is_landed(make_tournament, land, monkeypatch, capsys):
    tournament = make_tournament(blocks=2)
    lifecycle.start(tournament=tournament)
    tables = leases.take(block_id=tournament.blocks.order_by("number")[0].pk, owner="w1")
    monkeypatch.setattr(drain, "sleep", lambda _: land(tables.pop()))
    call_command("drain")
    said = capsys.readouterr().out
    assert "Still running: 3 tables and 0 validations." in said
    assert said.endswith("Nothing runs: the programs can be stopped.\n")
    assert tables == []
    call_command("drain", off=True)
    assert not draining.is_draining()


def test_the_command_gives_up_and_the_order_stays(make_tournament):
    tournament = make_tournament(blocks=1)
    lifecycle.start(tournament=tournament)
    leases.take(block_id=tournament.blocks.get().pk, owner="w1")
    with pytest.raises(CommandError, match="After 0 s there are still 3 tables"):
        call_command("drain", seconds=0)
    assert draining.is_draining()


@pytest.mark.parametrize("given", ["nan", "inf", "-1", "1e3", "9" * 6])
def test_a_wait_that_has_no_end_is_refused(given):
    with pytest.raises(CommandError, match="is not a whole number of seconds from 0 to 99999"):
        call_command("drain", f"--seconds={given}")
    assert not draining.is_draining()
