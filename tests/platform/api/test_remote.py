import pytest
from django.core.cache import cache
from stichkampf_platform.bots.arbiter_sync import ADDRESS_KEY, admitted
from stichkampf_platform.bots.models import RemoteAccess, Version
from stichkampf_platform.core import clock


@pytest.fixture(autouse=True)
def address():
    cache.set(ADDRESS_KEY, "bots.example:7100", timeout=None)


@pytest.fixture
def mine(token):
    return token()


@pytest.fixture
def made(client, mine):
    """The API's answer to Ann, who makes a remote version of her bot Karl."""
    return client.post(
        "/api/v1/bots/ann/karl/remote/",
        {"games": ["sticheln"]},
        content_type="application/json",
        headers=mine,
    )


def test_a_new_remote_version_gets_a_token_that_is_shown_once(client, made, mine):
    assert made.status_code == 201, made.content
    told = made.json()
    assert told["token"].startswith("skr_")
    assert told["address"] == "bots.example:7100"
    assert told["command"] == "stichkampf connect bot.py --server bots.example:7100"
    assert (told["version"]["number"], told["version"]["remote"]) == (1, True)
    assert told["submission"]["lines"][0]["text"].startswith("It waits until it is connected")
    shown = client.get("/api/v1/bots/ann/karl/versions/1/", headers=mine).content.decode()
    assert told["token"] not in shown


def test_a_token_can_be_replaced_and_revoked(client, made, mine):
    before = admitted()
    again = client.post("/api/v1/bots/ann/karl/versions/1/token/", headers=mine)
    assert again.status_code == 201
    assert again.json()["token"] != made.json()["token"]
    between = admitted()
    assert client.delete("/api/v1/bots/ann/karl/versions/1/token/", headers=mine).status_code == 204
    assert len({str(before), str(between), str(admitted())}) == 3
    assert client.delete("/api/v1/bots/ann/karl/versions/1/token/", headers=mine).status_code == 400


def test_a_version_tells_where_it_connects_and_by_what_its_token_is_known(client, made, mine):
    address = "/api/v1/bots/ann/karl/versions/1/token/"
    told = client.get(address, headers=mine).json()
    assert (told["version"]["number"], told["address"]) == (1, "bots.example:7100")
    assert made.json()["token"].startswith(told["hint"])
    assert (told["revoked"], made.json()["token"] in str(told)) == (False, False)
    client.delete(address, headers=mine)
    assert client.get(address, headers=mine).json()["revoked"] is True


def test_another_person_cannot_change_a_token(client, made, token):
    bob = token("bob")
    assert client.get("/api/v1/bots/ann/karl/versions/1/token/", headers=bob).status_code == 404
    assert client.get("/api/v1/bots/ann/karl/versions/1/token/").status_code == 401
    assert client.post("/api/v1/bots/ann/karl/versions/1/token/", headers=bob).status_code == 404
    assert client.delete("/api/v1/bots/ann/karl/versions/1/token/", headers=bob).status_code == 404
    assert client.post("/api/v1/bots/ann/karl/versions/1/token/").status_code == 401
    assert client.post("/api/v1/bots/ann/karl/remote/", {"games": ["mue"]}, headers=bob).status_code == 403


@pytest.mark.parametrize(
    ("body", "message"),
    [({}, "required"), ({"games": []}, "Name the games"), ({"games": ["skat"]}, "skat")],
)
def test_a_wrong_request_is_answered_with_the_right_way(client, mine, body, message):
    answer = client.post("/api/v1/bots/ann/karl/remote/", body, content_type="application/json", headers=mine)
    assert answer.status_code == 400
    assert message in answer.content.decode()
    assert not Version.objects.exists()


def test_presence_is_public_and_latency_is_private(client, made, mine):
    now = clock.now()
    RemoteAccess.objects.update(connected_at=now, last_seen_at=now, latency_seconds=0.04, tables=2)
    Version.objects.update(state=Version.State.APPROVED)
    (seen,) = client.get("/api/v1/remote/").json()["results"]
    assert (seen["bot"], seen["version"], seen["connected"]) == ("ann/karl", 1, True)
    assert (seen["latency_seconds"], seen["tables"]) == (None, None)
    (seen,) = client.get("/api/v1/remote/", headers=mine).json()["results"]
    assert (seen["latency_seconds"], seen["tables"]) == (0.04, 2)


def test_a_remote_bot_before_its_validation_is_not_listed(client, made, mine):
    assert client.get("/api/v1/remote/").json()["results"] == []
    assert len(client.get("/api/v1/remote/", headers=mine).json()["results"]) == 1
