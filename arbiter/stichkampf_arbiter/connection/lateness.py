"""The arbiter's own delays, which no bot pays for.

The event loop can be late: the machine is busy, a turn of the loop takes long, the process is stopped. Then
an answer that arrived in time is read late. Four rules keep that out of every bot's time:

1. An answer is charged up to the earliest moment at which it can have arrived (`StampedSelector.arrival`),
   not up to the moment at which it is handled.
2. Deadlines are checked on ticks, and a tick knows how late it is (`ticks`). After a late tick, answers may
   wait unread in the sockets, so a late tick does not apply the ordinary deadlines.
3. A late tick credits its delay to every pending decision (`PendingDecision.lag_seconds`), and to an account
   that charges waiting: after a long stop an answer may be read some turns later than rule 1 allows for.
4. It fails only decisions that are overdue in spite of twice their time, a reserve and all credited delays
   (`stichkampf.timing.pending`). Otherwise an arbiter that is always late would never fail anything.
"""

from __future__ import annotations

import asyncio
import gc
import selectors
from collections.abc import AsyncIterator
from contextlib import suppress
from time import monotonic

# A message of gRPC passes through two turns of the loop: one wakes the reader, the next one runs it. It
# arrived during the turn before those, at the earliest.
TURNS = 3
# A shorter call of select() found something that was there before the call.
WAITED_SECONDS = 0.0001
TICK_SECONDS = 0.05
IDLE_SECONDS = 1.0
"""The pause between ticks while there is no work."""
NEW_OBJECTS = 10_000
"""After this many, the garbage collector looks at what is new; by itself it does so after 700."""


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
            # It really waited, so nothing was left to do: the next message arrived just now, or while the
            # machine stood still.
            overslept = 0.0 if timeout is None else max(0.0, now - before - max(timeout, 0.0))
            self._returned = [now - overslept] * TURNS
        else:
            self._returned = [*self._returned[1:], now]
        return ready

    def arrival(self) -> float:
        """Return the earliest moment, on the monotonic clock, at which a message handled now can have
        arrived.
        """
        return self._returned[0]


async def ticks(work: asyncio.Event) -> AsyncIterator[tuple[float, float]]:
    """Yield the time of every tick on the monotonic clock and its delay, which is 0 if shorter than a tick.

    A tick is late by the schedule, wherever the time went: a process may also be stopped while it works on
    the tick before. After a late tick the next one is due a whole tick later: messages that came while this
    process was stopped take some turns of the loop to read.

    :param work: set while a question may be open; else ticks are rare, and an idle arbiter hardly wakes.
    """
    due = monotonic()
    while True:
        if not work.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(IDLE_SECONDS):
                    await work.wait()
            due = monotonic()
            yield due, 0.0
            continue
        due += TICK_SECONDS
        await asyncio.sleep(due - monotonic())
        now = monotonic()
        late_seconds = now - due
        if late_seconds > TICK_SECONDS:
            due = now
            yield now, late_seconds
        else:
            yield now, 0.0


def collect_rarely() -> None:
    """Keep all that is loaded out of garbage collections, and make them rare: each one is a delay too.

    A running match keeps most of the objects that it makes, so that a collection finds little.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS)


def new_loop() -> tuple[asyncio.AbstractEventLoop, StampedSelector]:
    """Make an event loop, and return it with its selector."""
    selector = StampedSelector()
    return asyncio.SelectorEventLoop(selector), selector
