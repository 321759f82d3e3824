"""API tokens that end, and tokens for reading only."""

from datetime import timedelta

import pytest
from django.utils import timezone
from stichkampf_platform.people.models import ApiToken
from stichkampf_platform.people.queries import live_tokens
from stichkampf_platform.people.services import create_token


@pytest.fixture
def bearer(person):
    ann = person("ann")

    def make(**fields):
        _, text = create_token(owner=ann, name=f"token {ApiToken.objects.count()}", **fields)
        return {"authorization": f"Bearer {text}"}

    return make


def post_token(client, headers, **fields):
    return client.post("/api/v1/me/tokens/", fields, content_type="application/json", headers=headers)


def test_a_token_for_reading_changes_nothing(client, bearer):
    reader = bearer(scope="reader")
    assert client.get("/api/v1/me/", headers=reader).status_code == 200
    answer = post_token(client, reader, name="another")
    assert (answer.status_code, ApiToken.objects.count()) == (403, 1)
    assert "is for reading only" in answer.json()["detail"]


def test_a_token_ends_and_makes_none_that_outlives_it(client, bearer):
    soon = timezone.now() + timedelta(hours=1)
    short = bearer(expires_at=soon)
    for wanted in (None, (soon + timedelta(seconds=1)).isoformat()):
        answer = post_token(client, short, name="longer", expires_at=wanted)
        assert answer.status_code == 409 or answer.status_code == 400
        assert "outlives" in answer.json()["detail"]
    made = post_token(client, short, name="shorter", expires_at=(soon - timedelta(seconds=1)).isoformat())
    assert made.status_code == 201
    over = post_token(client, short, name="over", expires_at="2020-01-01T00:00:00Z")
    assert (over.status_code, "is over" in str(over.json())) == (400, True)
    ApiToken.objects.update(expires_at=timezone.now())
    assert client.get("/api/v1/me/", headers=short).status_code == 401
    owner = ApiToken.objects.first().owner
    assert list(live_tokens(owner)) == []
    create_token(owner=owner, name="shorter")  # the name is free again


def test_the_page_proposes_ninety_days(client, person):
    client.force_login(person("ann"))
    page = client.get("/account/tokens/").content.decode()
    assert '<option value="90" selected>' in page
    client.post("/account/tokens/", {"name": "laptop", "days": "90", "scope": "reader"})
    token = ApiToken.objects.get()
    assert timedelta(days=89) < token.expires_at - timezone.now() < timedelta(days=91)
    assert token.scope == "reader"
    assert client.post("/account/tokens/", {"name": "old", "days": "7"}).status_code == 422
