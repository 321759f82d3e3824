"""Limits on one visitor's connection. Where all are taken, the newest of the greediest address is ended.

uvicorn limits neither the time of a request to arrive nor the time of an answer to be read. It does limit the
number of connections, but without a Retry-After header.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import ClassVar

import h11
from stichkampf.addresses import network_of
from uvicorn.protocols.http.h11_impl import H11Protocol

from stichkampf_platform.core.errors import BUSY_SECONDS
from stichkampf_platform.serving.fair_slots import FairSlots
from stichkampf_platform.serving.trusted_proxies import is_trusted_proxy

CONNECTIONS = 1000
"""The most that are open at a time in one process of the site."""
ARRIVAL_SECONDS = 10.0
SILENT_SECONDS = 5.0
"""The time for a request to arrive while all connections are taken."""
BYTES_PER_SECOND = 16_384
"""A request must arrive within `ARRIVAL_SECONDS`, and one second more per `BYTES_PER_SECOND` bytes."""
STALLED_SECONDS = 30.0
"""The longest time for which a visitor may leave sent bytes unread."""


class TimedHttpConnection(H11Protocol):
    """uvicorn's HTTP/1.1; it ends connections whose requests do not arrive or whose answers are not read."""

    _slots: ClassVar[FairSlots[TimedHttpConnection]] = FairSlots(CONNECTIONS)
    _arriving: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _began = 0.0
    _taken = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()
        self._slots.number = CONNECTIONS
        peer = transport.get_extra_info("peername")
        host = str(peer[0]) if isinstance(peer, tuple) else ""
        gone = self._slots.take(self, "" if is_trusted_proxy(host) else network_of(host))
        if gone is not None:
            gone._end(HTTPStatus.SERVICE_UNAVAILABLE, f"Retry-After: {BUSY_SECONDS}\r\n")
            self._slots.leave(gone)

    def connection_lost(self, exc: Exception | None) -> None:
        self._slots.leave(self)
        self._received()
        self._unset_stalled()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._arriving is None:
            self._expect()
        self._taken += len(data)
        super().data_received(data)

    def handle_events(self) -> None:
        super().handle_events()
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._received()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unset_stalled()

    def _expect(self) -> None:
        """Start the timer of a request that begins to arrive."""
        self._began, self._taken = self.loop.time(), 0
        self._arriving = self.loop.call_at(self._began + min(SILENT_SECONDS, ARRIVAL_SECONDS), self._look)

    def _received(self) -> None:
        """Stop the timer of a request that has arrived, or never will."""
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _look(self) -> None:
        """Give the request more time if enough bytes have arrived, else end the connection."""
        seconds = min(SILENT_SECONDS, ARRIVAL_SECONDS) if self._slots.all_taken else ARRIVAL_SECONDS
        due = self._began + seconds + self._taken / BYTES_PER_SECOND
        if due > self.loop.time():
            again = min(due, self.loop.time() + SILENT_SECONDS)  # all may be taken by then
            self._arriving = self.loop.call_at(again, self._look)
        else:
            self._arriving = None
            self._end(HTTPStatus.REQUEST_TIMEOUT)

    def _end(self, status: HTTPStatus, header: str = "") -> None:
        if self.cycle is None or not self.cycle.response_started or self.cycle.response_complete:
            end = "Connection: close\r\nContent-Length: 0\r\n\r\n"
            self.transport.write(f"HTTP/1.1 {status} {status.phrase}\r\n{header}{end}".encode())
        self.transport.close()

    def _unset_stalled(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
