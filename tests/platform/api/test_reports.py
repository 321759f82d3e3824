"""What a bot wrote to standard error is for its owner and staff, on pages and API; its faults are for all."""

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.tournaments import leases, services

SECRET = "I hold the ace"


@pytest.fixture
def karls(submitted, person, token, make_tournament, house, land, played_record):
    """Ann's karl and Bob's paul at three tables, of which as many are played as asked for; karl faults."""
    headers = {"ann": token("ann"), "bob": token("bob"), "staff": token("chief", is_staff=True), "nobody": {}}
    users = {user.username: user for user in services.User.objects.all()}
    karl, paul = submitted(users["ann"], "karl"), submitted(users["bob"], "paul")
    tournament = make_tournament(versions=[karl, paul, house["thumb"]], blocks=1)
    services.start(tournament=tournament)
    tables = leases.take(block_id=tournament.blocks.get().pk, owner="w1")

    def play(how_many):
        for table in tables[:how_many]:
            seat = table.seats.get(entrant__version=karl).number
            reports = [pb.SeatReport(seat=seat, stderr=SECRET, exit_kind="exited", complaints=["late"])]
            assert land(table, played_record(table, faulting={seat}), reports=reports)
        return headers

    return play


@pytest.mark.parametrize(("who", "status"), [("ann", 200), ("staff", 200), ("bob", 404), ("nobody", 401)])
def test_the_api_shows_reports_to_owner_and_staff_only(client, karls, who, status):
    headers = karls(3)
    answer = client.get("/api/bots/karl/reports/", headers=headers[who])
    assert answer.status_code == status
    assert (SECRET in answer.content.decode()) == (status == 200)
    if status == 200:
        first = answer.json()["results"][0]
        assert (first["stderr"], first["complaints"], first["version"]) == (SECRET, ["late"], 1)


@pytest.mark.parametrize(("who", "sees"), [("ann", True), ("chief", True), ("bob", False), ("", False)])
def test_the_page_shows_reports_to_owner_and_staff_only(client, karls, who, sees):
    karls(3)
    if who:
        client.force_login(services.User.objects.get(username=who))
    assert (SECRET in client.get("/bots/karl/").content.decode()) == sees
    assert SECRET not in client.get("/bots/paul/").content.decode()


def test_not_even_the_owner_reads_it_before_the_block_is_over(client, karls):
    headers = karls(2)
    assert client.get("/api/bots/karl/reports/", headers=headers["ann"]).json()["results"] == []
    assert client.get("/api/bots/karl/faults/").json()["results"] == []
    client.force_login(services.User.objects.get(username="ann"))
    assert SECRET not in client.get("/bots/karl/").content.decode()


def test_faults_are_public_when_the_block_is_over(client, karls):
    karls(3)
    (first, *others) = client.get("/api/bots/karl/faults/").json()["results"]
    assert len(others) == 5
    assert first.keys() == {"table", "version", "deal", "move", "kind", "forfeited"}
    assert {fault["kind"] for fault in (first, *others)} == {"timeout"}
    assert client.get("/api/bots/paul/faults/").json()["results"] == []
    assert client.get("/api/bots/nobody-knows-it/faults/").status_code == 404
