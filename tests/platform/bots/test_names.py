"""Names of bots: each author has names of its own, and addresses name the author."""

import json

import pytest
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import named
from stichkampf_platform.bots.services import create_bot, seed_house
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.organising.entry_lists import versions_listed

pytestmark = pytest.mark.database


@pytest.fixture
def two(person, submitted):
    """Two authors with a bot of one name; ann had it first."""
    return submitted(person("ann"), slug="first"), submitted(person("bob"), slug="first")


@pytest.mark.slow
def test_an_address_names_the_author_and_means_the_bot_of_nobody_else(client, two):
    anns, bobs = two
    assert bobs.get_absolute_url() == "/bots/bob/first/v/1/"
    for page, name in {
        "/bots/ann/first/": "ann/first", "/bots/bob/first/": "bob/first", "/bots/bob/first/v/1/": "bob/first",
    }.items():  # fmt: skip
        text = client.get(page).content.decode()
        assert name in text, page
        assert ({"ann/first", "bob/first"} - {name}).pop() not in text, page
    for address, author in {"ann/first": "ann", "bob/first": "bob"}.items():
        assert client.get(f"/api/v1/bots/{address}/").json()["owner"] == author
        (version,) = client.get(f"/api/v1/bots/{address}/versions/").json()["results"]
        assert (version["author"], version["bot"]) == (author, "first")
        assert (
            client.get(f"/api/v1/bots/{address}/versions/1/").json()["page"] == f"/bots/{author}/first/v/1/"
        )
        assert client.get(f"/api/v1/bots/{address}/faults/").json()["count"] == 0
    assert "ann/first" in client.get("/bots/bob/first/vs/ann/first/").content.decode()
    for missing in ("/bots/eve/first/", "/bots/first/", "/bots/first/v/1/", "/bots/first/badge.svg"):
        assert client.get(missing).status_code == 404
    assert [v.bot for v in versions_listed("first,1\nbob/first,1")] == [anns.bot, bobs.bot]


def test_a_listed_name_stays_with_its_first_holder_even_while_the_bot_is_hidden(person, submitted):
    first = submitted(person("ann"), slug="first", state="submitted").bot
    submitted(person("bob"), slug="first")
    assert named(Bot.objects.all(), "first").get() == first


def test_what_only_an_owner_may_do_concerns_the_own_bot(client, two):
    _, bobs = two
    client.force_login(bobs.bot.owner)
    assert client.get("/api/v1/bots/bob/first/reports/").json()["count"] == 0
    assert client.get("/api/v1/bots/ann/first/reports/").status_code == 404
    assert client.get("/api/v1/bots/bob/first/versions/1/ladders/").json() == []
    assert client.get("/api/v1/bots/ann/first/versions/1/ladders/").status_code == 404
    answer = client.post("/api/v1/bots/ann/first/versions/1/rank/")
    assert (answer.status_code, answer.json()["detail"]) == (400, "ann/first v1 belongs to someone else.")
    assert client.post("/api/v1/bots/bob/first/versions/1/rank/").status_code == 200
    answer = client.post(
        "/api/v1/bots/ann/first/remote/", json.dumps({"games": ["sticheln"]}), content_type="application/json"
    )
    assert answer.status_code == 403


def test_a_person_has_a_name_once_and_never_that_of_a_house_bot(client, person):
    ann = person()
    client.force_login(ann)
    bot = {"slug": "first", "name": "First"}
    assert client.post("/api/v1/bots/", bot).json()["full_name"] == "ann/first"
    answer = client.post("/api/v1/bots/", bot)
    assert (answer.status_code, answer.json()["detail"]) == (
        400, "You have a bot called 'first' already; choose another name."
    )  # fmt: skip
    with pytest.raises(RequestRefused, match="'thumb' is a house bot; choose another name"):
        create_bot(owner=ann, slug="thumb")
    assert client.post("/api/v1/bots/", {"slug": "versions", "name": "V"}).status_code == 201
    assert (
        client.get("/bots/ann/versions/").status_code
        == client.get("/api/v1/bots/ann/versions/").status_code
        == 200
    )


def test_a_new_house_bot_takes_no_bot_from_an_author_who_had_its_name(person):
    Bot.objects.create(owner=person(), slug="thumb", name="My thumb")
    seed_house()
    assert {bot.owner.username for bot in Bot.objects.filter(slug="thumb")} == {"ann", "house"}
    assert Bot.objects.get(slug="thumb", owner__username="ann").versions.count() == 0
