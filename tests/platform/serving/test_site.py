"""The site under uvicorn with more visitors than it can answer, and with incomplete requests."""

import http.client
import json
import threading
import time
from contextlib import suppress

import pytest
from django.conf import settings
from stichkampf_platform.asgi import FILES, application
from stichkampf_platform.serving import request_slots, streaming
from stichkampf_platform.serving import site as site_module
from stichkampf_platform.serving.request_slots import PAGES
from support import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site(served):
    with served(application) as address:
        yield address


@pytest.fixture
def crowded(monkeypatch):
    """Occupies all request slots of pages until the test ends; requests wait only a moment."""
    monkeypatch.setattr(request_slots, "WAIT_SECONDS", 0.05)
    free = threading.Event()
    taken = [PAGES._threads.submit(free.wait, 60) for _ in range(settings.SITE_REQUEST_SLOTS)]
    yield
    free.set()
    for slot in taken:
        slot.result()


def ask(address, path, source="127.0.0.1"):
    connection = http.client.HTTPConnection(*address, timeout=30, source_address=(source, 0))
    try:
        connection.request("GET", path, headers={"Host": "localhost"})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def test_a_page_is_answered(site):
    status, headers, text = ask(site, "/")
    assert status == 200
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "Stichkampf" in text


def test_an_unknown_address_is_answered_404(site):
    assert ask(site, "/nowhere/")[0] == 404


@pytest.mark.parametrize("path", ["/", "/ladders/", "/bots/ann/karl/", "/play/gone/"])
def test_one_visitor_too_many_gets_503_with_retry_after(site, crowded, path):
    status, headers, text = ask(site, path)
    assert (status, headers["Cache-Control"]) == (503, "private, no-store")
    assert headers["Retry-After"] == "5"
    assert text == "The site has too many visitors at once. Try again in a few seconds.\n"


def test_one_api_request_too_many_gets_503_as_json(site, crowded):
    status, headers, text = ask(site, "/api/v1/tournaments/")
    assert (status, headers["Retry-After"], headers["Content-Type"]) == (503, "5", "application/json")
    assert json.loads(text)["detail"].startswith("The site has too many visitors at once")


def test_downloads_and_pages_take_no_slot_of_each_other(site, crowded):
    assert ask(site, "/api/v1/data/results.jsonl")[::2] == (200, "")
    assert {name: ask(site, f"/nowhere/{row.address or name}")[0] == 404 for name, row in FILES.items()} == {
        name: row.long for name, row in FILES.items()
    }
    assert ask(site, "/")[0] == 503


def test_many_downloads_of_one_address_keep_no_page_and_no_download_from_another(site, monkeypatch):
    monkeypatch.setattr(streaming._slots, "number", 3)
    monkeypatch.setattr(site_module, "REFUSED_SECONDS", 0.05)
    over, seen = threading.Event(), []

    def download():
        while not over.is_set():
            with suppress(http.client.IncompleteRead):  # it gave its slot up for another address
                status, headers, _ = ask(site, "/api/v1/data/results.jsonl")
                seen.append((status, headers["Retry-After"]))

    greedy = [threading.Thread(target=download) for _ in range(12)]
    for one in greedy:
        one.start()
    try:
        for path in ("/", "/api/v1/data/records.jsonl", "/games/", "/bots/"):
            assert ask(site, path, "127.0.0.2")[0] == 200
    finally:
        over.set()
        for one in greedy:
            one.join()
    assert set(seen) <= {(200, None), (503, "5")}
    wait_until(lambda: not len(streaming._slots))
    assert ask(site, "/api/v1/data/results.jsonl")[0] == 200


def test_the_health_check_is_answered_while_all_slots_are_taken(site, crowded):
    assert ask(site, "/health/")[::2] == (200, "ok\n")


def test_incomplete_requests_occupy_no_request_slot(site, dial):
    halves = [dial(site) for _ in range(3 * settings.SITE_REQUEST_SLOTS)]
    try:
        for line in halves:
            line.sendall(b"POST /join/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1234")
        assert ask(site, "/")[0] == 200
    finally:
        for line in halves:
            line.close()


def test_a_request_with_two_lengths_is_refused_and_closes_its_connection(site, dial):
    """Bytes after the request are never read as a second request, whichever end a proxy assumed."""
    with dial(site) as line:
        line.sendall(
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"0\r\n\r\nGET /health/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        with line.makefile("rb") as file:
            answer = file.read()
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1
    assert b"not both" in answer


def test_there_are_never_more_page_threads_than_request_slots(site):
    """Each thread keeps a connection to the database, so their number must be bounded."""
    statuses = []
    visitors = [
        threading.Thread(target=lambda: statuses.append(ask(site, "/ladders/")[0]), name="visitor")
        for _ in range(10 * settings.SITE_REQUEST_SLOTS)
    ]
    for visitor in visitors:
        visitor.start()
    slots = settings.SITE_REQUEST_SLOTS
    while any(visitor.is_alive() for visitor in visitors):
        assert sum(thread.name.startswith("page") for thread in threading.enumerate()) <= slots
        visitors[0].join(0.01)
        visitors = [visitor for visitor in visitors if visitor.is_alive()] or visitors[:1]
    assert set(statuses) <= {200, 503}
    assert 200 in statuses


def test_requests_for_the_same_page_share_one_answer(site, monkeypatch):
    """Pages with a form are not shared: each visitor gets a CSRF secret of their own."""
    free = threading.Event()
    taken = [PAGES._threads.submit(free.wait, 60) for _ in range(settings.SITE_REQUEST_SLOTS)]
    waiting, answers = [], []
    monkeypatch.setattr(request_slots, "WAIT_SECONDS", 30.0)
    really = PAGES._submit
    monkeypatch.setattr(
        PAGES, "_submit", lambda task, same, *more: waiting.append(same) or really(task, same, *more)
    )
    visitors = [
        threading.Thread(target=lambda path=path: answers.append((path, ask(site, path))))
        for path in ("/games/", "/join/")
        for _ in range(8)
    ]
    for visitor in visitors:
        visitor.start()
    deadline = time.monotonic() + 30
    while sum(job.waiting for job in list(PAGES._not_begun.values())) < len(visitors):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(waiting) == 2
    free.set()
    for thread in [*visitors, *taken]:
        thread.join() if isinstance(thread, threading.Thread) else thread.result()
    assert {answer[0] for _, answer in answers} == {200}
    assert len({answer[2] for path, answer in answers if path == "/games/"}) == 1
    assert len({answer[1]["Set-Cookie"] for path, answer in answers if path == "/join/"}) == 8
