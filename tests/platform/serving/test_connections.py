"""Limits on connections: requests that do not arrive and answers that are not read end them."""

import asyncio
import socket
import time

import pytest
from stichkampf_platform.serving import connections

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
LATE = b"HTTP/1.1 408 Request Timeout"


async def echo(scope, receive, send):
    """Answers with the size of what was sent, once all of it is there."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8")]})
    await send({"type": "http.response.body", "body": b"%8d" % size})


async def huge(scope, receive, send):
    """Answers with more than any buffer takes."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x" * (64 << 20)})


@pytest.fixture
def site(served):
    with served(echo) as address:
        yield address


@pytest.fixture
def hurried(monkeypatch):
    """Gives requests half a second, and half a second more for each 1,000 bytes."""
    monkeypatch.setattr(connections, "ARRIVAL_SECONDS", 0.5)
    monkeypatch.setattr(connections, "BYTES_PER_SECOND", 2000)


def send_bytes_slowly(line):
    for _ in range(600):
        line.sendall(b"P")
        time.sleep(0.05)


def all_of(line):
    with line.makefile("rb") as file:
        return file.read()


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"POST / HT",
        HEAD,
        HEAD + b"Content-Length: 10\r\n\r\n12345",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
    ],
)
def test_an_incomplete_request_ends_its_connection(hurried, site, dial, half):
    with dial(site) as line:
        line.sendall(half)
        assert all_of(line).startswith(LATE)


def test_an_incomplete_second_request_ends_its_connection(hurried, site, dial):
    with dial(site) as line:
        line.sendall(GET + HEAD)
        answer = all_of(line)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"200" not in answer[20:]


def test_sending_a_byte_now_and_then_ends_the_connection(hurried, site, dial):
    with dial(site) as line, pytest.raises(ConnectionError):
        send_bytes_slowly(line)


def test_a_steady_sender_gets_more_time(monkeypatch, site, dial):
    """Ten seconds' worth of bytes in a second and a half: the first allowance alone would not be enough."""
    monkeypatch.setattr(connections, "ARRIVAL_SECONDS", 1.0)
    monkeypatch.setattr(connections, "BYTES_PER_SECOND", 1000)
    with dial(site) as line:
        line.sendall(HEAD + b"Content-Length: 10000\r\n\r\n")
        for _ in range(10):
            line.sendall(b"x" * 1000)
            time.sleep(0.15)
        assert line.recv(12) == b"HTTP/1.1 200"


def test_an_answer_may_take_longer_than_a_request(hurried, served, dial):
    async def slow(scope, receive, send):
        await asyncio.sleep(1.5)
        await echo(scope, receive, send)

    with served(slow) as address, dial(address) as line:
        line.sendall(GET)
        assert line.recv(12) == b"HTTP/1.1 200"


def test_a_connection_serves_one_request_after_the_other(site, dial):
    with dial(site) as line:
        for _ in range(3):
            line.sendall(GET)
            answer = b""
            while not answer.endswith(b"       0"):
                answer += line.recv(4096)
            assert answer.startswith(b"HTTP/1.1 200")


def test_not_reading_the_answer_ends_the_connection(monkeypatch, served, dial):
    monkeypatch.setattr(connections, "STALLED_SECONDS", 0.3)
    with served(huge) as address, dial(address) as line:
        line.sendall(GET)
        with pytest.raises(ConnectionError):  # while writing, because reading would accept the answer
            send_bytes_slowly(line)


def test_one_connection_too_many_gets_503_with_retry_after(monkeypatch, site, dial):
    monkeypatch.setattr(connections, "CONNECTIONS", 1)
    with dial(site) as first:
        first.sendall(GET)
        assert first.recv(12) == b"HTTP/1.1 200"
        with dial(site) as second:
            answer = all_of(second)
    assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n")


def from_address(address, source):
    return socket.create_connection(address, timeout=30, source_address=(source, 0))


@pytest.fixture
def one_for_all(monkeypatch):
    """All visitors count as one address, as before connections were counted by address."""
    monkeypatch.setattr(connections, "network_of", lambda host: "everybody")


@pytest.fixture
def filled(monkeypatch, site):
    """Fill the site with eight connections of one visitor that has sent a request on each."""
    monkeypatch.setattr(connections, "CONNECTIONS", 8)
    lines = []
    for _ in range(8):
        line = from_address(site, "127.0.0.1")
        line.sendall(GET)
        assert line.recv(12) == b"HTTP/1.1 200"
        lines.append(line)
    yield site, lines
    for line in lines:
        line.close()


def test_a_visitor_with_all_connections_loses_the_newest_to_another_visitor(filled):
    site, lines = filled
    for source in ("127.0.0.2", "127.0.0.3"):
        with from_address(site, source) as other:
            other.sendall(GET)
            assert other.recv(12) == b"HTTP/1.1 200"
    assert b"503 Service Unavailable\r\nRetry-After: 5" in all_of(lines[-1])
    lines[0].settimeout(30)
    lines[0].sendall(GET)
    answers = b""
    while answers.count(b"date:") < 2:
        answers += lines[0].recv(4096)


def test_without_a_count_by_address_a_visitor_with_all_keeps_others_out(one_for_all, filled):
    site, _lines = filled
    with from_address(site, "127.0.0.2") as other:
        assert all_of(other).startswith(b"HTTP/1.1 503")


def test_connections_of_a_trusted_proxy_are_those_of_many_visitors(filled, monkeypatch):
    monkeypatch.setattr(connections, "is_trusted_proxy", lambda host: host == "127.0.0.2")
    site, _lines = filled
    many = []
    for _ in range(6):
        through = from_address(site, "127.0.0.2")
        through.sendall(GET)
        assert through.recv(12) == b"HTTP/1.1 200"
        many.append(through)
    for through in many:
        through.close()


def test_a_silent_connection_ends_sooner_where_all_are_taken(monkeypatch, site, dial):
    monkeypatch.setattr(connections, "SILENT_SECONDS", 0.3)
    with dial(site) as alone:
        alone.sendall(b"GET")
        monkeypatch.setattr(connections, "CONNECTIONS", 2)
        with dial(site) as second:
            assert all_of(second).startswith(LATE)
            assert all_of(alone).startswith(LATE)
