"""The settings of the arbiter, from the environment and the command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stichkampf import limits
from stichkampf.addresses import host_and_port
from stichkampf.errors import StichkampfError
from stichkampf.whole_numbers import whole_number

from stichkampf_arbiter.bots.remote.settings import RemoteSettings

RATED_TABLES = 256
PROCESSES = 128
LOG_FORMATS = ("line", "json")


class SettingsError(StichkampfError):
    """A setting is missing or invalid."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one arbiter.

    :ivar listen: address of the control service: "unix:/path" or "127.0.0.1:port".
    :ivar state: folder of the arbiter for archives and sockets.
    :ivar remote: settings for remote bots; None if this arbiter takes none.
    :ivar tables: largest number of open matches, an eighth of it kept for the first block of each tournament.
    :ivar processes: largest number of hosted bot processes, half of it reserved for the first block of each
        tournament; a block that needs more runs alone.
    :ivar idle_seconds: time for which a hosted process that no match needs is kept.
    :ivar keep_seconds: time for which a finished match waits to be fetched.
    :ivar drain_seconds: time for which open matches may go on once the arbiter was told to stop.
    :ivar outage_seconds: longest single wait of a match for a remote bot, at its start or after a lost
        connection.
    :ivar absence_seconds: longest total of all waits of a match for a remote bot.
    :ivar json_logs: log one JSON object a line instead of lines for people.
    :ivar ends_with_input: stop at once when standard input ends, so as not to outlive the program above.
    """

    listen: str
    state: Path
    remote: RemoteSettings | None = None
    tables: int = RATED_TABLES
    processes: int = PROCESSES
    idle_seconds: float = 20.0
    keep_seconds: float = 3600.0
    drain_seconds: float = 5.0
    outage_seconds: float = limits.REMOTE_OUTAGE_SECONDS
    absence_seconds: float = limits.REMOTE_ABSENCE_SECONDS
    json_logs: bool = False
    ends_with_input: bool = False

    @property
    def socket(self) -> Path | None:
        """The Unix socket of the control service; None if it listens on TCP."""
        return Path(self.listen.removeprefix("unix:")) if self.listen.startswith("unix:") else None

    @property
    def folders(self) -> list[Path]:
        """The folders that the arbiter writes into; they must exist."""
        return [self.state.parent, *([self.socket.parent] if self.socket else [])]

    @property
    def sockets(self) -> Path:
        """The folder for the sockets of bots; beside the control socket, because such paths must be short."""
        return (self.socket.parent if self.socket else self.state) / "bots"


def read_settings(
    arguments: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ
) -> Settings:
    """Return the settings of this process.

    :param arguments: arguments of the command line; None for those of this process.
    :raises SettingsError: a setting is missing or invalid.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stichkampf_arbiter",
        description="Play matches between bots, for a platform that asks over gRPC.",
    )

    def add(option: str, variable: str, told: str, usual: str | None = "", **more: Any) -> None:
        given = environ.get(variable, usual)
        parser.add_argument(option, default=given, help=f"{told} ({variable})", **more)

    add("--listen", "STICHKAMPF_ARBITER_ADDRESS", "unix:/path or 127.0.0.1:port", None)
    add("--state", "STICHKAMPF_STATE_DIR", "a folder", None, type=Path)
    add("--tables", "STICHKAMPF_ARBITER_TABLES", "open matches at once", str(RATED_TABLES))
    add("--processes", "STICHKAMPF_ARBITER_PROCESSES", "hosted bots at once", str(PROCESSES))
    told = "host:port for remote bots; without it none can connect"
    add("--remote-listen", "STICHKAMPF_ARBITER_REMOTE_LISTEN", told)
    told = "address shown to authors of remote bots, if it differs"
    add("--remote-address", "STICHKAMPF_ARBITER_REMOTE_ADDRESS", told)
    told = "PEM file with the certificates; plain text without"
    add("--remote-tls-certificate", "STICHKAMPF_ARBITER_REMOTE_TLS_CERTIFICATE", told)
    add("--remote-tls-key", "STICHKAMPF_ARBITER_REMOTE_TLS_KEY", "PEM file with the private key")
    parser.add_argument(
        "--log-format",
        choices=LOG_FORMATS,
        default=environ.get("STICHKAMPF_LOG_FORMAT") or LOG_FORMATS[0],
        help="json: one object a line, for programs (STICHKAMPF_LOG_FORMAT)",
    )
    parser.add_argument("--end-with-input", action="store_true", help="stop at once when standard input ends")
    given = parser.parse_args(arguments)
    if given.log_format not in LOG_FORMATS:
        raise SettingsError(f"the log format is {given.log_format!r}; it must be {' or '.join(LOG_FORMATS)}")
    if not given.listen:
        raise SettingsError(
            "give the address to listen on: --listen unix:/path, or STICHKAMPF_ARBITER_ADDRESS"
        )
    if given.state is None:
        raise SettingsError("give a folder for the arbiter's state: --state FOLDER, or STICHKAMPF_STATE_DIR")
    if not given.listen.startswith("unix:/") and not host_and_port(given.listen, lowest=0):
        raise SettingsError(f"cannot listen on {given.listen!r}; write unix:/path or 127.0.0.1:port")
    return Settings(
        listen=given.listen,
        state=Path(given.state) / "arbiter",
        remote=_remote(given),
        tables=_number("tables", given.tables, least=1, most=1_000),
        processes=_number("processes", given.processes, least=6, most=1_000),
        json_logs=given.log_format == "json",
        ends_with_input=given.end_with_input,
        drain_seconds=0.0 if given.end_with_input else Settings.drain_seconds,
    )


def _remote(given: argparse.Namespace) -> RemoteSettings | None:
    certificate, key = given.remote_tls_certificate, given.remote_tls_key
    if not given.remote_listen:
        if certificate or key or given.remote_address:
            raise SettingsError(
                "give the address for remote bots: --remote-listen, or STICHKAMPF_ARBITER_REMOTE_LISTEN"
            )
        return None
    for address in filter(None, (given.remote_listen, given.remote_address)):
        if not host_and_port(address, lowest=0):
            raise SettingsError(f"{address!r} is not an address for remote bots; write host:port")
    if bool(certificate) != bool(key):
        raise SettingsError(
            "TLS for remote bots needs both STICHKAMPF_ARBITER_REMOTE_TLS_CERTIFICATE and"
            f" STICHKAMPF_ARBITER_REMOTE_TLS_KEY; given are {certificate!r} and {key!r}"
        )
    return RemoteSettings(
        listen=given.remote_listen,
        address=given.remote_address,
        certificate=Path(certificate) if certificate else None,
        key=Path(key) if key else None,
    )


def _number(name: str, text: str, *, least: int, most: int) -> int:
    number = whole_number(text)
    if number is None or not least <= number <= most:
        raise SettingsError(f"{name} must be a whole number from {least} to {most}, not {text!r}")
    return number
