"""The event loop on which the async bots of a process decide, all of them on one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Lock, Thread
from typing import Any, TypeVar

T = TypeVar("T")


class EventLoop:
    """An event loop on a thread of its own, which starts with the first answer."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def finish(self, answer: Coroutine[Any, Any, T]) -> T:
        """Run an answer to its end and return it; other threads may wait for theirs meanwhile.

        Whatever the answer raises is raised here.

        >>> async def bid():
        ...     return "bid 1"
        >>> EventLoop().finish(bid())
        'bid 1'
        """
        outcome = asyncio.run_coroutine_threadsafe(_outcome(answer), self._running()).result()
        if isinstance(outcome, asyncio.CancelledError):
            raise RuntimeError("the bot cancelled its own answer") from outcome
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome[0]

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # A daemon: a bot that never stops thinking must not keep the program from ending.
                Thread(target=self._loop.run_forever, name="async bots", daemon=True).start()
            return self._loop


LOOP = EventLoop()


async def _outcome(answer: Coroutine[Any, Any, T]) -> tuple[T] | BaseException:
    """Return the answer, or the error that it raised: some errors would end the loop, and all answers."""
    try:
        return (await answer,)
    except (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:  # noqa: BLE001 - the code of strangers may raise anything
        return error
