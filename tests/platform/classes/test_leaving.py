"""An account deleted by its person: all that is personal goes, results stay under a pseudonym."""

import json
import secrets

import pytest
from django.test import Client
from stichkampf_platform.bots.models import Version
from stichkampf_platform.classes import closing, leaving
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.access import audit
from stichkampf_platform.people.models import ApiToken, AuditAction, AuditEntry, KnownAddress, User
from stichkampf_platform.people.services import create_token
from stichkampf_platform.play.models import PlayedSeat, PlayedTable
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Result, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from support import PASSWORD


@pytest.fixture
def eve(person):
    made = person("eve", email="eve@example.org", first_name="Eve")
    create_token(owner=made, name="laptop")
    return made


@pytest.fixture
def signed_in(eve):
    client = Client()
    assert client.post("/login/", {"username": "eve", "password": PASSWORD}).status_code == 302
    return client


@pytest.fixture
def playing(eve, make_tournament, submitted, house):
    """A running tournament with a bot of Eve's and none of its tables played."""
    versions = [submitted(eve), house["thumb"], house["random"]]
    tournament = make_tournament(versions=versions, blocks=1)
    lifecycle.start(tournament=tournament)
    return tournament


def test_the_page_says_what_goes_and_asks_for_the_password(signed_in, eve, playing):
    page = signed_in.get("/account/delete/").content.decode()
    assert "The name of 1 bot, which is retired." in page
    assert "1 running tournament is played to its end" in page
    answer = signed_in.post("/account/delete/", {"password": "guess"})
    assert answer.status_code == 422
    assert "That is not your password." in answer.content.decode()
    assert User.objects.get(pk=eve.pk).is_active


@pytest.mark.slow
def test_running_tournaments_are_played_out_and_then_the_name_goes(signed_in, eve, playing, land):
    answer = signed_in.post("/account/delete/", {"password": PASSWORD}, follow=True)
    assert "Your account is deleted." in answer.content.decode()
    closing.delete_leftovers()
    eve.refresh_from_db()
    assert eve.username == "eve", "a record that is to come has this name"
    for block in playing.blocks.all():
        for table in leases.take(block_id=block.pk, owner="w1"):
            assert land(table)
    closing.delete_leftovers()
    eve.refresh_from_db()
    assert (eve.username, eve.is_active, eve.email, eve.first_name) == (eve.username, False, "", "")
    assert eve.username.count("-") == 2
    assert Version.objects.get(bot__owner=eve).state == "suspended"
    assert Result.objects.filter(seat__entrant__version__bot__owner=eve).count() > 0
    assert not ApiToken.objects.filter(owner=eve).exists()
    assert not KnownAddress.objects.filter(person=eve).exists()
    assert not AuditEntry.objects.filter(person=eve).exclude(digest="").exists()
    assert Client().post("/login/", {"username": "eve", "password": PASSWORD}).status_code == 200
    assert Client().get("/bots/eve/karl/").status_code == 404
    taken = Client().post("/join/", {"username": "eve", "password": PASSWORD})
    assert "That name is taken." in taken.content.decode()
    assert Client().get(f"/bots/{eve.username}/karl/").status_code == 200


def test_the_logs_lose_the_name_and_nothing_of_other_people(eve, person):
    acts = ("bot eve/karl: changed", "bot evelyn/karl: changed", "user every-body: changed")
    chief = person("chief")
    for act in acts:
        audit.note(AuditAction.ADMINISTERED, person=chief, subject=act)
    leaving.delete_account(person=eve)
    closing.delete_leftovers()
    eve.refresh_from_db()
    told = AuditEntry.objects.filter(action=AuditAction.ADMINISTERED).order_by("pk")
    assert [entry.subject for entry in told] == [acts[0].replace("eve", eve.username), *acts[1:]]


def test_who_runs_a_tournament_or_is_the_only_administrator_stays(eve, playing):
    Tournament.objects.filter(pk=playing.pk).update(created_by=eve)
    with pytest.raises(RequestRefused, match="You run tournaments that are not over: A test"):
        leaving.delete_account(person=eve)
    Tournament.objects.filter(pk=playing.pk).update(created_by=None)
    eve.is_superuser = True
    eve.save()
    with pytest.raises(RequestRefused, match="only administrator"):
        leaving.delete_account(person=eve)
    assert User.objects.get(pk=eve.pk).is_active


def sit_down(person, **fields):
    table = PlayedTable.objects.create(
        public_id=secrets.token_hex(4), game_name="mue", seats_count=4, seed=b"s" * 32, **fields
    )
    return table.seats.create(number=0, person=True, account=person)


def test_tables_of_a_person_are_in_the_copy_and_become_a_guests_with_the_account(signed_in, eve):
    over = sit_down(eve, state="over", record={"scores": [3, 1, 0, 0]})
    open_seat = sit_down(eve)
    told = json.loads(signed_in.get("/account/data/").content)["played"]
    by_table = {played["table.public_id"]: played for played in told}
    assert by_table[over.table.public_id]["table.record"] == {"scores": [3, 1, 0, 0]}
    assert by_table[open_seat.table.public_id]["table.record"] is None
    assert "seed" not in json.dumps(told)
    leaving.delete_account(person=eve)
    assert [seat.name for seat in PlayedSeat.objects.all()] == ["guest", "guest"]


def test_a_copy_of_the_data_has_all_but_secrets(signed_in, eve, playing):
    answer = signed_in.get("/account/data/")
    told = json.loads(answer.content)
    assert told["account"]["email"] == "eve@example.org"
    assert [bot["slug"] for bot in told["bots"]] == ["karl"]
    assert [token["name"] for token in told["tokens"]] == ["laptop"]
    assert {act["action"] for act in told["acts"]} >= {"signed-in", "token-made"}
    assert ApiToken.objects.get().digest not in answer.content.decode()
    assert "eve.json" in answer["Content-Disposition"]
