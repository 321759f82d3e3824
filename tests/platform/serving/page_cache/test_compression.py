"""Compression: for members too, and never of a page that repeats words of its visitor."""

import gzip

import pytest
from django.contrib import messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpResponse
from stichkampf_platform.serving.page_cache.compression import CompressionMiddleware

pytestmark = pytest.mark.django_db

PACKED = {"accept-encoding": "gzip, br"}


@pytest.fixture
def member(client, person):
    client.force_login(person("ada"))
    return client


def test_pages_of_members_are_compressed(member):
    for address in ("/account/", "/games/", "/api/v1/games/", "/submit/"):
        plain = member.get(address)
        packed = member.get(address, headers=PACKED)
        assert packed["Content-Encoding"] == "gzip", address
        assert "Accept-Encoding" in packed["Vary"], address
        assert len(packed.content) < 0.6 * len(plain.content), address
        whole = gzip.decompress(packed.content)
        assert len(whole) == len(plain.content), address
        assert "Content-Encoding" not in plain, address


def test_guests_get_compressed_pages_without_a_shared_cache(client):
    packed = client.get("/docs/", headers=PACKED)
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == client.get("/docs/").content


def test_two_answers_of_one_page_differ_in_length(member):
    lengths = {len(member.get("/games/", headers=PACKED).content) for _ in range(12)}
    assert len(lengths) > 1


@pytest.mark.parametrize(
    "address", ["/bots/?q=thumb", "/submit/?bot=thumb", "/no/such/page/", "/login/?next=/x/"]
)
def test_a_page_that_repeats_its_query_or_path_is_not(member, address):
    answer = member.get(address, headers=PACKED, follow=True)
    assert "Content-Encoding" not in answer


def test_a_form_with_errors_is_not(client):
    answer = client.post("/join/", {"username": "half-a-form"}, headers=PACKED)
    assert b"half-a-form" in answer.content
    assert "Content-Encoding" not in answer


@pytest.mark.parametrize("shown", [False, True])
def test_a_page_that_shows_a_message_is_not(rf, shown):
    request = rf.get("/", headers=PACKED)
    request._messages = CookieStorage(request)
    messages.success(request, "thumb is entered.")

    def page(request):
        told = [str(message) for message in messages.get_messages(request)] if shown else []
        return HttpResponse(" ".join([*told, "word"] * 100))

    assert ("Content-Encoding" in CompressionMiddleware(page)(request)) is not shown
