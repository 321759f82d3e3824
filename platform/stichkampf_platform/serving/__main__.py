"""Run the site: `python -m stichkampf_platform.serving`."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from stichkampf_platform.core.environment import read_number
from stichkampf_platform.serving.connections import CONNECTIONS, TimedHttpConnection
from stichkampf_platform.serving.quiet_server import run
from stichkampf_platform.serving.trusted_proxies import trusted_proxies

FILES = 2 * CONNECTIONS
"""Open files that one process may need: one a connection, and some for the database and the program."""
HUNG_SECONDS = 60
"""Time without a sign of life after which a process is ended and another one started. On a busy machine a
process needs many seconds for its imports alone, and one that is ended then never comes up."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m stichkampf_platform.serving", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    words = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.production")
    try:
        processes = read_number("STICHKAMPF_SITE_PROCESSES", otherwise=1, most=64)
        proxies = trusted_proxies()
        log_config = settings.LOGGING  # the settings are read here, so that a wrong one stops the start
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    _allow_files()
    _share_counts(words.port)
    run(
        "stichkampf_platform.asgi:application",
        host=words.host,
        port=words.port,
        workers=processes,
        http=TimedHttpConnection,
        ws="none",
        lifespan="off",
        access_log=False,
        server_header=False,
        log_config=_with_uvicorn(log_config),
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        timeout_graceful_shutdown=3,
        timeout_worker_healthcheck=HUNG_SECONDS,
    )


def _with_uvicorn(log_config: dict[str, Any]) -> dict[str, Any]:
    """Have uvicorn tell of its start and end in the same form."""
    return {**log_config, "loggers": {**log_config["loggers"], "uvicorn": {"level": "INFO"}}}


def _share_counts(port: int) -> None:
    """Give the processes of this site a folder, empty at first, in which their counts of requests add up."""
    folder = Path(os.environ.get("STICHKAMPF_STATE_DIR", "var")) / "counts" / str(port)
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    except OSError as error:
        sys.exit(f"The site cannot write to {folder} ({error.strerror}); set STICHKAMPF_STATE_DIR.")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _allow_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


if __name__ == "__main__":
    main()
