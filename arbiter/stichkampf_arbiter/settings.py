"""What an operator decides about the arbiter, from the environment and the command line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stichkampf.errors import StichkampfError

RATED_TABLES = 256


class SettingsError(StichkampfError):
    """A setting that is missing or makes no sense."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """
    :ivar listen: where the control service listens: "unix:/path" or "127.0.0.1:port".
    :ivar state: a folder of the arbiter's own, for archives and sockets.
    :ivar tables: how many matches may be open at once.
    :ivar processes: how many hosted bot processes may run at once.
    :ivar idle_seconds: how long a hosted process that no match needs is kept.
    :ivar keep_seconds: how long a finished match waits to be fetched.
    :ivar drain_seconds: how long open matches may go on after the arbiter was told to stop.
    """

    listen: str
    state: Path
    tables: int = RATED_TABLES
    processes: int = 24
    idle_seconds: float = 20.0
    keep_seconds: float = 3600.0
    drain_seconds: float = 5.0

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
        """A folder for the sockets of bots; beside the control socket, because such paths must be short."""
        return (self.socket.parent if self.socket else self.state) / "bots"


def read_settings(
    arguments: Sequence[str] | None = None, environ: Mapping[str, str] = os.environ
) -> Settings:
    """The settings of this process.

    :param arguments: of the command line; None for those of this process.
    :raises SettingsError: something is missing or wrong.
    """
    parser = argparse.ArgumentParser(
        prog="python -m stichkampf_arbiter",
        description="Play matches between bots, for a platform that asks over gRPC.",
    )
    parser.add_argument(
        "--listen",
        default=environ.get("ARBITER_ADDRESS"),
        help="unix:/path or 127.0.0.1:port (ARBITER_ADDRESS)",
    )
    parser.add_argument(
        "--state",
        type=Path,
        default=environ.get("STICHKAMPF_STATE_DIR"),
        help="a folder (STICHKAMPF_STATE_DIR)",
    )
    parser.add_argument(
        "--tables",
        default=environ.get("ARBITER_TABLES", str(RATED_TABLES)),
        help="open matches at once (ARBITER_TABLES)",
    )
    parser.add_argument(
        "--processes",
        default=environ.get("ARBITER_PROCESSES", "24"),
        help="hosted bots at once (ARBITER_PROCESSES)",
    )
    given = parser.parse_args(arguments)
    if not given.listen:
        raise SettingsError("say where to listen: --listen unix:/path, or ARBITER_ADDRESS")
    if given.state is None:
        raise SettingsError("name a folder for the arbiter's state: --state FOLDER, or STICHKAMPF_STATE_DIR")
    host, _, port = given.listen.rpartition(":")
    if not given.listen.startswith("unix:/") and not (host and port.isdecimal()):
        raise SettingsError(f"cannot listen on {given.listen!r}; write unix:/path or 127.0.0.1:port")
    return Settings(
        listen=given.listen,
        state=Path(given.state) / "arbiter",
        tables=_number("tables", given.tables, least=1, most=1_000),
        processes=_number("processes", given.processes, least=6, most=1_000),
    )


def _number(name: str, text: str, *, least: int, most: int) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise SettingsError(f"{name} must be a whole number from {least} to {most}, not {text!r}")
    return int(text)
