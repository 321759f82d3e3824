"""The site: `python -m stichkampf_platform.serving`."""

from __future__ import annotations

import argparse
import ipaddress
import os
import resource
import sys

import uvicorn

from stichkampf_platform.serving.connections import CONNECTIONS, Connection

FILES = 2 * CONNECTIONS
"""Open files that one process may need: its connections, and room for the database and its own."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m stichkampf_platform.serving", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    words = parser.parse_args()
    proxies = _proxies(os.environ.get("STICHKAMPF_PROXIES", ""))
    _allow_files()
    uvicorn.run(
        "stichkampf_platform.asgi:application",
        host=words.host,
        port=words.port,
        workers=_processes(os.environ.get("STICHKAMPF_SITE_PROCESSES") or "1"),
        http=Connection,
        ws="none",
        lifespan="off",
        access_log=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        timeout_graceful_shutdown=3,
    )


def _processes(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 64):
        sys.exit(f"STICHKAMPF_SITE_PROCESSES is {text!r}; it must be a number from 1 to 64.")
    return int(text)


def _proxies(text: str) -> list[str]:
    """The addresses and networks whose word on who asks is believed."""
    proxies = [word.strip() for word in text.split(",") if word.strip()]
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError as error:
            sys.exit(
                f"STICHKAMPF_PROXIES names {proxy!r} ({error}); it must be addresses or networks of proxies, "
                "separated by commas, such as 127.0.0.1 or 172.30.61.0/24."
            )
    return proxies


def _allow_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


if __name__ == "__main__":
    main()
