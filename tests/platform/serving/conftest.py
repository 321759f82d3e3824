"""Fixtures that serve ASGI applications with uvicorn and the platform's own connections."""

import socket
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn
from stichkampf_platform.serving.connections import TimedHttpConnection

SECONDS = 30


@contextmanager
def _served(application):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            application,
            http=TimedHttpConnection,
            ws="none",
            lifespan="off",
            log_config=None,
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        deadline = time.monotonic() + SECONDS
        while not server.started:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def served():
    """Returns a context that serves an application and yields its address."""
    return _served


@pytest.fixture
def dial():
    """Returns a function that connects to an address; no answer within `SECONDS` is an error."""

    def dial(address):
        return socket.create_connection(address, timeout=SECONDS)

    return dial
