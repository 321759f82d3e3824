"""A bucket of S3 on a host of its own: moto's server, which keeps it in memory."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.nodes.hosts import Host

BUCKET, PORT, REGION = "records", 5000, "us-east-1"
READY_SECONDS = 60.0
MAKE = (
    "import boto3, sys; boto3.client('s3', endpoint_url=sys.argv[1], region_name=sys.argv[2])"
    ".create_bucket(Bucket=sys.argv[3])"
)
LIST = (
    "import boto3, sys; pages = boto3.client('s3', endpoint_url=sys.argv[1], region_name=sys.argv[2])"
    ".get_paginator('list_objects_v2').paginate(Bucket=sys.argv[3]);"
    "print(*(file['Key'] for page in pages for file in page.get('Contents', [])), sep='\\n')"
)
KEYS = {"AWS_ACCESS_KEY_ID": "a-key", "AWS_SECRET_ACCESS_KEY": "its-secret"}


def start_bucket(host: Host, folder: Path, log: Path) -> dict[str, str]:
    """Start the server and make the bucket; return the settings by which programs find it."""
    server = [sys.executable, "-m", "moto.server", "--host", host.address, "--port", str(PORT)]
    host.run(server, {"PATH": "/usr/bin:/bin"}, log, folder=folder)
    until = time.monotonic() + READY_SECONDS
    while f"Running on http://{host.address}:{PORT}" not in log.read_text():
        if time.monotonic() > until:
            raise TimeoutError(f"the bucket's server does not start: {log.read_text()[-500:]}")
        time.sleep(0.1)
    _ask(host, MAKE)
    return {
        "STICHKAMPF_STORE": f"s3://{BUCKET}",
        "STICHKAMPF_STORE_ENDPOINT": _address(host),
        "STICHKAMPF_STORE_REGION": REGION,
        **KEYS,
    }


def names_in_bucket(host: Host) -> list[str]:
    """Return the names of all files in the bucket."""
    return _ask(host, LIST).split()


def _ask(host: Host, program: str) -> str:
    variables = [f"{name}={value}" for name, value in KEYS.items()]
    return host.call("env", *variables, sys.executable, "-c", program, _address(host), REGION, BUCKET)


def _address(host: Host) -> str:
    return f"http://{host.address}:{PORT}"
