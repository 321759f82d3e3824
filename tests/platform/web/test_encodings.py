"""Requests whose text is in another encoding than UTF-8, or in none, are refused in words."""

import pytest
from django.core.exceptions import BadRequest
from django.test import RequestFactory
from stichkampf_platform.serving.site import SiteHandler
from stichkampf_platform.web.views import error_pages

CODECS = (
    "utf-7", "unicode_escape", "raw_unicode_escape", "zlib", "hex", "rot13", "idna", "punycode", "undefined",
    "utf-16", "utf-32", "latin-1", "nonsense", "utf-8; charset=zlib", "x" * 5000,
)  # fmt: skip
"""Codecs that make half characters of plain text, codecs of no text at all, and names of none."""
PART = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n+2AA-\\ud800\xff\r\n--b--\r\n'


@pytest.mark.django_db
@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: ascii(codec)[:20])
@pytest.mark.parametrize("address", ["/language/", "/bots/", "/api/v1/bots/"])
def test_another_encoding_than_utf_8_is_refused_and_named(client, codec, address):
    client.raise_request_exception = False
    for method in ("GET", "POST"):
        kind = f'multipart/form-data; boundary=b; charset="{codec}"'
        answer = client.generic(method, address, PART % b"language", kind)
        assert answer.status_code == 415
        assert "Send text in UTF-8" in answer.text
        assert answer["Content-Type"].startswith("application/json" if "/api/" in address else "text/html")


@pytest.mark.django_db
@pytest.mark.parametrize("named", ["utf-8", "UTF8", "us-ascii", '"utf-8"'])
def test_utf_8_may_be_named_as_people_name_it(client, named):
    answer = client.generic(
        "POST", "/language/", PART % b"language", f"multipart/form-data; boundary=b; charset={named}"
    )
    assert answer.status_code == 404, "there is no such language"


@pytest.mark.parametrize("kind", ["a/b", "a/b; charset*=nonsense''x", 'a/b; charset="\0"'])
def test_a_query_that_cannot_be_decoded_as_its_request_says_is_refused(kind):
    raw = b"\xff" if kind == "a/b" else b""
    scope = {
        "type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"q=%D8%FF" + raw,
        "headers": [(b"content-type", kind.encode())], "http_version": "1.1", "scheme": "http",
    }  # fmt: skip
    request, answer = SiteHandler().create_request(scope, None)
    assert (request, answer.status_code) == (None, 400)
    assert "its address or its Content-Type is wrong" in answer.content.decode()


@pytest.mark.parametrize(
    ("error", "query", "status", "told"),
    [
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), "q=%00", 400, "taken (q)"),
        (ValueError("Exceeds the limit (4300 digits)"), "page=" + "9" * 5000, 400, "taken (page)"),
        (OverflowError("date value out of range"), "after=9999-12-31", 400, "too large, or no text"),
        (RecursionError(), "o=" + "[" * 5000, 400, "taken (o)"),
        (ValueError("Field 'id' expected a number but got '[[['."), "pk=[[[", 400, "taken (pk)"),
        (ValueError("our own fault"), "q=cup", 500, "went wrong"),
        (OverflowError("our own fault"), "", 500, "went wrong"),
        (KeyError("our own fault"), "q=%00", 500, "went wrong"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("path", ["/bots/", "/admin/bots/"])
def test_what_no_library_takes_is_refused_on_a_page_and_other_faults_stay_faults(
    rf, db, error, query, status, told, path
):
    request = rf.get(f"{path}?{query}")
    try:
        raise error
    except type(error):
        answer = error_pages.server_error(request)
    assert answer.status_code == status
    assert told in answer.content.decode()


def test_a_bad_request_says_why_on_a_page_and_in_json():
    requests = RequestFactory()
    page = error_pages.bad_request(requests.get("/admin/"), BadRequest("A list cannot be filtered by NUL."))
    assert (page.status_code, "A list cannot be filtered by NUL." in page.content.decode()) == (400, True)
    answer = error_pages.bad_request(requests.get("/api/v1/"), ValueError("internal"))
    assert answer["Content-Type"] == "application/json"
    assert b"internal" not in answer.content
