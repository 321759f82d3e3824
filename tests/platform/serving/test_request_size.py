"""The limit on requests holds before the site looks who sends them."""

import asyncio
import json
import socket

import pytest
from stichkampf_platform.asgi import application
from stichkampf_platform.serving.request_size import ARCHIVE_REQUEST_BYTES, DISCARDED_BYTES, REQUEST_BYTES
from support import running_site

SECONDS = 30
PIECE = b"x" * 65_536


@pytest.fixture
def site():
    """The site under uvicorn; where it listens."""
    with running_site(application) as where:
        yield where


@pytest.fixture
def line(site):
    with socket.create_connection(site, timeout=SECONDS) as line:
        yield line


def begin(line, address, *headers):
    lines = [f"POST {address} HTTP/1.1", "Host: localhost", *headers, "", ""]
    line.sendall("\r\n".join(lines).encode())


def send_chunks(line, size):
    for _ in range(size // len(PIECE)):
        line.sendall(b"%x\r\n%s\r\n" % (len(PIECE), PIECE))


def answer_of(line):
    with line.makefile("rb") as file:
        head, _, body = file.read().partition(b"\r\n\r\n")
    return int(head.split()[1]), head.lower(), body.decode()


@pytest.mark.parametrize("address", ["/join/", "/login/", "/api/v1/bots/ann/karl/versions/", "/nowhere/"])
def test_a_request_that_declares_too_much_is_refused_at_once(line, address):
    begin(line, address, f"Content-Length: {1 << 30}", "Expect: 100-continue")
    assert line.recv(12) == b"HTTP/1.1 413"


def test_a_request_too_large_in_chunks_is_cut_off_with_a_reason(line):
    begin(line, "/join/", "Transfer-Encoding: chunked")
    send_chunks(line, REQUEST_BYTES + 2 * len(PIECE))
    line.sendall(b"0\r\n\r\n")
    status, head, text = answer_of(line)
    assert status == 413
    assert b"text/plain" in head
    assert b"cache-control: private, no-store" in head
    assert text == "A request may have at most 9,437,184 bytes, an archive at most 67,108,864.\n"


def test_the_api_refuses_too_large_a_request_in_json(line):
    begin(line, "/api/v1/bots/", f"Content-Length: {REQUEST_BYTES + 1}")
    line.sendall(b"x" * (REQUEST_BYTES + 1))
    status, _, text = answer_of(line)
    assert status == 413
    assert json.loads(text)["detail"].startswith("A request may have at most 9,437,184 bytes")


def test_an_endless_request_is_disconnected(line):
    begin(line, "/join/", "Transfer-Encoding: chunked")
    with pytest.raises(ConnectionError):  # the socket's own time-out is no such error
        send_chunks(line, 1 << 40)


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        ("/join/", REQUEST_BYTES, 403),
        ("/join/", REQUEST_BYTES + 1, 413),
        ("/submit/", ARCHIVE_REQUEST_BYTES, 403),
        ("/submit/", ARCHIVE_REQUEST_BYTES + 1, 413),
    ],
)
def test_the_last_byte_that_is_taken(path, size, status):
    """Without a token of the form Django answers 403, after it has looked at the whole body."""
    said = []
    pieces = asyncio.Queue()
    pieces.put_nowait({"type": "http.request", "body": b"x" * size, "more_body": False})

    async def send(message):
        said.append(message)

    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "path": path, "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }  # fmt: skip
    asyncio.run(asyncio.wait_for(application(scope, pieces.get, send), SECONDS))
    assert said[0]["status"] == status


def test_discarded_bytes_are_limited():
    taken = []

    async def receive():
        taken.append(len(PIECE))
        return {"type": "http.request", "body": PIECE, "more_body": True}

    async def send(_):
        pass

    scope = {"type": "http", "method": "POST", "path": "/join/", "headers": []}
    asyncio.run(application(scope, receive, send))
    assert REQUEST_BYTES + DISCARDED_BYTES <= sum(taken) <= REQUEST_BYTES + DISCARDED_BYTES + 2 * len(PIECE)
