"""Standard error of a bot is shown to its owner and staff only; its faults are public."""

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.bots.models import Version
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.organising import lifecycle

pytestmark = pytest.mark.queries

SECRET = "I hold the ace"


@pytest.fixture
def karls(submitted, person, token, make_tournament, house, land, played_record):
    """Returns a function that plays some of three tables between Ann's Karl, which faults, and Bob's Paul."""
    headers = {
        "ann": token("ann"),
        "bob": token("bob"),
        "staff": token("chief", is_staff=True),
        "visitor": {},
    }
    users = {user.username: user for user in lifecycle.User.objects.all()}
    karl, paul = submitted(users["ann"], "karl"), submitted(users["bob"], "paul")
    tournament = make_tournament(versions=[karl, paul, house["thumb"]], blocks=1)
    lifecycle.start(tournament=tournament)
    tables = leases.take(block_id=tournament.blocks.get().pk, owner="w1")

    def play(how_many):
        for table in tables[:how_many]:
            seat = table.seats.get(entrant__version=karl).number
            reports = [
                pb.SeatReport(
                    seat=seat, stderr=SECRET, exit_kind="exited", complaints=["late"], complaint_decisions=[3]
                )
            ]
            assert land(table, played_record(table, faulting={seat}), reports=reports)
        return headers

    return play


@pytest.mark.parametrize(("who", "status"), [("ann", 200), ("staff", 200), ("bob", 404), ("visitor", 401)])
def test_the_api_shows_reports_to_owner_and_staff_only(client, karls, who, status):
    headers = karls(3)
    answer = client.get("/api/v1/bots/ann/karl/reports/", headers=headers[who])
    assert answer.status_code == status
    assert (SECRET in answer.content.decode()) == (status == 200)
    if status == 200:
        first = answer.json()["results"][0]
        assert (first["stderr"], first["complaints"], first["version"]) == (SECRET, ["late"], 1)
        assert first["complaint_decisions"] == [3]


@pytest.mark.parametrize(("who", "sees"), [("ann", True), ("chief", True), ("bob", False), ("", False)])
def test_the_page_shows_reports_to_owner_and_staff_only(client, karls, who, sees):
    karls(3)
    if who:
        client.force_login(lifecycle.User.objects.get(username=who))
    assert (SECRET in client.get("/bots/ann/karl/").content.decode()) == sees
    assert SECRET not in client.get("/bots/bob/paul/").content.decode()


def test_reports_are_hidden_from_the_owner_until_the_block_ends(client, karls):
    headers = karls(2)
    assert client.get("/api/v1/bots/ann/karl/reports/", headers=headers["ann"]).json()["results"] == []
    assert client.get("/api/v1/bots/ann/karl/faults/").json()["results"] == []
    client.force_login(lifecycle.User.objects.get(username="ann"))
    assert SECRET not in client.get("/bots/ann/karl/").content.decode()


def test_reports_are_held_back_while_the_bot_plays_other_blocks(
    client, karls, make_tournament, house, land, played_record
):
    """One process plays several blocks and may print in one the cards that it holds in another."""
    headers = karls(0)
    karl = Version.objects.get(bot__slug="karl")
    meanwhile = make_tournament(name="Meanwhile", versions=[karl, house["thumb"], house["random"]], blocks=1)
    lifecycle.start(tournament=meanwhile)
    others = leases.take(block_id=meanwhile.blocks.get().pk, owner="w2")
    karls(3)

    def read():
        return client.get("/api/v1/bots/ann/karl/reports/", headers=headers["ann"]).json()["results"]

    assert read() == []
    assert client.get("/api/v1/bots/ann/karl/reports/", headers=headers["staff"]).json()["results"] == []
    for table in others:
        assert land(table, played_record(table), owner="w2")
    assert len(read()) == 3


def test_a_later_or_abandoned_block_holds_no_report_back(client, karls, make_tournament, house):
    headers = karls(0)
    karl = Version.objects.get(bot__slug="karl")
    for name in ("given up", "later"):
        tournament = make_tournament(name=name, versions=[karl, house["thumb"], house["random"]], blocks=1)
        lifecycle.start(tournament=tournament)
        if name == "given up":
            leases.take(block_id=tournament.blocks.get().pk, owner="w2")
            lifecycle.cancel(tournament=tournament)
    karls(3)
    leases.take(block_id=tournament.blocks.get().pk, owner="w2")
    assert len(client.get("/api/v1/bots/ann/karl/reports/", headers=headers["ann"]).json()["results"]) == 3


def test_faults_become_public_when_the_block_ends(client, karls):
    karls(3)
    (first, *others) = client.get("/api/v1/bots/ann/karl/faults/").json()["results"]
    assert len(others) == 5
    kept = {"decision", "deal", "move", "kind", "forfeited"}
    assert first.keys() == {"table", "game", "page", "version", "seat", *kept}
    assert first["page"] == f"/r/{first['table']}/{first['decision']}"
    (told,) = [
        fault
        for fault in client.get(f"/api/v1/tables/{first['table']}/faults/").json()
        if fault["decision"] == first["decision"]
    ]
    assert all(told[name] == first[name] for name in ("seat", "deal", "move", "kind"))
    assert {fault["kind"] for fault in (first, *others)} == {"timeout"}
    assert client.get("/api/v1/bots/bob/paul/faults/").json()["results"] == []
    assert client.get("/api/v1/bots/ann/unknown-bot/faults/").status_code == 404
