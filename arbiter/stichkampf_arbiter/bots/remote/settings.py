"""The settings of the server socket for remote bots."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stichkampf.errors import StichkampfError


class ListenError(StichkampfError):
    """The server socket for remote bots cannot be opened."""


@dataclass(frozen=True, kw_only=True)
class RemoteSettings:
    """The address and TLS files for remote bots.

    :ivar listen: host:port to listen on; port 0 takes any free port.
    :ivar address: address shown to authors of remote bots; empty for the same.
    :ivar certificate: PEM file with the chain of certificates; None for plain text.
    :ivar key: PEM file with its private key.
    """

    listen: str
    address: str = ""
    certificate: Path | None = None
    key: Path | None = None

    @property
    def host(self) -> str:
        return self.listen.rpartition(":")[0]

    @property
    def port(self) -> int:
        return int(self.listen.rpartition(":")[2])
