"""Long answers, made while they are sent."""

import json
import threading

import pytest
from asgiref.sync import async_to_sync
from django.core.files.storage import storages
from django.test import AsyncRequestFactory
from stichkampf_platform.serving import request_slots, streaming
from stichkampf_platform.tournaments.records import exports, record_files

# the threads that make answers see only what is committed
pytestmark = pytest.mark.django_db(transaction=True)


def test_the_records_of_a_tournament_are_read_while_they_are_sent(
    make_tournament, play_out, async_client, monkeypatch
):
    tournament = play_out(make_tournament(blocks=4))
    monkeypatch.setattr(streaming, "PORTION", 5)
    monkeypatch.setattr(record_files, "READ_AT_ONCE", 5)
    read = []
    really = storages["records"].read_many
    monkeypatch.setattr(storages["records"], "read_many", lambda names: read.extend(names) or really(names))

    async def portions():
        answer = await async_client.get(f"/api/v1/tournaments/{tournament.slug}/records/")
        assert answer.headers["Content-Disposition"] == 'attachment; filename="a-test.jsonl"'
        return [(part.count(b"\n"), len(read)) async for part in answer.streaming_content]

    assert async_to_sync(portions)() == [(5, 5), (5, 10), (2, 12)]


def test_pages_do_not_wait_for_long_answers_and_no_address_has_them_all(monkeypatch):
    """Downloads took the threads of pages, without a limit: a hundred of one guest closed the site."""
    monkeypatch.setattr(streaming, "PORTION", 1)
    monkeypatch.setattr(streaming._slots, "number", 3)
    threads = []

    def lines():
        for number in range(4):
            threads.append(threading.current_thread().name.split("_")[0])
            yield f"{number}\n"

    def asked(address):
        request = AsyncRequestFactory().get("/")
        request.META["REMOTE_ADDR"] = address
        return streaming.streamed(request, lines(), content_type="text/csv", file_name="a.csv")

    async def sent(answer):
        return b"".join([part async for part in answer.streaming_content])

    answers = [asked("192.0.2.1") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 503, 503]
    assert answers[-1].headers["Retry-After"] == "5"
    assert streaming.is_refused("192.0.2.1")
    assert not streaming.is_refused("192.0.2.2")
    other = asked("192.0.2.2")
    assert [answer.sending.ended.done() for answer in answers[:3]] == [False, False, True]
    assert async_to_sync(sent)(other) == b"0\n1\n2\n3\n"
    assert set(threads) == {"stream"}
    for answer in (*answers, other):
        answer.close()
    assert len(streaming._slots) == 0


@pytest.mark.parametrize(("seconds", "status"), [(9, 503), (11, 200)])
def test_one_that_is_read_too_slowly_gives_its_place_to_another_address(monkeypatch, seconds, status):
    """Two dozen addresses that read two kilobytes a second each closed the downloads for hours."""
    now = [100.0]
    monkeypatch.setattr(streaming, "monotonic", lambda: now[0])
    monkeypatch.setattr(streaming._slots, "number", 2)

    def asked(address):
        request = AsyncRequestFactory().get("/")
        request.META["REMOTE_ADDR"] = address
        lines = ["x" * 2_000 + "\n"] * 100
        return streaming.streamed(request, lines, content_type="text/csv", file_name="a.csv", portion=50)

    async def one_after_the_other():
        quick, slow = asked("192.0.2.1"), asked("192.0.2.2")
        assert [len([part async for part in quick.streaming_content]), quick.sending.is_slow] == [2, False]
        parts = aiter(slow.streaming_content)
        await anext(parts)
        now[0] += seconds
        refused = streaming.is_refused("192.0.2.3")
        other = asked("192.0.2.3")
        assert [quick.sending.ended.done(), slow.sending.ended.done()] == [False, status == 200]
        await parts.aclose()
        for answer in (quick, slow, other):
            answer.close()
        return other.status_code, refused

    assert async_to_sync(one_after_the_other)() == (status, status == 503)
    assert len(streaming._slots) == 0


def test_without_slots_by_address_long_answers_take_threads_of_pages_and_all_slots(monkeypatch):
    monkeypatch.setattr(streaming._slots, "number", 3)
    monkeypatch.setattr(streaming, "STREAMS", request_slots.PAGES)
    monkeypatch.setattr(streaming, "network_of", lambda host: "everybody")
    threads = []

    def lines():
        threads.append(threading.current_thread().name.split("_")[0])
        yield "0\n"

    def asked(address):
        request = AsyncRequestFactory().get("/")
        request.META["REMOTE_ADDR"] = address
        return streaming.streamed(request, lines(), content_type="text/csv", file_name="a.csv")

    async def sent(answer):
        return b"".join([part async for part in answer.streaming_content])

    answers = [asked("192.0.2.1") for _ in range(3)]
    assert asked("192.0.2.2").status_code == 503
    assert async_to_sync(sent)(answers[0]) == b"0\n"
    assert threads[0] != "stream"
    for answer in answers:
        answer.close()


def test_the_file_of_everything_is_made_in_parts_and_is_one_document(make_tournament, play_out):
    tournament = play_out(make_tournament(blocks=4))
    parts = list(exports.everything_json(tournament))
    assert len(parts) == 1 + 36 + 1
    assert max(map(len, parts)) < 2000
    whole = "".join(parts)
    document = json.loads(whole)
    assert whole == json.dumps(document, indent=1)
    assert len(document["results"]) == 36
    empty = "".join(exports.everything_json(make_tournament(name="Draft")))
    assert json.loads(empty)["results"] == []
