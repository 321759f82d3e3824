"""The cache of public pages: the same as uncached, new when something changes, and for guests alone."""

import gzip

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, get_resolver, resolve
from stichkampf_platform.core import table_changes
from stichkampf_platform.ratings import services
from stichkampf_platform.serving.page_cache import middleware
from stichkampf_platform.serving.page_cache.public_pages import PUBLIC_PAGES
from stichkampf_platform.tournaments.models import Tournament

PASSED_BY = {"cookie": "measured=1"}
"""A cookie that keeps a guest away from the cache."""


@pytest.fixture
def cached(settings, db, monkeypatch):
    """Switch the cache on, empty; each statement counts as a transaction, as a test is never committed."""
    monkeypatch.setattr(table_changes, "on_commit", lambda task, using: task())
    memory = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    names = ("default", "changes", "pages")
    settings.CACHES = {name: {**memory, "LOCATION": f"tested-{name}"} for name in names}
    for name in names:
        caches[name].clear()


@pytest.fixture
def played(cached, make_tournament, play_out):
    """A tournament that is over."""
    return play_out(make_tournament(blocks=1))


def queries_of(client, address, **fields):
    """Return how many queries an answer 200 takes, and the answer."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address, **fields)
    assert answer.status_code == 200, address
    return len(queries), answer


def public_addresses(tournament):
    table = tournament.blocks.get().tables.first()
    addresses = ["/", "/de/", "/bots/", "/ladders/", "/ladders/stiche-raten/", "/tournaments/", "/games/"]
    addresses += [f"/tournaments/{tournament.slug}/", f"/tournaments/{tournament.slug}/schedule/"]
    addresses += [f"/blocks/{table.block_id}/", f"/r/{table.pk}/", f"/embed/r/{table.pk}/5"]
    addresses += [f"/deals/{table.block_id}/1/", "/bots/house/thumb/", "/people/", "/docs/", "/sitemap.xml"]
    addresses += [
        f"/api/v1/tournaments/{tournament.slug}/",
        "/api/v1/ladders/",
        f"/api/v1/tables/{table.pk}/",
    ]
    return addresses


@pytest.mark.slow
def test_a_kept_page_is_the_page_that_is_made_and_takes_no_query(client, played):
    for address in public_addresses(played):
        made = queries_of(client, address, headers=PASSED_BY)[1]
        first = queries_of(client, address)[1]
        queries, kept = queries_of(client, address)
        assert (queries, kept.content) == (0, first.content), address
        assert kept.content == made.content, address
        assert kept["Content-Security-Policy"] == made["Content-Security-Policy"], address
        assert kept["Content-Type"] == made["Content-Type"], address
        assert kept.get("X-Frame-Options") == made.get("X-Frame-Options"), address
        assert not kept.cookies, address


def test_who_has_a_page_gets_304_until_it_changes(client, played):
    address = f"/tournaments/{played.slug}/"
    etag = client.get(address)["ETag"]
    again = client.get(address, headers={"if-none-match": etag})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
    Tournament.objects.filter(pk=played.pk).update(name="Another name")
    changed = client.get(address, headers={"if-none-match": etag})
    assert (changed.status_code, b"Another name" in changed.content) == (200, True)


def test_a_ladder_is_made_again_when_its_snapshot_changes(client, played):
    address = "/ladders/stiche-raten/"
    before = client.get(address)
    assert queries_of(client, address)[0] == 0
    services.publish(ladder=played.ladder)
    assert queries_of(client, address)[0] > 0
    assert queries_of(client, address)[1]["ETag"] != before["ETag"]


def test_pages_are_behind_running_play_for_a_few_seconds_and_never_behind_what_hides(
    client, cached, leased, land, monkeypatch
):
    first = leased()[0]
    tournament = first.block.tournament
    addresses = [f"/tournaments/{tournament.slug}/", f"/blocks/{first.block_id}/"]
    before = [client.get(address).content for address in addresses]
    land(first)
    assert [client.get(address).content for address in addresses] == before
    with monkeypatch.context() as later:
        later.setattr(middleware, "PLAY_SECONDS", 0)
        assert client.get(addresses[1]).content != before[1]
    Tournament.objects.filter(pk=tournament.pk).update(private=True)
    assert [client.get(address).status_code for address in addresses] == [404, 404]


@pytest.mark.slow
def test_member_organiser_and_guest_never_get_each_others_pages(cached, played, person):
    olga, max_ = person("olga"), person("max")
    Tournament.objects.filter(pk=played.pk).update(private=True, created_by=olga)
    played.members.create(person=max_)
    addresses = [f"/tournaments/{played.slug}/", f"/blocks/{played.blocks.get().pk}/", "/tournaments/", "/"]
    organiser, member, guest = Client(), Client(), Client()
    organiser.force_login(olga)
    member.force_login(max_)
    for _ in range(2):
        for address in addresses:
            assert b"olga" in organiser.get(address).content
            assert b"max" in member.get(address).content
            seen = guest.get(address)
            assert seen.status_code == (404 if played.slug in address or "blocks" in address else 200)
            assert played.name.encode() not in seen.content
        for one in (organiser, member):
            assert one.get(addresses[0])["Cache-Control"] == "private, no-store"
            assert "ETag" not in one.get(addresses[0])
    assert not any(b"olga" in page.content for page in (guest.get(a) for a in addresses))


@pytest.mark.parametrize(
    "headers", [{"cookie": "sessionid=none"}, {"authorization": "Bearer none"}, PASSED_BY]
)
def test_a_request_that_may_be_a_persons_is_never_served_from_the_cache(client, cached, headers):
    queries_of(client, "/api/v1/tournaments/")
    assert queries_of(client, "/api/v1/tournaments/")[0] == 0
    with CaptureQueriesContext(connection) as queries:
        answer = client.get("/api/v1/tournaments/", headers=headers)
    assert answer.status_code == 401 or len(queries) > 0


def test_languages_addresses_and_headers_that_matter_have_pages_of_their_own(client, played):
    german, english = client.get("/de/ladders/"), client.get("/ladders/")
    assert (german["Content-Language"], english["Content-Language"]) == ("de", "en")
    assert german.content != english.content
    table = played.blocks.get().tables.first()
    whole = client.get(f"/r/{table.pk}/1").content
    part = client.get(f"/r/{table.pk}/1", headers={"x-fragment": "1"})
    assert len(part.content) < len(whole)
    assert client.get(f"/r/{table.pk}/1").content == whole
    assert client.get(f"/r/{table.pk}/1?view=1").content != whole


def test_kept_pages_are_sent_compressed_to_those_who_take_them_so(client, cached):
    plain = client.get("/games/")
    packed = client.get("/games/", headers={"accept-encoding": "gzip, br"})
    assert (packed["Content-Encoding"], "Accept-Encoding" in packed["Vary"]) == ("gzip", True)
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) == int(packed["Content-Length"]) < len(plain.content)


def test_without_the_shared_stamps_no_page_is_kept(client, cached, settings):
    settings.CACHES = {
        **settings.CACHES,
        "changes": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        },
    }
    for _ in range(2):
        assert queries_of(client, "/tournaments/")[0] > 0


def test_pages_of_persons_forms_and_streams_are_no_public_pages():
    for address in (
        *("/account/", "/login/", "/join/", "/submit/", "/classes/", "/experiments/", "/organise/", "/code/"),
        *("/submissions/1/", "/submissions/1/events/", "/account/notices/1/", "/password/reset/", "/status/"),
        *("/tournaments/a/enter/", "/remote/", "/api/v1/me/", "/api/v1/submissions/1/", "/health/"),
        *("/api/v1/organiser/tournaments/", "/api/v1/bots/a/a/reports/", "/tournaments/a/export/results.csv"),
    ):
        assert resolve(address).view_name not in PUBLIC_PAGES, address


def test_every_public_page_is_an_address():
    def names(found, before=""):
        for each in found.url_patterns:
            if isinstance(each, URLPattern):
                yield f"{before}{each.name}"
            else:
                yield from names(each, f"{each.namespace}:" if each.namespace else before)

    assert set(names(get_resolver())) >= PUBLIC_PAGES
