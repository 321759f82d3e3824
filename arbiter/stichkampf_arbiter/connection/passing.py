"""Connections that are passed on, byte by byte, from where they come to where they are served."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import cast


class Passing(asyncio.Protocol):
    """One end of a connection, which writes what the other end receives.

    :param ends: both ends of every such connection that is open.
    """

    transport: asyncio.Transport
    other: Passing | None = None

    def __init__(self, ends: set[Passing]) -> None:
        self._ends = ends

    def join(self, other: Passing) -> None:
        self.other, other.other = other, self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self._ends.add(self)

    def data_received(self, data: bytes) -> None:
        if self.other is not None:
            self.other.transport.write(data)

    def pause_writing(self) -> None:
        if self.other is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None:
            with suppress(RuntimeError):  # it is closing
                self.other.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ends.discard(self)
        if self.other is not None:
            self.other.transport.close()
