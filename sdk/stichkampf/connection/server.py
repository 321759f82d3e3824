"""The server that remote bots connect to, and the channel that leads there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import grpc
import grpc.aio

from stichkampf.addresses import host_and_port, is_loopback
from stichkampf.errors import StichkampfError

KEEPALIVE_SECONDS: Final = 4.0
"""The server is asked for a sign of life after this time without one."""
KEEPALIVE_TIMEOUT_SECONDS: Final = 3.0
"""The connection counts as lost when the sign of life takes longer than this."""
CONNECT_SECONDS: Final = 10.0
OPTIONS: Final = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.enable_retries", 0),
    ("grpc.keepalive_time_ms", round(1000 * KEEPALIVE_SECONDS)),
    ("grpc.keepalive_timeout_ms", round(1000 * KEEPALIVE_TIMEOUT_SECONDS)),
    ("grpc.http2.ping_timeout_ms", round(1000 * KEEPALIVE_TIMEOUT_SECONDS)),
    ("grpc.http2.max_pings_without_data", 0),
    # `reconnect` decides when to try again: no channel may hand its own back-off on to the next.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.min_reconnect_backoff_ms", round(1000 * CONNECT_SECONDS)),
)


class ServerError(StichkampfError):
    """No address of a server."""


@dataclass(frozen=True)
class Server:
    """The server that remote bots connect to.

    :ivar address: as "host:port".
    :ivar plaintext: connect without TLS.
    """

    address: str
    plaintext: bool

    @classmethod
    def at(cls, address: str, plaintext: bool | None = None) -> Server:
        """Read an address.

        :param plaintext: None for TLS, except on this machine itself.
        :raises ServerError: not of the form host:port.
        """
        found = host_and_port(address)
        if found is None:
            raise ServerError(
                f"{address!r} is not the address of a server; write HOST:PORT, such as play.example.org:50052"
            )
        return cls(address, is_loopback(found[0]) if plaintext is None else plaintext)

    def channel(self) -> grpc.aio.Channel:
        host = self.address.rpartition(":")[0].strip("[]")
        # An HTTP proxy may lead out of this network; a connection without TLS must not.
        direct = self.plaintext or is_loopback(host)
        options = (*OPTIONS, ("grpc.enable_http_proxy", 0)) if direct else OPTIONS
        if self.plaintext:
            return grpc.aio.insecure_channel(self.address, options=options)
        return grpc.aio.secure_channel(self.address, grpc.ssl_channel_credentials(), options=options)
