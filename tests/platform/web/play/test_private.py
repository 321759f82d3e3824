"""Answers to who sits at a table: nobody keeps them, whatever became of the match."""

from __future__ import annotations

import pytest
from django.conf import settings as shipped
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpResponse
from django.test import Client
from django.utils import translation
from stichkampf_platform.play import matches
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.play.seat_keys import seat_key
from stichkampf_platform.web.play.seats_kept import keep_seat

pytestmark = pytest.mark.django_db

FAILURES = {
    404: Http404,
    403: PermissionDenied,
    400: SuspiciousOperation,
    "as read": BadRequest,
    503: OperationalError,
    500: RuntimeError,
}
ENCODED = "application/x-www-form-urlencoded; charset=latin-1"


def failing(_get_response):
    """Make a middleware that fails as its request says, in place of whatever is behind it."""

    def fail(request):
        raise FAILURES[request.failure]

    return fail


@pytest.fixture
def void(client):
    """A table without a match, at whose first seat the visitor sits."""
    table = PlayedTable.objects.create(
        public_id="gone", game_name="sticheln", seats_count=4, seed=bytes(32), state=PlayedState.VOID
    )
    table.end_void(matches.LOST)
    table.save()
    for number in range(4):
        table.seats.create(number=number, person=number == 0, house="" if number == 0 else "even")
    answer = HttpResponse()
    keep_seat(answer, seat_key(table.public_id, 0))
    client.cookies.update(answer.cookies)
    return table


@pytest.mark.parametrize("page", ["", "result/", "told/"])
def test_nobody_keeps_what_a_table_that_is_void_answers(client, void, page):
    answer = client.get(f"/play/{void.public_id}/{page}")
    assert (answer.status_code, answer["Cache-Control"]) == (410, "private, no-store")
    assert PlayedTable.objects.get().told_void in answer.content.decode()


@pytest.mark.parametrize("page", ["", "result/", "told/"])
def test_the_reason_is_told_in_the_language_of_the_page(client, void, page):
    table = PlayedTable.objects.get()
    english, german = table.told_void, client.get(f"/de/play/{void.public_id}/{page}").content.decode()
    with translation.override("de"):
        assert table.told_void in german
    assert english not in german


@pytest.mark.parametrize("pressed", [{"deed": "hint"}, {"deed": "resign"}, {"move": "bid 1"}])
@pytest.mark.parametrize("headers", [{}, {"X-Fragment": "steps"}])
def test_a_press_at_a_table_that_is_void_is_told_why(client, void, pressed, headers):
    answer = client.post(f"/play/{void.public_id}/", pressed, headers=headers)
    assert (answer.status_code, PlayedTable.objects.get().told_void in answer.content.decode()) == (410, True)


def test_nobody_keeps_what_a_stranger_is_answered(client, void):
    client.cookies.clear()
    for page in ("", "result/", "told/"):
        answer = client.get(f"/play/{void.public_id}/{page}")
        assert (answer.status_code, answer["Cache-Control"]) == (403, "private, no-store")


@pytest.mark.parametrize("place", range(1, len(shipped.MIDDLEWARE) + 1))
@pytest.mark.parametrize("language", ["", "/de"])
def test_nobody_keeps_an_error_wherever_it_comes_from(settings, monkeypatch, language, place):
    failure = f"{__name__}.failing"
    settings.MIDDLEWARE = [*shipped.MIDDLEWARE[:place], failure, *shipped.MIDDLEWARE[place:]]
    client = Client(raise_request_exception=False)
    statuses = set()
    for kind in FAILURES:
        monkeypatch.setattr("django.http.HttpRequest.failure", kind, raising=False)
        answer = client.get(f"{language}/play/gone/")
        assert answer["Cache-Control"] == "private, no-store", (kind, answer.status_code)
        statuses.add(answer.status_code)
    assert statuses == {400, 403, 404, 500, 503}


@pytest.mark.parametrize(
    ("status", "method", "page", "more"),
    [
        (404, "get", "gone/nothing/", {}),
        (404, "get", "daily/nothing/", {}),
        (404, "get", "\u2603/replay/", {}),
        (404, "get", "gone/replay/9", {}),
        (405, "put", "gone/", {}),
        (405, "post", "daily/", {}),
        (403, "post", "gone/", {}),
        (301, "get", "gone", {}),
        (400, "get", "gone/", {"HTTP_HOST": "elsewhere.example"}),
        (415, "post", "gone/", {"content_type": ENCODED, "data": "move=1"}),
        (400, "post", "", {"data": {f"field{number}": 1 for number in range(2000)}}),
    ],
)
@pytest.mark.parametrize("language", ["", "/de"])
def test_nobody_keeps_what_a_wrong_request_is_answered(void, language, status, method, page, more):
    asking = Client(enforce_csrf_checks=status == 403)
    answer = getattr(asking, method)(f"{language}/play/{page}", **more)
    assert (answer.status_code, answer["Cache-Control"]) == (status, "private, no-store")


def test_nobody_keeps_where_an_address_without_encryption_leads(settings, client):
    settings.SECURE_SSL_REDIRECT = True
    answer = client.get("/play/gone/")
    assert (answer.status_code, answer["Cache-Control"]) == (301, "private, no-store")
