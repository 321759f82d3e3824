"""Requests that share an answer, and requests that must not."""

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from stichkampf_platform.serving.private_pages import may_be_shared
from stichkampf_platform.serving.shared_answers import sharing_key


def a_request(*headers, method="GET", path="/ladders/", query=b""):
    fields = [(b"host", b"cards.example"), *headers]
    return {"method": method, "path": path, "query_string": query, "scheme": "https", "headers": fields}


def test_anonymous_requests_for_the_same_page_share_an_answer():
    one = a_request((b"user-agent", b"a"), (b"accept-encoding", b"gzip"))
    other = a_request((b"accept-encoding", b"gzip"), (b"user-agent", b"b"), (b"x-forwarded-for", b"10.0.0.1"))
    assert sharing_key(one) == sharing_key(other) is not None


@pytest.mark.parametrize(
    "other",
    [
        a_request(path="/bots/"),
        a_request(query=b"page=2"),
        a_request((b"hx-request", b"true")),
        a_request((b"range", b"bytes=0-1")),
        a_request((b"accept-encoding", b"gzip")),
        a_request((b"unknown-header", b"some value")),
    ],
)
def test_requests_that_may_get_another_answer_do_not_share_it(other):
    assert sharing_key(other) is not None
    assert sharing_key(other) != sharing_key(a_request())


@pytest.mark.parametrize(
    "own",
    [
        a_request((b"cookie", b"sessionid=1")),
        a_request((b"authorization", b"Bearer sk_1")),
        a_request(method="POST"),
        a_request((b"content-length", b"1")),
    ],
)
def test_requests_of_a_signed_in_person_share_no_answer(own):
    assert sharing_key(own) is None


def test_an_answer_with_a_secret_is_not_shared():
    with_cookie = HttpResponse()
    with_cookie.set_cookie("csrftoken", "secret")
    assert not may_be_shared(with_cookie)
    assert not may_be_shared(HttpResponse(headers={"Cache-Control": "private"}))
    assert not may_be_shared(HttpResponse(headers={"Cache-Control": "max-age=0, no-store"}))
    assert not may_be_shared(StreamingHttpResponse([b"a"]))
    assert may_be_shared(HttpResponse(headers={"Cache-Control": "public"}))
