"""Actions that cannot be undone ask first and say what would be lost; nothing happens before the answer."""

import pytest
from django.contrib.admin.models import LogEntry
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.organising import lifecycle

TOURNAMENTS = "/admin/tournaments/tournament/"
BLOCKS = "/admin/tournaments/block/"
TABLES = "/admin/tournaments/table/"
ENTRANTS = "/admin/tournaments/entrant/"


@pytest.fixture
def begun(client, person, make_tournament, land):
    """A running tournament of two blocks: one table is played, with three results."""
    client.force_login(person("chief", is_staff=True, is_superuser=True))
    tournament = make_tournament(blocks=2)
    lifecycle.start(tournament=tournament)
    table, *_ = leases.take(block_id=tournament.blocks.first().pk, owner="w1")
    assert land(table)
    tournament.refresh_from_db()
    return tournament


def ask(client, address, action, one, **more):
    fields = {"action": action, "_selected_action": one.pk, "index": 0, **more}
    return client.post(address, fields, follow=True).content.decode()


def test_cancelling_asks_first_and_names_the_loss(client, begun):
    page = ask(client, TOURNAMENTS, "cancel", begun, from_page="yes")
    assert "2 blocks with 6 tables and 3 results" in page
    assert f'href="{TOURNAMENTS}{begun.pk}/change/"' in page
    begun.refresh_from_db()
    assert begun.state == "running"
    assert not LogEntry.objects.exists()
    ask(client, TOURNAMENTS, "cancel", begun, confirmed="yes")
    begun.refresh_from_db()
    assert begun.state == "cancelled"


@pytest.mark.parametrize("address", [BLOCKS, TABLES])
def test_playing_again_asks_first_and_names_the_loss(client, begun, address):
    block = begun.blocks.first()
    one = block if address == BLOCKS else block.tables.first()
    page = ask(client, address, "again", one, reason="No light.")
    assert "1 block with 3 tables and 3 results" in page
    assert begun.blocks.count() == 2
    ask(client, address, "again", one, confirmed="yes", reason="No light.")
    assert begun.blocks.count() == 3


def test_disqualifying_asks_first_names_the_loss_and_keeps_the_reason(client, begun):
    entrant = begun.entrants.first()
    page = ask(client, ENTRANTS, "disqualify", entrant, reason="It phoned home.")
    assert "2 blocks with 6 tables and 3 results" in page
    assert 'name="reason" value="It phoned home."' in page
    entrant.refresh_from_db()
    assert entrant.out_at is None


def test_a_loss_of_nothing_is_said(client, begun, make_tournament):
    draft = make_tournament(name="Draft")
    assert "loses nothing that was played" in ask(client, TOURNAMENTS, "cancel", draft)
