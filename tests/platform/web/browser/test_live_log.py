"""A validation log that grows before one's eyes: by a stream of events from uvicorn, else by asking again."""

from __future__ import annotations

import http.client
import time
from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.asgi import get_asgi_application
from playwright.sync_api import expect
from stichkampf_platform.bots.models import LogLine, Submission
from stichkampf_platform.bots.services import write
from stichkampf_platform.core import clock
from stichkampf_platform.web.views import submission_events
from stichkampf_platform.web.views.submission_events import STREAMS_PER_PERSON
from support import running_site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

SECONDS = 60


@pytest.fixture
def server():
    """The site under uvicorn; host and port."""
    with running_site(ASGIStaticFilesHandler(get_asgi_application())) as where:
        yield "{}:{}".format(*where)


class Listener:
    """A browser's end of a stream of events."""

    def __init__(self, server, client, submission, seen="") -> None:
        self.line = http.client.HTTPConnection(server, timeout=SECONDS)
        cookie = f"sessionid={client.cookies['sessionid'].value}"
        headers = {"Cookie": cookie, **({"Last-Event-ID": seen} if seen else {})}
        self.line.request("GET", f"/submissions/{submission.pk}/events/", headers=headers)
        self.answer = self.line.getresponse()
        self.status = self.answer.status

    def event(self):
        """The next event, by field."""
        fields = {}
        while line := self.answer.readline().decode().strip():
            name, value = line.split(": ", 1)
            fields[name] = value
        return fields

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.line.close()


def finish(submission):
    Submission.objects.filter(pk=submission.pk).update(finished_at=clock.now())


def test_every_line_is_told_as_it_comes_and_what_was_missed_when_one_is_back(
    server, client, ada, submission, django_user_model
):
    client.force_login(ada)
    with Listener(server, client, submission) as listener:
        assert listener.answer.headers["Content-Type"] == "text/event-stream"
        assert listener.event() == {"id": "1", "data": "1"}
        write(submission, "It plays.")
        assert listener.event() == {"id": "2", "data": "2"}
    write(submission, "It played.", LogLine.Level.GOOD)
    with Listener(server, client, submission, seen="2") as listener:
        assert listener.event()["id"] == "3"
        finish(submission)
        assert listener.event()["event"] == "over"
    with Listener(server, client, submission, seen="3") as listener:
        assert listener.status == 204
    client.force_login(django_user_model.objects.create_user("eve", password="x"))
    with Listener(server, client, submission) as listener:
        assert listener.status == 404


def test_a_change_of_its_place_in_the_queue_is_worth_a_look_too(server, client, ada, submission, monkeypatch):
    monkeypatch.setattr(submission_events, "QUEUE_PAUSES", 1)
    client.force_login(ada)
    with Listener(server, client, submission) as listener:
        assert listener.event() == {"id": "1", "data": "1"}
        Submission.objects.update(lease_owner="w1", lease_until=clock.now() + timedelta(hours=1))
        assert listener.event() == {"id": "1", "data": "1"}


def test_the_streams_of_one_person_are_limited_and_not_those_of_others(server, client, ada, submission):
    client.force_login(ada)
    with ExitStack() as opened:
        for _ in range(STREAMS_PER_PERSON):
            listener = opened.enter_context(Listener(server, client, submission))
            assert listener.event()["id"] == "1"
        with Listener(server, client, submission) as one_too_many:
            assert one_too_many.status == 204
        listener.answer.close()
        listener.line.close()
        deadline = time.monotonic() + SECONDS
        status = 204
        while status == 204:
            assert time.monotonic() < deadline, "a stream that was left still counts"
            with Listener(server, client, submission) as next_one:
                status = next_one.status
        chief = type(ada).objects.create_user("chief", password="x", is_staff=True)
        client.force_login(chief)
        with Listener(server, client, submission) as other:
            assert other.event()["id"] == "1"


def signed_in(tab, client, person, home):
    client.force_login(person)
    tab.context.add_cookies(
        [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": f"http://{home}/"}]
    )


def test_the_page_follows_the_stream_and_rests_when_all_is_told(visit, client, ada, submission, server):
    tab = visit(width=390)
    signed_in(tab, client, ada, server)
    tab.go(f"http://{server}{submission.get_absolute_url()}")
    write(submission, "It plays.")
    expect(tab.page.locator(".log")).to_contain_text("It plays.")
    write(submission, "It played.", LogLine.Level.GOOD)
    with tab.page.expect_response(lambda answer: answer.url.endswith(submission.get_absolute_url())):
        finish(submission)
    expect(tab.page.locator(".log li")).to_have_count(3)
    expect(tab.page.locator("[data-live]")).to_have_count(0)
    submission_events = [url for url in tab.requests if url.endswith("/events/")]
    assert len(submission_events) == 1
    assert tab.complaints == []


def test_without_a_stream_the_page_asks_again(visit, client, ada, submission, live_server):
    tab = visit()
    signed_in(tab, client, ada, live_server.url.removeprefix("http://"))
    with tab.page.expect_response("**/events/") as refused:
        tab.go(submission.get_absolute_url())
    assert refused.value.status == 204
    write(submission, "It plays.")
    expect(tab.page.locator(".log")).to_contain_text("It plays.")
    assert tab.complaints == []


def test_without_scripts_the_log_is_read_by_loading_it_again(visit, client, ada, submission, live_server):
    tab = visit(scripts=False)
    signed_in(tab, client, ada, live_server.url.removeprefix("http://"))
    tab.go(submission.get_absolute_url())
    write(submission, "It plays.")
    tab.page.reload()
    expect(tab.page.locator(".log")).to_contain_text("It plays.")
