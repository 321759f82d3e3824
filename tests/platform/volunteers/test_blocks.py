"""Blocks of house bots in the hands of volunteers: which, for how long, and what comes of their answers."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from stichkampf.match.verify import verify
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines import draining
from stichkampf_platform.operations import state_texts
from stichkampf_platform.operations.doctor.nodes import count_light_nodes
from stichkampf_platform.people.models import ApiToken, AuditAction, AuditEntry
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.models import Block, MatchRecord, Result, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.volunteers import services
from stichkampf_platform.volunteers.checking import check_next
from stichkampf_platform.volunteers.models import VolunteerAnswer, VolunteerNode
from stichkampf_platform.volunteers.queries import living, open_blocks

pytestmark = pytest.mark.django_db


def played_by_a_node(land):
    """Play all that is free as a worker does; the number of tables that landed."""
    return sum(
        land(table) for block in queries.free_blocks() for table in leases.take(block_id=block.pk, owner="w1")
    )


def test_an_honest_answer_lands_once_and_is_the_record_made_here(machine, running):
    tournament = running("thumb", "random", "glimpse")
    vera = machine()
    told = vera.ask().json()
    block = tournament.blocks.get()
    assert (told["block"]["game"], told["block"]["seed"]) == ("stiche-raten", bytes(block.seed).hex())
    assert (len(told["block"]["tables"]), block.node) == (3, "")
    records = vera.records()
    assert vera.renew().status_code == 204
    assert vera.answer(records).status_code == 202
    assert not Result.objects.exists(), "nothing counts before it is checked"
    assert check_next()
    assert not check_next()
    block.refresh_from_db()
    assert block.over_at is not None
    assert (Result.objects.count(), MatchRecord.objects.count(), VolunteerAnswer.objects.count()) == (9, 3, 0)
    for table, sent in records.items():
        stored = record_files.record(table)
        verify(stored)
        assert {name: stored[name] for name in sent} == sent
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED
    assert [node.blocks for node in living()] == [1]
    assert vera.answer(records).status_code == 409, "an old answer"


def test_only_open_blocks_of_house_bots_that_repeat_are_given(machine, running, submitted, person, house):
    running("thumb", "random", "search")
    running(versions=[house["thumb"], house["random"], submitted(person())])
    running(private=True)
    running(published=False)
    running(experiment=True, rated=False)
    begun = running()
    leases.take(block_id=begun.blocks.get().pk, owner="w1")
    leases.release(owner="w1")
    assert not open_blocks().exists()
    assert machine().ask().json() == {"lease": None, "lease_seconds": 30, "block": None}
    running()
    draining.begin()
    assert not open_blocks().exists()
    draining.end()
    assert open_blocks().count() == 1


def spoil_a_move(record):
    for deal in record["deals"]:
        for move in deal["moves"]:
            if move[1] == "bid 0":
                move[1] = "bid 1"
                return


def spoil_the_scores(record):
    record["scores"] = record["deals"][0]["scores"] = [score + 1 for score in record["scores"]]


def spoil_the_seed(record):
    record["seed"] = "00" * 32


@pytest.mark.parametrize("spoil", [spoil_a_move, spoil_the_scores, spoil_the_seed, dict.clear])
def test_a_wrong_record_leaves_nothing_and_its_block_goes_to_a_node(machine, running, land, spoil):
    running()
    vera = machine()
    vera.ask()
    records = vera.records()
    spoil(records[max(records)])  # the last one, after right ones
    assert vera.answer(records).status_code == 202
    assert check_next()
    assert (Result.objects.count(), MatchRecord.objects.count(), VolunteerAnswer.objects.count()) == (0, 0, 0)
    (entry,) = AuditEntry.objects.filter(action=AuditAction.WRONG_RECORD)
    assert entry.person.username == "vera"
    assert f"table {max(records)}" in entry.subject
    assert VolunteerNode.objects.get().stopped_at is None
    assert vera.ask().json()["block"] is None, "no volunteer gets it a second time"
    assert played_by_a_node(land) == 3


def test_a_machine_that_sends_wrong_records_again_and_again_gets_no_more(machine, running):
    running(blocks=4)
    vera = machine()
    for _ in range(3):
        assert vera.ask().status_code == 200
        records = vera.records()
        spoil_the_seed(records[min(records)])
        vera.answer(records)
        check_next()
    answer = vera.ask()
    assert (answer.status_code, "sent wrong records" in answer.json()["detail"]) == (403, True)
    assert not living().exists()
    VolunteerNode.objects.update(stopped_at=None)  # as an administrator does
    assert vera.ask().status_code == 200


def test_a_block_is_anothers_once_its_lease_ran_out(machine, running, land):
    running()
    vera = machine()
    vera.ask()
    records = vera.records()
    assert not queries.free_blocks().exists()
    Table.objects.update(lease_until=clock.now() - timedelta(seconds=1))
    assert played_by_a_node(land) == 3
    for late in (vera.answer(records), vera.renew(), vera.give_back()):
        assert (late.status_code, "no longer yours" in late.json()["detail"]) == (409, True)
    assert (Result.objects.count(), VolunteerAnswer.objects.count()) == (9, 0)


def test_an_answer_whose_check_comes_too_late_changes_nothing(machine, running, land):
    running()
    vera = machine()
    vera.ask()
    vera.answer(vera.records())
    Table.objects.update(lease_until=clock.now() - timedelta(seconds=1))
    assert played_by_a_node(land) == 3
    assert check_next()
    assert (Result.objects.count(), VolunteerAnswer.objects.count()) == (9, 0)
    assert VolunteerNode.objects.get().blocks == 0


def test_two_machines_get_two_blocks_and_neither_speaks_for_the_other(machine, running):
    running(blocks=2)
    vera, otto = machine("vera"), machine("otto")
    vera.ask()
    otto.ask()
    assert set(vera.block.tables).isdisjoint(otto.block.tables)
    assert vera.answer(otto.records(), lease=otto.lease).status_code == 409
    assert vera.answer(vera.records(), lease=uuid4()).status_code == 409
    wrong = vera.answer(otto.records())
    assert (wrong.status_code, "this block has tables" in wrong.json()["detail"]) == (400, True)
    assert vera.answer(vera.records()).status_code == otto.answer(otto.records()).status_code == 202
    while check_next():
        pass
    assert Result.objects.count() == 18
    assert {node.blocks for node in living()} == {1}


def test_a_machine_keeps_no_block_for_ever_and_few_at_once(machine, running, monkeypatch):
    running(blocks=6)
    vera, otto = machine("vera"), machine("otto")
    monkeypatch.setattr(services, "BLOCKS_OF_ALL", 5)
    for _ in range(services.BLOCKS_EACH):
        assert vera.ask().json()["lease"]
    assert vera.ask().json()["lease"] is None
    assert otto.ask().json()["lease"]
    assert otto.ask().json()["lease"] is None
    assert vera.give_back().status_code == 204
    assert vera.ask().json()["lease"]
    Table.objects.filter(lease_owner__gt="").update(
        started_at=clock.now() - timedelta(seconds=services.BLOCK_SECONDS + 1)
    )
    assert vera.renew().status_code == 409
    assert Block.objects.filter(tables__lease_owner__gt="").distinct().count() == 4


def test_tables_in_volunteers_hands_take_no_worker_from_their_tournament(machine, running):
    first, second = running(blocks=2), running(blocks=2)
    machine().ask()
    assert queries.others_wait(first), "no worker plays the second one"
    assert queries.others_wait(second), "nor the first one"
    assert {block.tournament_id for block in queries.next_blocks(2)} == {first.pk, second.pk}


def test_a_cancelled_tournament_takes_no_answer(machine, running):
    tournament = running()
    vera = machine()
    vera.ask()
    vera.answer(vera.records())
    lifecycle.cancel(tournament=tournament)
    assert check_next()
    assert not Result.objects.exists()


def test_the_token_is_for_this_alone_and_asks_for_what_the_operator_allows(
    machine, running, token, client, settings
):
    running()
    vera = machine()
    refused = vera.send("get", "/api/v1/me/")
    assert (refused.status_code, "`stichkampf volunteer` alone" in refused.json()["detail"]) == (403, True)
    assert vera.send("get", "/api/v1/bots/").status_code == 403
    other = client.post(
        "/api/v1/volunteer/blocks/", {"version": "1"}, content_type="application/json", headers=token()
    )
    assert (other.status_code, "takes a volunteer's token" in other.json()["detail"]) == (403, True)
    older = vera.ask(version="0.1")
    assert (older.status_code, "not '0.1'; install its version" in older.json()["detail"]) == (400, True)
    settings.VOLUNTEERS = "off"
    assert vera.ask().status_code == 403
    settings.VOLUNTEERS = "everybody"
    assert vera.ask().json()["lease"]
    settings.RATES = {**settings.RATES, "volunteering": {"token": (1, 3600)}}
    assert [vera.renew().status_code for _ in range(2)][-1] == 429


def test_a_token_for_it_is_offered_to_those_who_may_make_one(client, person, token, settings):
    ann = token("ann")
    client.force_login(ApiToken.objects.get().owner)
    assert 'value="volunteer"' not in client.get("/account/tokens/").content.decode()
    settings.VOLUNTEERS = "everybody"
    assert 'value="volunteer"' in client.get("/account/tokens/").content.decode()
    by_token = client.post(
        "/api/v1/me/tokens/",
        {"name": "mine", "scope": "volunteer"},
        content_type="application/json",
        headers=ann,
    )
    assert (by_token.status_code, "make it on the site" in by_token.json()["detail"]) == (400, True)
    made = client.post("/account/tokens/", {"name": "desk", "days": "90", "scope": "volunteer"})
    assert "stichkampf volunteer http://testserver --token-file FILE" in made.content.decode()
    assert ApiToken.objects.filter(scope="volunteer").count() == 1
    settings.VOLUNTEERS = "off"
    refused = client.post("/account/tokens/", {"name": "desk 2", "days": "90", "scope": "volunteer"})
    assert refused.status_code == 422


def test_the_operators_page_names_each_machine(machine, running, client, person):
    running()
    machine().ask()
    client.force_login(person("ruth", is_staff=True, is_superuser=True))
    page = client.get("/admin/operations/").content.decode()
    assert "Light nodes" in page
    assert "vera: desk" in page
    assert "blocks that counted: 0" in page
    assert "vera: desk" in client.get("/admin/volunteers/volunteernode/").content.decode()


def test_status_page_and_doctor_count_the_machines(machine, running, client, settings, monkeypatch):
    monkeypatch.setattr(state_texts, "FRESH_SECONDS", 0)
    running()
    machine("vera").ask()
    machine("otto").ask()  # there is no second block
    told = "2 machines of volunteers take part. Blocks that they have, or that are checked now: 1."
    assert told in client.get("/status/").content.decode()
    assert count_light_nodes() == f"Light nodes: {told}"
    settings.VOLUNTEERS = "off"
    assert "volunteers" not in client.get("/status/").content.decode()
    assert count_light_nodes() == ""
