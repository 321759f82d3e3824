"""Health checks for the supervisor, and for containers: `python -m stichkampf_platform.supervisor.health`."""

from __future__ import annotations

import argparse
import http.client
import os
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

SITE = "http://127.0.0.1:8000/"


def serves(address: str, *, host: str) -> bool:
    """Tell whether the site at `address` answers to the name `host`, one of its ALLOWED_HOSTS."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=5)
    try:
        connection.request("GET", "/health/", headers={"Host": host})
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def accepts(path: Path) -> bool:
    """Tell whether a server listens on this socket."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


def answers_ping(path: Path) -> bool:
    """Tell whether a Redis server answers on this socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        try:
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def main() -> int:
    parser = argparse.ArgumentParser(description="Exit with 0 if the site, or the arbiter, answers.")
    parser.add_argument("program", nargs="?", choices=("site", "arbiter"), default="site")
    if parser.parse_args().program == "arbiter":
        return 0 if accepts(Path(os.environ["STICHKAMPF_ARBITER_ADDRESS"].removeprefix("unix:"))) else 1
    name = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].lstrip(".").replace("*", "localhost")
    return 0 if serves(SITE, host=name) else 1


if __name__ == "__main__":
    sys.exit(main())
