"""A port for a server that starts later."""

import random
import socket
from contextlib import suppress
from pathlib import Path

RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
PORTS = 12_000


def free_port():
    """A port of this machine that nobody has.

    It lies below those that the system gives to outgoing connections, one of which could have it before the
    server does, or while the server is started again.
    """
    end = max(int(RANGE.read_text().split()[0]), 32_768)
    while True:
        port = random.randrange(end - PORTS, end - 1)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
