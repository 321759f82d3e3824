"""The event loop of the arbiter, which knows how late it is.

A bot must not pay for the arbiter's own delays. A reply that is handled now reached this process at the
earliest when one of the last few waits of the loop returned; the selector notes those moments, and the bot is
charged up to the earliest only.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import AsyncIterator
from time import monotonic

# A message of gRPC passes through two turns of the loop: one wakes the reader, the next one runs it. It
# arrived during the turn before those, at the earliest.
TURNS = 3
# A shorter look at the sockets found something that was there before it looked.
WAITED_SECONDS = 0.0001
TICK_SECONDS = 0.05


class StampedSelector(selectors.DefaultSelector):
    """A selector that notes when its last waits returned."""

    def __init__(self) -> None:
        super().__init__()
        self._returned = [monotonic()] * TURNS

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        before = monotonic()
        ready = super().select(timeout)
        now = monotonic()
        if now - before > WAITED_SECONDS:
            # It really waited, so nothing was left to do: what comes next arrived just now, or while the
            # machine stood still.
            overslept = 0.0 if timeout is None else max(0.0, now - before - max(timeout, 0.0))
            self._returned = [now - overslept] * TURNS
        else:
            self._returned = [*self._returned[1:], now]
        return ready

    def arrival(self) -> float:
        """The earliest moment, on the monotonic clock, at which what is handled now can have arrived."""
        return self._returned[0]


async def ticks() -> AsyncIterator[tuple[float, float]]:
    """The time of every tick on the monotonic clock, and by how much it is late: 0 for less than a tick.

    After a late one the readers have a whole tick: what came while this process was stopped takes some turns
    to read.
    """
    due = monotonic()
    while True:
        due = max(due + TICK_SECONDS, monotonic())
        await asyncio.sleep(due - monotonic())
        now = monotonic()
        late_seconds = now - due
        if late_seconds > TICK_SECONDS:
            due = now
            yield now, late_seconds
        else:
            yield now, 0.0


def new_loop() -> tuple[asyncio.AbstractEventLoop, StampedSelector]:
    """An event loop, and the selector that tells its delays."""
    selector = StampedSelector()
    return asyncio.SelectorEventLoop(selector), selector
