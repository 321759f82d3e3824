import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from stichkampf_platform.bots.arbiter_sync import ADDRESS_KEY, admitted
from stichkampf_platform.bots.models import RemoteAccess, Version
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.core import clock
from stichkampf_platform.people.services import sign_up
from stichkampf_platform.tournaments.organising import lifecycle

TOKEN = re.compile(r"skr_[A-Za-z0-9_-]{43}")


@pytest.fixture(autouse=True)
def address():
    cache.set(ADDRESS_KEY, "bots.example:7100", timeout=None)


@pytest.fixture
def karl(ada, connected):
    return connected(ada, "karl")


def test_a_new_remote_version_shows_its_token_once(client, ada):
    client.force_login(ada)
    page = client.post("/remote/new/", {"slug": "karl", "games": ["sticheln", "mue"]}).content.decode()
    assert TOKEN.search(page)
    assert "stichkampf connect bot.py --server bots.example:7100" in page
    version = Version.objects.get()
    assert (version.remote, version.games, version.bot.owner) == (True, ["sticheln", "mue"], ada)
    assert not TOKEN.search(client.get("/bots/ada/karl/v/1/token/").content.decode())


def test_errors_are_shown_at_their_fields_and_nothing_is_made(client, ada, karl):
    bob = sign_up(username="bob", password="correct horse battery")
    client.force_login(bob)
    answer = client.post("/remote/new/", {"slug": "thumb", "games": ["sticheln"]})
    assert answer.status_code == 422
    assert "is a house bot; choose another name" in answer.content.decode()
    answer = client.post("/remote/new/", {"slug": "otto"})
    assert answer.status_code == 422
    answer = client.post("/remote/new/", {"slug": "otto", "games": ["sixes-and-sevens"]})
    assert answer.status_code == 422
    assert Version.objects.count() == 1


def test_making_a_remote_version_needs_an_account(client, db):
    assert client.get("/remote/new/").status_code == 302


def test_a_token_can_be_replaced_and_revoked_on_its_page(client, ada, karl):
    client.force_login(ada)
    before = admitted()
    page = client.post("/bots/ada/karl/v/1/token/").content.decode()
    assert TOKEN.search(page)
    after = admitted()
    assert before != after
    page = client.post("/bots/ada/karl/v/1/token/revoke/", follow=True).content.decode()
    assert "Revoked on" in page
    assert admitted() != after


def test_the_token_page_is_shown_to_its_owner_only(client, karl):
    bob = sign_up(username="bob", password="correct horse battery")
    client.force_login(bob)
    assert client.get("/bots/ada/karl/v/1/token/").status_code == 404
    assert client.post("/bots/ada/karl/v/1/token/").status_code == 404
    assert client.post("/bots/ada/karl/v/1/token/revoke/").status_code == 404


@pytest.mark.slow
def test_presence_is_public_and_latency_is_shown_to_the_owner_only(client, ada, karl):
    for path in ("/remote/", "/bots/ada/karl/", "/bots/ada/karl/v/1/"):
        page = client.get(path).content.decode()
        assert "connected" in page
        assert "42\N{NARROW NO-BREAK SPACE}ms" not in page
    client.force_login(ada)
    for path in ("/remote/", "/bots/ada/karl/", "/bots/ada/karl/v/1/"):
        assert "42\N{NARROW NO-BREAK SPACE}ms" in client.get(path).content.decode()


def test_a_disconnected_bot_is_shown_with_the_time_of_its_last_contact(client, karl):
    seen = clock.now() - timedelta(days=3)
    RemoteAccess.objects.update(last_seen_at=seen)
    for path in ("/remote/", "/bots/ada/karl/"):
        page = client.get(path).content.decode()
        assert "away" in page
        assert f"{seen:%H:%M} UTC" in page
    assert ">connected<" not in page


def test_a_version_before_its_validation_is_shown_to_its_owner_only(client, ada):
    create_remote_version(owner=ada, slug="karl", games=["sticheln"])
    assert "karl" not in client.get("/remote/").content.decode()
    client.force_login(ada)
    assert "never" in client.get("/remote/").content.decode()


@pytest.mark.slow
def test_the_owner_sees_the_ladders_that_do_not_draw_the_bot_and_why(client, ada, karl, house):
    quick = lifecycle.create_tournament(
        name="Quick ladder",
        game="sticheln",
        seats=4,
        format="ladder",
        blocks=1,
        move_seconds=0.2,
        versions=[house[name] for name in ("thumb", "random", "timid", "bold")],
    )
    lifecycle.start(tournament=quick)
    assert "Quick ladder" not in client.get("/bots/ada/karl/").content.decode()
    client.force_login(ada)
    assert "a move takes 0.2 seconds there" in client.get("/bots/ada/karl/").content.decode()


def test_the_number_of_queries_does_not_grow_with_remote_bots(
    client, ada, karl, django_assert_max_num_queries
):
    for number in range(5):
        create_remote_version(owner=ada, slug=f"karl-{number}", games=["sticheln"])
    client.force_login(ada)
    with django_assert_max_num_queries(6):
        client.get("/remote/")


def test_the_administration_shows_presence_and_no_digest(admin_client, karl):
    access = RemoteAccess.objects.get()
    assert "karl v1" in admin_client.get("/admin/bots/remoteaccess/").content.decode()
    page = admin_client.get(f"/admin/bots/remoteaccess/{access.pk}/change/").content.decode()
    assert access.hint in page
    assert access.token_digest not in page
