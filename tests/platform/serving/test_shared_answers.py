"""Which visitors may share an answer."""

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from stichkampf_platform.serving.shared_answers import common, is_for_all


def a_request(*headers, method="GET", path="/ladders/", query=b""):
    fields = [(b"host", b"cards.example"), *headers]
    return {"method": method, "path": path, "query_string": query, "scheme": "https", "headers": fields}


def test_strangers_who_ask_for_the_same_page_share_it():
    one = a_request((b"user-agent", b"a"), (b"accept-encoding", b"gzip"))
    other = a_request((b"accept-encoding", b"gzip"), (b"user-agent", b"b"), (b"x-forwarded-for", b"10.0.0.1"))
    assert common(one) == common(other) is not None


@pytest.mark.parametrize(
    "other",
    [
        a_request(path="/bots/"),
        a_request(query=b"page=2"),
        a_request((b"hx-request", b"true")),
        a_request((b"range", b"bytes=0-1")),
        a_request((b"accept-encoding", b"gzip")),
        a_request((b"nobody-knows", b"what this is")),
    ],
)
def test_who_may_get_something_else_does_not(other):
    assert common(other) is not None
    assert common(other) != common(a_request())


@pytest.mark.parametrize(
    "own",
    [
        a_request((b"cookie", b"sessionid=1")),
        a_request((b"authorization", b"Bearer sk_1")),
        a_request(method="POST"),
        a_request((b"content-length", b"1")),
    ],
)
def test_what_a_person_asks_for_is_that_persons(own):
    assert common(own) is None


def test_no_answer_with_a_secret_is_shared():
    with_cookie = HttpResponse()
    with_cookie.set_cookie("csrftoken", "secret")
    assert not is_for_all(with_cookie)
    assert not is_for_all(HttpResponse(headers={"Cache-Control": "private"}))
    assert not is_for_all(HttpResponse(headers={"Cache-Control": "max-age=0, no-store"}))
    assert not is_for_all(StreamingHttpResponse([b"a"]))
    assert is_for_all(HttpResponse(headers={"Cache-Control": "public"}))
