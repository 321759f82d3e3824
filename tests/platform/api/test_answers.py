"""Errors of the API: each is JSON with a `detail`, and part of its OpenAPI description."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import get_resolver, reverse
from drf_spectacular.generators import SchemaGenerator
from stichkampf_platform.play import daily


@pytest.fixture(scope="module")
def schema():
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post", "delete"])
@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/nonsense/",
        "/api/v1/bots/ann/My%20Bot/versions/",
        "/api/v1/bots/a%00b/",
        "/api/v1/tables/x/record/",
    ],
)
def test_an_unknown_address_is_answered_in_json(client, method, address):
    answer = getattr(client, method)(address)
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/json"
    assert "GET /api/v1/ lists" in answer.json()["detail"]


@pytest.mark.slow
@pytest.mark.django_db
def test_the_index_lists_the_addresses_of_the_api(client):
    answer = client.get("/api/v1/").json()
    assert "/api/v1/bots/{author}/{slug}/versions/" in answer["addresses"]
    assert client.get(answer["schema"]).status_code == 200


def test_the_api_has_one_mount_with_its_version_in_each_address(client, house, schema):
    mounts = [str(each.pattern) for each in get_resolver().url_patterns if "api/" in str(each.pattern)]
    assert mounts == ["api/v1/docs/", "api/v1/"]
    assert reverse("api-bots-list") == "/api/v1/bots/"
    unversioned = client.get("/api/bots/")
    assert unversioned.status_code == 404
    assert "GET /api/v1/ lists" in unversioned.json()["detail"]
    assert client.get("/api/v1/bots/?limit=1").json()["next"].startswith("http://testserver/api/v1/bots/")
    assert {path[:8] for path in schema["paths"]} == {"/api/v1/"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("offset=abc", "offset must be a whole number from 0 to 1000000000, not 'abc'"),
        ("offset=null", "offset must be a whole number from 0 to 1000000000, not 'null'"),
        ("offset=-1", "offset must be"),
        ("limit=0", "limit must be a whole number from 1 to 1000, not '0'"),
        ("limit=1001", "limit must be a whole number from 1 to 1000, not '1001'"),
        (f"limit={10**30}", "limit must be a whole number from 1 to 1000, not '1000"),
        ("limit=1e999", "limit must be"),
        ("limit=NaN", "limit must be"),
        (f"offset={2**31}", "offset must be a whole number from 0 to 1000000000, not '2147483648'"),
        (f"offset={'0' * 5000}1", "offset must be"),
        ("limit=-1", "limit must be"),
        ("limit=", "limit must be"),
        ("limit=%C2%B2", "limit must be"),
        ("bot=first", "There is no query parameter 'bot' here; there are limit, offset, q, game."),
        ("format=xml", "no query parameter 'format'"),
    ],
)
def test_an_unknown_or_wrong_query_parameter_is_refused(client, query, told):
    answer = client.get(f"/api/v1/bots/?{query}")
    assert answer.status_code == 400
    assert told in answer.json()["detail"]


@pytest.mark.django_db
def test_a_query_is_refused_at_an_address_without_parameters(client):
    told = "There is no query parameter 'seats' here; there is none."
    assert client.get("/api/v1/games/?seats=4").json()["detail"] == told
    assert client.get("/api/v1/schema/?lang=xx-1").status_code == 400


@pytest.mark.django_db
def test_a_page_of_the_largest_allowed_size_is_returned(client, house):
    assert client.get(f"/api/v1/bots/?limit=1000&offset={10**9}").json()["results"] == []
    assert client.get("/api/v1/bots/?limit=1&offset=1").json()["previous"]


def test_wrong_fields_are_named_one_by_one_and_in_one_text(client, token):
    answer = client.post("/api/v1/bots/", {"slug": "My Bot"}, "application/json", headers=token())
    assert answer.status_code == 400
    assert answer.json()["slug"]
    assert answer.json()["detail"].startswith("slug: ")


def test_a_remote_version_must_name_at_least_one_game(client, token, schema):
    answer = client.post("/api/v1/bots/ann/karl/remote/", {"games": []}, "application/json", headers=token())
    assert answer.status_code == 400
    assert schema["components"]["schemas"]["RemoteGames"]["properties"]["games"]["minItems"] == 1


def test_a_bot_without_a_ranked_version_is_described(schema):
    assert schema["components"]["schemas"]["Bot"]["properties"]["ranked_version"]["nullable"]


def test_every_operation_describes_its_errors(schema):
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            told = operation["responses"]
            wanted = {"400", "401", "503"} | ({"404"} if "{" in path else set())
            wanted |= {"413", "415"} if method == "post" else set()
            assert wanted <= set(told), (method, path)
            for status in set(told) - {"200", "201", "202", "204", "304"}:
                shape = told[status]["content"]["application/json"]["schema"]
                assert shape == {"$ref": "#/components/schemas/Error"}, (method, path, status)
    limited = [path for path, operations in schema["paths"].items() if "429" in str(operations)]
    assert len(limited) == 12


def test_the_deal_of_a_day_is_read_with_its_secrets_once_it_is_open(client, db, monkeypatch):
    noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    monkeypatch.setattr(daily.clock, "now", lambda: noon)
    daily.open_day()
    address = "/api/v1/games/sticheln/day/"
    deal = daily.known_deal("sticheln", noon.date())
    told = client.get(address).json()
    assert (told["day"], told["commitment"], told["seat"]) == ("2026-11-28", deal.commitment, deal.seat)
    assert [told[name] for name in ("seed", "table", "guests", "house")] == [None] * 4
    assert bytes(deal.seed).hex() not in client.get(address).content.decode()
    monkeypatch.setattr(daily.clock, "now", lambda: noon + timedelta(days=1))
    told = client.get(f"{address}?day=2026-11-28").json()
    assert (told["seed"], told["table"], told["guests"]) == (bytes(deal.seed).hex(), [], [])
    assert client.get(f"{address}?day=2020-01-01").status_code == 404
    refused = client.get(f"{address}?day=tomorrow")
    assert (refused.status_code, refused.json()["detail"]) == (
        400,
        "day must be like 2026-11-28, not 'tomorrow'.",
    )
    assert client.get("/api/v1/games/skat/day/").status_code == 404
