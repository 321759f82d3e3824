"""Run the tests of the store with a bucket of Debian's Swift, which speaks S3's language, instead of moto's.

    .venv/bin/python tests/platform/storage/swift.py

Needs Debian's packages swift-proxy, swift-account, swift-container and swift-object, and root.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

SERVERS = ("account", "container", "object", "proxy")
COMMON = """\
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
user = root
swift_dir = {folder}
devices = {folder}
mount_check = false
workers = 0
"""
STORING = """\
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
"""
PROXY = """\
[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:s3api]
use = egg:swift#s3api
location = eu-central-1
[filter:tempauth]
use = egg:swift#tempauth
user_tests_tester = its-secret .admin
[filter:cache]
use = egg:swift#memcache
"""
"""Without a memcached, which it misses and then does without."""
FILTERS = ("catch_errors", "listing_formats", "bulk", "slo", "dlo")
READY_SECONDS = 60


def main() -> None:
    missing = [f"swift-{name}" for name in SERVERS if shutil.which(f"swift-{name}-server") is None]
    if os.geteuid() != 0 or missing:
        sys.exit(f"this needs root, and on Debian: apt-get install {' '.join(missing)}")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sk-swift-")))
        ports = {name: _free_port() for name in SERVERS}
        (folder / "disk").mkdir()
        for name in SERVERS:
            server = _start(name, ports[name], folder)
            stack.callback(server.wait)
            stack.callback(server.terminate)
        address = f"http://127.0.0.1:{ports['proxy']}"
        _wait_for(ports.values())
        keys = {"AWS_ACCESS_KEY_ID": "tests:tester", "AWS_SECRET_ACCESS_KEY": "its-secret"}
        command = [sys.executable, "-m", "pytest", "-q", Path(__file__).parent]
        environment = {**os.environ, **keys, "STICHKAMPF_S3_SERVER": address}
        status = subprocess.run(command, env=environment, check=False).returncode
    sys.exit(status)


def _start(name: str, port: int, folder: Path) -> subprocess.Popen[bytes]:
    """Start a server, with a ring of one disk where it stores something."""
    text = COMMON.format(port=port, folder=folder)
    if name == "proxy":
        text += PROXY + "".join(f"[filter:{each}]\nuse = egg:swift#{each}\n" for each in FILTERS)
    else:
        text += STORING.format(name=name)
        for words in (["create", "4", "1", "1"], ["add", f"r1z1-127.0.0.1:{port}/disk", "1"], ["rebalance"]):
            command = ["swift-ring-builder", folder / f"{name}.builder", *words]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    configuration = folder / f"{name}.conf"
    configuration.write_text(text)
    return subprocess.Popen([f"swift-{name}-server", configuration], stderr=subprocess.DEVNULL)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _wait_for(ports) -> None:  # type: ignore[no-untyped-def]
    until = time.monotonic() + READY_SECONDS
    for port in ports:
        while True:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if time.monotonic() > until:
                sys.exit(f"Swift does not listen on port {port} within {READY_SECONDS} s")
            time.sleep(0.1)


if __name__ == "__main__":
    main()
