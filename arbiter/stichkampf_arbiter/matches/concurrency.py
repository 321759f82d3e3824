"""Concurrency of matches: many at once, or one alone."""

from __future__ import annotations

import asyncio


class ConcurrencyGate:
    """Admits matches. A match that plays alone waits until all others have ended, and they wait for it."""

    def __init__(self) -> None:
        self._playing = 0
        self._is_alone = False
        self._to_be_alone = 0
        self._changed = asyncio.Event()

    async def enter(self, *, alone: bool) -> None:
        """Wait until the match may begin; `leave` must follow."""
        self._to_be_alone += alone
        try:
            while self._is_alone or (self._playing if alone else self._to_be_alone):
                self._changed.clear()
                await self._changed.wait()
        finally:
            self._to_be_alone -= alone
            self._changed.set()
        self._playing += 1
        self._is_alone = alone

    def leave(self) -> None:
        """End a match."""
        self._playing -= 1
        self._is_alone = False
        self._changed.set()
