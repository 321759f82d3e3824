"""A server of uvicorn that looks at its clock once a second, not ten times: an idle site hardly wakes."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from types import FrameType
from typing import Any

import uvicorn

TICKS_A_SECOND = 10
"""Ticks that uvicorn counts in a second, at the first of which it writes the date of its answers."""


class QuietServer(uvicorn.Server):
    """A server that ticks once a second, and ends at once when it is told to."""

    async def main_loop(self) -> None:
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()
        while not await self.on_tick(TICKS_A_SECOND):
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._told.wait()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if hasattr(self, "_loop"):
            self._loop.call_soon_threadsafe(self._told.set)


def run(application: str, **options: Any) -> None:
    """Serve until a signal comes; several processes are uvicorn's own, which look more often."""
    config = uvicorn.Config(application, **options)
    if config.workers > 1:
        uvicorn.run(application, **options)
        return
    server = QuietServer(config)
    server.run()
    if not server.started:
        sys.exit(3)  # as uvicorn itself
